//! The command that a hook runs: how it is written, and who wrote it.

use crate::printable::shell_quoted;
use std::path::{Path, PathBuf};

/// Writes the command for the binary at `binary`, quoted for a shell, and the
/// arguments, which are `hook` or begin with it.
pub fn write(binary: &Path, arguments: &str) -> String {
    let path = binary.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%:,=".contains(c);
    if path.chars().all(is_plain) {
        format!("{path} {arguments}")
    } else {
        format!("{} {arguments}", shell_quoted(&path))
    }
}

/// Reads the binary out of a command that `write` could have written, in any
/// version and from any place; `None` if a person wrote it.
pub fn binary_of(command: &str) -> Option<PathBuf> {
    let bare = match command.rsplit_once(" --agent ") {
        Some((bare, agent)) if !agent.contains(char::is_whitespace) => bare,
        _ => command,
    };
    let quoted = bare.strip_suffix(" hook")?;
    let path = match quoted.strip_prefix('\'') {
        Some(rest) => rest.strip_suffix('\'')?.replace(r"'\''", "'"),
        None if quoted.contains(char::is_whitespace) => return None,
        None => quoted.to_owned(),
    };
    let path = PathBuf::from(path);
    is_boardsync(&path).then_some(path)
}

/// Returns whether a command, whoever wrote it, calls us as a hook.
pub fn calls_us(command: &str) -> bool {
    let bare = |word: &str| word.trim_matches(['"', '\'']).to_owned();
    let mut words = command.split_whitespace().map(bare);
    words.any(|word| is_boardsync(Path::new(&word))) && words.any(|word| word == "hook")
        || binary_of(command).is_some()
}

/// Takes `/` and `\` for separators, whatever the system.
fn is_boardsync(path: &Path) -> bool {
    let path = path.to_string_lossy();
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.to_ascii_lowercase();
    name.strip_suffix(".exe").unwrap_or(&name) == "boardsync"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_reads_back() {
        for path in [
            "/usr/local/bin/boardsync",
            "/home/me/My Tools/boardsync",
            "/it's here/boardsync",
            "C:\\Program Files\\boardsync.exe",
            "/a;rm -rf $HOME/boardsync",
        ] {
            for arguments in ["hook", "hook --agent codex"] {
                let command = write(Path::new(path), arguments);
                assert_eq!(binary_of(&command), Some(PathBuf::from(path)), "{command}");
                assert!(calls_us(&command), "{command}");
            }
        }
        let write = |path: &str| write(Path::new(path), "hook");
        assert_eq!(write("/bin/boardsync"), "/bin/boardsync hook");
        assert_eq!(write("/a b/boardsync"), "'/a b/boardsync' hook");
    }

    #[test]
    fn a_command_of_somebodys_own_is_told_from_ours() {
        for (command, calls) in [
            ("BOARDSYNC_STALE_MS=9 /bin/boardsync hook", true),
            ("/bin/boardsync --vault ~/v hook", true),
            ("\"/bin/boardsync\" hook", true),
            ("/bin/boardsync hooks", false),
            ("/bin/boardsync update --repo .", false),
            ("/bin/other hook", false),
            ("hook boardsync", false),
            ("", false),
        ] {
            assert_eq!(binary_of(command), None, "{command}");
            assert_eq!(calls_us(command), calls, "{command}");
        }
    }
}
