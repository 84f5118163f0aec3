//! What makes git merge the board with `boardsync merge`.
//!
//! Two things must agree: an attribute of the board's path, which is committed
//! and so reaches every clone, and the driver it names, which each clone has to
//! configure for itself. A clone without the driver merges the board as text.

use crate::cli::context::Context;
use crate::cli::outcome::Failure;
use crate::disk::{read_regular, remove, rewrite};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const DRIVER: &str = "merge.boardsync.driver";
const NAME: &str = "merge.boardsync.name";
const SECTION: &str = "merge.boardsync";
/// Bounds what is read of `.gitattributes`, in bytes.
const LIMIT: u64 = 1024 * 1024;

/// Registers the merge driver in the repository of a vault.
pub struct GitDriver {
    vault: PathBuf,
    /// The line of `.gitattributes`.
    line: String,
    /// The command that git runs.
    driver: String,
}

impl GitDriver {
    /// Prepares it; changes nothing.
    pub fn of(context: &Context) -> Result<Self, Failure> {
        let place = context.place()?;
        let program = std::env::current_exe().map_err(|error| {
            Failure::Error(format!("cannot tell where boardsync lies: {error}"))
        })?;
        let inside: Vec<_> = Path::new(context.global.board())
            .components()
            .filter(|part| matches!(part, std::path::Component::Normal(_)))
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        let vault = place.board.ancestors().nth(inside.len());
        Ok(Self {
            vault: vault.unwrap_or(&place.board).to_owned(),
            line: attribute(&inside.join("/")),
            driver: driver(&program.to_string_lossy()),
        })
    }

    /// Says whether the attribute, which every clone gets, names the driver.
    pub fn is_named(&self) -> Result<bool, Failure> {
        Ok(self.read()?.lines().any(|line| line == self.line))
    }

    /// Says whether attribute and driver are there, and this binary's.
    pub fn is_done(&self) -> Result<bool, Failure> {
        let has_line = self.is_named()?;
        let (found, value) = self.git(&["config", "--local", "--get", DRIVER])?;
        Ok(has_line && found && value.trim_end() == self.driver)
    }

    /// Adds the attribute and sets the driver.
    pub fn apply(&self) -> Result<(), Failure> {
        self.set(NAME, "boardsync: every row and line of both sides")?;
        self.set(DRIVER, &self.driver)?;
        match with_line(&self.read()?, &self.line) {
            Some(text) => self.write(&text),
            None => Ok(()),
        }
    }

    /// Removes both; a `.gitattributes` that held nothing else is removed, too.
    pub fn undo(&self) -> Result<(), Failure> {
        if let Some(text) = without_line(&self.read()?, &self.line) {
            self.write(&text)?;
        }
        // It fails where there is no such section: then there is nothing to do.
        self.git(&["config", "--local", "--remove-section", SECTION])?;
        Ok(())
    }

    fn attributes(&self) -> PathBuf {
        self.vault.join(".gitattributes")
    }

    fn read(&self) -> Result<String, Failure> {
        let path = self.attributes();
        let failed = |why: &dyn std::fmt::Display| {
            Failure::Error(format!("cannot read `{}`: {why}", path.display()))
        };
        match read_regular(&path, LIMIT).map_err(|error| failed(&error))? {
            None => Ok(String::new()),
            Some(read) => String::from_utf8(read.bytes).map_err(|error| failed(&error)),
        }
    }

    fn write(&self, text: &str) -> Result<(), Failure> {
        let path = self.attributes();
        let done = match text {
            "" => remove("file.replace", &path),
            text => rewrite(&path, text.as_bytes()),
        };
        done.map_err(|error| Failure::Error(format!("cannot write `{}`: {error}", path.display())))
    }

    fn set(&self, key: &str, value: &str) -> Result<(), Failure> {
        match self.git(&["config", "--local", key, value])? {
            (true, _) => Ok(()),
            (false, _) => Err(Failure::Error(format!(
                "cannot configure git in `{0}`: if it is no repository yet, run `git -C {0} init` first",
                self.vault.display()
            ))),
        }
    }

    /// Runs git in the vault, whatever repository a hook may be running for.
    fn git(&self, args: &[&str]) -> Result<(bool, String), Failure> {
        let mut git = Command::new("git");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG"] {
            git.env_remove(name);
        }
        let output = git
            .arg("-C")
            .arg(&self.vault)
            .args(args)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Failure::Error(format!("cannot run `git`: {error}")))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok((output.status.success(), text))
    }
}

/// Gives the line that hands a path to the driver (gitattributes(5)).
fn attribute(path: &str) -> String {
    let mut pattern = String::from("/");
    for c in path.chars() {
        if matches!(c, '*' | '?' | '[' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    if pattern.contains([' ', '\t', '"', '\\']) {
        let quoted = pattern.replace('\\', "\\\\").replace('"', "\\\"");
        pattern = format!("\"{quoted}\"");
    }
    format!("{pattern} merge=boardsync")
}

/// Gives the command for git, which reads `%` and then hands it to a shell.
///
/// A binary that is gone would be a conflict without markers, in which the
/// other side seems never to have been: then git's own text merge steps in.
fn driver(program: &str) -> String {
    let slashes = if cfg!(windows) {
        program.replace('\\', "/")
    } else {
        program.to_owned()
    };
    let quoted = slashes.replace('\'', "'\\''").replace('%', "%%");
    format!(
        "if test -x '{quoted}'; then '{quoted}' merge %O %A %B --path %P; \
         else git merge-file -L ours -L base -L theirs %A %O %B; fi"
    )
}

/// Adds a line to a text; `None` if it is there.
fn with_line(text: &str, line: &str) -> Option<String> {
    if text.lines().any(|other| other == line) {
        return None;
    }
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let open = !text.is_empty() && !text.ends_with('\n');
    let open = if open { eol } else { "" };
    Some([text, open, line, eol].concat())
}

/// Takes a line out of a text; `None` if it is not there.
fn without_line(text: &str, line: &str) -> Option<String> {
    let lines = text.split_inclusive('\n');
    let is_it = |other: &&str| other.trim_end_matches(['\r', '\n']) == line;
    let rest: String = lines.filter(|other| !is_it(other)).collect();
    (rest.len() != text.len()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{attribute, driver, with_line, without_line};

    #[test]
    fn paths_are_written_as_git_reads_them() {
        assert_eq!(attribute("a/_b.md"), "/a/_b.md merge=boardsync");
        assert_eq!(attribute("a b.md"), "\"/a b.md\" merge=boardsync");
        assert_eq!(attribute("a[1].md"), "\"/a\\\\[1].md\" merge=boardsync");
        let quoted = "'/opt/it'\\''s 100%%/boardsync'";
        let driver = driver("/opt/it's 100%/boardsync");
        assert!(driver.starts_with(&format!(
            "if test -x {quoted}; then {quoted} merge %O %A %B "
        )));
    }

    #[test]
    fn a_line_comes_and_goes_alone() {
        for text in ["", "*.md text\n", "*.md text\r\n"] {
            let with = with_line(text, "x").expect("was not there");
            assert_eq!(with_line(&with, "x"), None);
            assert_eq!(without_line(&with, "x").as_deref(), Some(text));
        }
        assert_eq!(with_line("a", "x").as_deref(), Some("a\nx\n"));
        assert_eq!(without_line("xx\n", "x"), None);
    }
}
