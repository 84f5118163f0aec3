//! Where things lie in a vault, and what is refused before anything is touched.

use crate::disk::Kind;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// The board's place in a vault unless another is named.
pub const DEFAULT_BOARD: &str = "01-projects/_active-sessions.md";
/// The folder of locks and temporaries in a vault.
pub const ORCHESTRATOR: &str = ".orchestrator";

const NEW_MODE: u32 = 0o644;

/// Says why a board cannot be worked on.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// There is no such folder.
    #[error("no vault folder at `{}`: create it, or name another with --vault", .0.display())]
    Missing(PathBuf),
    /// Something else than a folder is there.
    #[error("the vault `{}` is not a folder: name one with --vault", .0.display())]
    NotAFolder(PathBuf),
    /// The board's name leaves the vault, or is none.
    #[error(
        "`{0}` is no place in the vault: --board takes a note's path within it, like `{DEFAULT_BOARD}`"
    )]
    NotInside(String),
    /// The generated overview is never a board.
    #[error("`{}` is a generated overview, never a board: name another note with --board", .0.display())]
    Overview(PathBuf),
    /// A link leads where nothing may be written.
    #[error("`{}` is a link to `{}`, outside the vault and the home folder: nothing is written there", .link.display(), .target.display())]
    LeadsOut {
        /// The link.
        link: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A link leads nowhere.
    #[error("`{}` is a link that leads nowhere: remove it, or create its target", .0.display())]
    Dangling(PathBuf),
    /// The operating system refused.
    #[error("cannot look at `{}`: {source}", .path.display())]
    Io {
        /// What was looked at.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// Says where one board and everything beside it lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The board as it is named.
    pub board: PathBuf,
    /// The file that is edited: the same, or what the link leads to.
    pub target: PathBuf,
    /// The folder of locks and temporaries.
    pub folder: PathBuf,
    /// The stem of the names in there: `board` for the default board.
    pub stem: String,
    /// The board's permissions (Unix), or those of a new one: 644 octal.
    pub mode: u32,
}

impl Place {
    /// Finds the board `relative` in the vault at `root`.
    ///
    /// Links are followed here and nowhere else, and only to where `home` or
    /// the vault contains them.
    pub fn find(root: &Path, relative: &str, home: Option<&Path>) -> Result<Self, VaultError> {
        match std::fs::metadata(root) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Err(VaultError::NotAFolder(root.to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(VaultError::Missing(root.to_owned()));
            }
            Err(error) => return Err(io_error(root, error)),
        }
        Self::within(root, relative, home)
    }

    /// Finds the board `relative` in a vault at `root` that need not be there
    /// yet: whoever writes first makes it.
    pub fn within(root: &Path, relative: &str, home: Option<&Path>) -> Result<Self, VaultError> {
        let inside = inside(relative).ok_or_else(|| VaultError::NotInside(relative.to_owned()))?;
        let board = root.join(&inside);
        for folder in inside.ancestors().skip(1) {
            follow(&root.join(folder), root, home)?;
        }
        let target = follow(&board, root, home)?;
        if is_overview(&board) || is_overview(&target) {
            return Err(VaultError::Overview(board));
        }
        let folder = follow(&root.join(ORCHESTRATOR), root, home)?;
        let mode = std::fs::metadata(&target).map_or(NEW_MODE, |meta| mode(&meta));
        Ok(Self {
            board,
            target,
            folder,
            stem: stem(&inside),
            mode,
        })
    }

    /// Gives the lock's path.
    pub fn lock(&self) -> PathBuf {
        self.folder.join(format!("{}.lock", self.stem))
    }

    /// Gives the latch's path.
    pub fn latch(&self) -> PathBuf {
        self.folder.join(format!("{}.latch.lock", self.stem))
    }

    /// Gives iCloud's stand-in for a board that is not on this disk yet.
    pub fn placeholder(&self) -> PathBuf {
        let name = self
            .target
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        self.target.with_file_name(format!(".{name}.icloud"))
    }
}

#[cfg(unix)]
fn mode(meta: &std::fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o7777
}

#[cfg(not(unix))]
fn mode(_meta: &std::fs::Metadata) -> u32 {
    NEW_MODE
}

fn io_error(path: &Path, source: io::Error) -> VaultError {
    VaultError::Io {
        path: path.to_owned(),
        source,
    }
}

/// Normalises a path within the vault; `None` if it leaves it or names nothing.
fn inside(relative: &str) -> Option<PathBuf> {
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
fn stem(inside: &Path) -> String {
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

fn is_overview(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.eq_ignore_ascii_case("_overview.md"))
}

/// Follows `path` if it is a link, to a target in the vault or the home folder.
fn follow(path: &Path, root: &Path, home: Option<&Path>) -> Result<PathBuf, VaultError> {
    let meta = match std::fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(path.to_owned()),
        Err(error) => return Err(io_error(path, error)),
    };
    if Kind::of(meta.file_type()) != Some(Kind::Symlink) {
        return Ok(path.to_owned());
    }
    let target = std::fs::canonicalize(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => VaultError::Dangling(path.to_owned()),
        _ => io_error(path, error),
    })?;
    let contains = |folder: &Path| {
        std::fs::canonicalize(folder).is_ok_and(|folder| target.starts_with(folder))
    };
    if contains(root) || home.is_some_and(contains) {
        Ok(target)
    } else {
        Err(VaultError::LeadsOut {
            link: path.to_owned(),
            target,
        })
    }
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
