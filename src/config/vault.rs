//! Where a board and what belongs to it lie in a vault, and what is refused
//! before anything is touched.

use super::VaultSource;
use crate::disk::{self, Access, Entry, FileKind, Folder, Links};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// The board's place in a vault unless another is named.
pub const DEFAULT_BOARD: &str = "01-projects/_active-sessions.md";
/// The folder of locks and temporaries in a vault.
pub const ORCHESTRATOR: &str = ".orchestrator";

const NEW_MODE: u32 = 0o644;

/// How many links lead from one to the next before they count as a circle.
const LINKS_IN_A_ROW: usize = 40;

/// The reason why a board cannot be worked on.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// There is no such folder.
    #[error("no vault folder at `{}`: create it, or name another with --vault", .0.display())]
    Missing(PathBuf),
    /// Something else than a folder is there.
    #[error("the vault `{}` is not a folder: name one with --vault", .0.display())]
    NotAFolder(PathBuf),
    /// The board's name leaves the vault, or is not a note's name.
    #[error(
        "`{0}` is not a path in the vault: --board takes a note's path within it, like `{DEFAULT_BOARD}`"
    )]
    NotInside(String),
    /// The generated overview is never a board.
    #[error("`{}` is a generated overview, never a board: name another note with --board", .0.display())]
    Overview(PathBuf),
    /// A link leads where nothing may be written.
    #[error("`{}` is a link to `{}`, outside the vault and the home folder: refusing to write there", .link.display(), .target.display())]
    LeadsOut {
        /// The link.
        link: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A link leads where programs keep what they obey.
    #[error("`{}` is a link to `{}`, in a hidden folder: refusing to write there", .link.display(), .target.display())]
    LeadsToHidden {
        /// The link.
        link: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A link in a vault that the user has not named.
    #[error("`{}` is a link, which is not followed in a vault that only a repository names: name the vault yourself with --vault or in the config file", .0.display())]
    Untrusted(PathBuf),
    /// A link leads to nothing that may be created.
    #[error("`{}` is a dangling link: remove it, or put a board at its target", .0.display())]
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

/// The links that the path of a board may go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedLinks<'a> {
    /// None: only a repository names the vault.
    None,
    /// Those that end in the vault, or in this home folder and in no hidden
    /// folder of it: the user named the vault.
    Within(Option<&'a Path>),
}

impl<'a> AllowedLinks<'a> {
    /// Returns the links that are followed in a vault named by `source`.
    pub fn of(source: &VaultSource, home: Option<&'a Path>) -> Self {
        match source.is_named_by_user() {
            true => Self::Within(home),
            false => Self::None,
        }
    }
}

/// The paths of one board and everything that belongs to it.
///
/// The paths are for messages and for looking; what changes a file goes through
/// [`BoardPlace::entry`] and [`BoardPlace::orchestrator`], which check at each
/// use that no link leads elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardPlace {
    /// The vault's folder.
    pub root: PathBuf,
    /// The board as it is named.
    pub board: PathBuf,
    /// The file that is edited: the same, or what the links lead to.
    pub target: PathBuf,
    /// The folder of locks and temporaries.
    pub folder: PathBuf,
    /// The stem of the names in there: `board` for the default board.
    pub stem: String,
    /// The board's permissions (Unix), or those of a new one: 644 octal.
    pub mode: u32,
    /// Another lock than the board's own, if the user named one.
    pub lock_file: Option<PathBuf>,
    /// The trusted folder from which `target` is reached without a link.
    base: PathBuf,
}

impl BoardPlace {
    /// Finds the board `relative` in the vault at `root`.
    pub fn find(root: &Path, relative: &str, links: AllowedLinks) -> Result<Self, VaultError> {
        match std::fs::metadata(root) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Err(VaultError::NotAFolder(root.to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(VaultError::Missing(root.to_owned()));
            }
            Err(error) => return Err(io_error(root, error)),
        }
        Self::within(root, relative, links)
    }

    /// Finds the board `relative` in a vault at `root` that need not be there
    /// yet: whoever writes first makes it.
    pub fn within(root: &Path, relative: &str, links: AllowedLinks) -> Result<Self, VaultError> {
        let inside = inside(relative).ok_or_else(|| VaultError::NotInside(relative.to_owned()))?;
        let board = root.join(&inside);
        let target = match (first_link(root, &inside)?, links) {
            (None, _) => board.clone(),
            (Some(link), AllowedLinks::None) => return Err(VaultError::Untrusted(link)),
            (Some(link), AllowedLinks::Within(home)) => follow(link, &board, root, home)?,
        };
        if is_overview(&board) || is_overview(&target) {
            return Err(VaultError::Overview(board));
        }
        let base = match target == board {
            true => root,
            // Without a link in it, since it was just resolved.
            false => target.ancestors().last().unwrap_or(root),
        };
        let mut place = Self {
            base: base.to_owned(),
            root: root.to_owned(),
            board,
            folder: root.join(ORCHESTRATOR),
            stem: stem(&inside),
            mode: NEW_MODE,
            lock_file: None,
            target,
        };
        if let Some(access) = place.entry().ok().and_then(|board| access(&board)) {
            place.mode = access.initial_mode();
        }
        Ok(place)
    }

    /// Opens the board's folder, and names the board in it.
    pub fn entry(&self) -> io::Result<Entry> {
        let (folder, name) = self.relative_target()?;
        Ok(Folder::open_root(&self.base)?.beneath(folder)?.entry(name))
    }

    /// Does the same, and makes the folders that are missing, the vault's too:
    /// the default vault is made by whoever writes first.
    pub fn create_entry(&self) -> io::Result<Entry> {
        let (folder, name) = self.relative_target()?;
        let base = Folder::create_root(&self.base)?;
        Ok(base.create_beneath(folder, 0o777)?.entry(name))
    }

    /// Opens the folder of locks and temporaries, which is never a link.
    pub fn orchestrator(&self) -> io::Result<Folder> {
        Folder::open_root(&self.root)?.beneath(ORCHESTRATOR)
    }

    /// Does the same, and makes it if it is missing.
    pub fn create_orchestrator(&self) -> io::Result<Folder> {
        Folder::create_root(&self.root)?.create_beneath(ORCHESTRATOR, 0o777)
    }

    /// Returns the lock's path.
    pub fn lock(&self) -> PathBuf {
        let own = || self.folder.join(format!("{}.lock", self.stem));
        self.lock_file.clone().unwrap_or_else(own)
    }

    /// Returns whether the board is reached by a link, which anybody who writes
    /// in the vault may have put there.
    pub fn is_linked(&self) -> bool {
        self.target != self.board
    }

    /// Names the latch.
    pub fn latch_name(&self) -> String {
        format!("{}.latch.lock", self.stem)
    }

    /// Returns the latch's path.
    pub fn latch(&self) -> PathBuf {
        self.folder.join(self.latch_name())
    }

    /// Returns iCloud's stand-in for a board that is not on this disk yet.
    pub fn placeholder(&self) -> PathBuf {
        let name = self
            .target
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        self.target.with_file_name(format!(".{name}.icloud"))
    }

    /// Returns the board's folder below the base, and the board's name.
    fn relative_target(&self) -> io::Result<(&Path, &std::ffi::OsStr)> {
        let relative = self.target.strip_prefix(&self.base).ok();
        relative
            .and_then(|path| Some((path.parent()?, path.file_name()?)))
            .ok_or_else(|| ErrorKind::InvalidInput.into())
    }
}

/// Reads the permissions of a board, if it is a file that can be read.
fn access(board: &Entry) -> Option<Access> {
    match disk::status(board).ok()?.kind {
        None => Access::at(board, Links::Refuse),
        Some(_) => None,
    }
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

/// Finds the first link on the way from the vault to a board.
fn first_link(root: &Path, inside: &Path) -> Result<Option<PathBuf>, VaultError> {
    let mut path = root.to_owned();
    for component in inside.components() {
        path.push(component);
        match std::fs::symlink_metadata(&path) {
            Ok(meta) if FileKind::of(meta.file_type()) == Some(FileKind::Symlink) => {
                return Ok(Some(path));
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error(&path, error)),
        }
    }
    Ok(None)
}

/// Follows the links of `board` to a file in the vault or the home folder,
/// which need not be there yet.
fn follow(
    link: PathBuf,
    board: &Path,
    root: &Path,
    home: Option<&Path>,
) -> Result<PathBuf, VaultError> {
    let target = match final_target(board, LINKS_IN_A_ROW) {
        Ok(target) => target,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(VaultError::Dangling(link));
        }
        Err(error) => return Err(io_error(board, error)),
    };
    let below = |folder: &Path| {
        let folder = std::fs::canonicalize(folder).ok()?;
        target.strip_prefix(folder).ok()
    };
    if below(root).is_some() {
        return Ok(target);
    }
    let Some(at_home) = home.and_then(below) else {
        return Err(VaultError::LeadsOut { link, target });
    };
    // `~/.ssh`, `~/.claude/rules`: what lies there is obeyed.
    let is_hidden = |part: Component| part.as_os_str().as_encoded_bytes().starts_with(b".");
    if at_home.components().any(is_hidden) {
        return Err(VaultError::LeadsToHidden { link, target });
    }
    // Under another name a new file could be anything, like `~/src/app/CLAUDE.md`.
    let is_there = std::fs::symlink_metadata(&target).is_ok();
    match is_there || target.file_name() == board.file_name() {
        true => Ok(target),
        false => Err(VaultError::Dangling(link)),
    }
}

/// Returns the path without links of what is, or would be created, at `path`.
fn final_target(path: &Path, links: usize) -> io::Result<PathBuf> {
    match std::fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound && links > 0 => {}
        done => return done,
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(ErrorKind::NotFound.into());
    };
    match std::fs::read_link(path) {
        Ok(to) => final_target(&folder.join(to), links - 1),
        Err(_) => Ok(final_target(folder, links - 1)?.join(name)),
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
