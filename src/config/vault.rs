//! Where a board and what belongs to it lie in a vault, and what is refused
//! before anything is touched.

mod error;
mod links;
mod name;

pub use error::VaultError;
pub use links::AllowedLinks;
pub use name::{DEFAULT_BOARD, ORCHESTRATOR};

use crate::disk::{self, Access, Contents, Entry, Folder, Links, ReadError, read_small};
use error::io_error;
use links::{first_link, follow};
use name::{inside, is_overview, stem};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The greatest size of a board, in bytes: about 30,000 rows.
///
/// What is read of a vault is not trusted, and is held in memory several
/// times over while it is merged.
pub const MAX_BOARD_BYTES: u64 = 4 * 1024 * 1024;

const NEW_MODE: u32 = 0o644;

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

    /// Reads the board, to look at it; `None` if it does not exist.
    pub fn read(&self) -> Result<Option<Contents>, ReadError> {
        read_small(&self.target, MAX_BOARD_BYTES, Links::Refuse)
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
