//! The name of a board in its vault, and the names of the files that belong to it.

use std::path::{Component, Path, PathBuf};

/// The board's place in a vault unless another is named.
pub const DEFAULT_BOARD: &str = "01-projects/_active-sessions.md";

/// The folder of locks and temporaries in a vault.
pub const ORCHESTRATOR: &str = ".orchestrator";

/// Normalises a path within the vault; `None` if it leaves it or names nothing.
pub(super) fn inside(relative: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for component in Path::new(relative).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => path.push(name),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (path.file_name().is_some() && !path.starts_with(ORCHESTRATOR)).then_some(path)
}

/// Names a board's files: its path without `.md`, on one level.
///
/// `%2F` for `/`, so that no two boards share a name; a long path is cut and
/// told from others by its hash. `board.md` keeps its ending, since `board`
/// is the default board.
pub(super) fn stem(inside: &Path) -> String {
    if inside == Path::new(DEFAULT_BOARD) {
        return "board".to_owned();
    }
    let path = inside.to_string_lossy().replace('\\', "/");
    let bare = path
        .strip_suffix(".md")
        .filter(|bare| *bare != "board")
        .unwrap_or(&path);
    let flat = bare.replace('%', "%25").replace('/', "%2F");
    if flat.len() <= 120 {
        return flat;
    }
    let hash: String = hmac_sha256::Hash::hash(path.as_bytes())
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let cut = flat
        .char_indices()
        .take_while(|(at, _)| *at < 80)
        .map(|(_, c)| c);
    format!("{}-{hash}", cut.collect::<String>())
}

pub(super) fn is_overview(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.eq_ignore_ascii_case("_overview.md"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stem_is_flat_and_tells_boards_apart() {
        let of = |path: &str| stem(Path::new(path));
        assert_eq!(of(DEFAULT_BOARD), "board");
        assert_eq!(of("tasks.md"), "tasks");
        assert_eq!(of("a/b.md"), "a%2Fb");
        assert_ne!(of("a%2Fb.md"), of("a/b.md"));
        assert_eq!(of("board.md"), "board.md");
        let long = |end: &str| of(&format!("{}{end}.md", "x/".repeat(100)));
        assert_ne!(long("a"), long("b"));
        assert!(long("a").len() < 120);
    }

    #[test]
    fn a_board_lies_within_the_vault() {
        for outside in [
            "",
            ".",
            "..",
            "../x.md",
            "/etc/x.md",
            "a/../../x.md",
            ".orchestrator/x.md",
        ] {
            assert_eq!(inside(outside), None, "{outside:?}");
        }
        assert_eq!(inside("./a//b.md"), Some(PathBuf::from("a/b.md")));
    }
}
