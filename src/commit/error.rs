//! Why a commit failed.

use super::ROUNDS;
use crate::disk::ReadError;
use std::io;
use std::path::{Path, PathBuf};

/// Says why a commit failed; the board is whole, with or without the change.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The board cannot be read as one.
    #[error("cannot read the board `{}`: {source}; move it away, or name another with --board", .path.display())]
    Unreadable {
        /// The board.
        path: PathBuf,
        /// Why not.
        source: ReadError,
    },
    /// The board has not been downloaded.
    #[error("the board `{}` is in iCloud but not on this disk: open it once, then try again", .0.display())]
    NotDownloaded(PathBuf),
    /// The operating system refused a write.
    #[error("cannot {doing} `{}`: {source}", .path.display())]
    Io {
        /// What could not be done.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Outsiders wrote faster than we could join.
    #[error("the board `{}` changed {ROUNDS} times while it was being written; try again", .0.display())]
    Contended(PathBuf),
}

/// Words an I/O error: what could not be done, to which file.
pub(super) fn io_at(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CommitError {
    move |source| CommitError::Io {
        doing,
        path: path.to_owned(),
        source,
    }
}
