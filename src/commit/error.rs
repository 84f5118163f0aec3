//! Why a commit failed.

use super::ROUNDS;
use crate::config::vault::MAX_BOARD_BYTES;
use crate::disk::ReadError;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The reason why a commit failed; the board is as it was.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The board cannot be read as one.
    #[error("cannot read the board `{}`: {source}; {}", .path.display(), remedy(.source))]
    Unreadable {
        /// The board.
        path: PathBuf,
        /// Why not.
        source: ReadError,
    },
    /// The board has not been downloaded.
    #[error("the board `{}` is in iCloud but not on this disk: open it once, then try again", .0.display())]
    NotDownloaded(PathBuf),
    /// The board would be too large to be read again.
    #[error("the board `{}` would be larger than {MAX_BOARD_BYTES} bytes: drop old rows with `boardsync prune`", .0.display())]
    TooLarge(PathBuf),
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

/// Suggests what to do about a board that cannot be read. What the operating
/// system refused says nothing about the board itself.
fn remedy(why: &ReadError) -> &'static str {
    match why {
        ReadError::Io(_) => "fix that, then try again",
        ReadError::NotRegular { .. } | ReadError::TooLarge { .. } => {
            "move it away, or name another with --board"
        }
    }
}

/// Describes an I/O error: what could not be done, to which file.
pub(super) fn io_at(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CommitError {
    move |source| CommitError::Io {
        doing,
        path: path.to_owned(),
        source,
    }
}

/// Returns whether an error is the folder's own: no such, none, or not for us.
pub fn is_refusal(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::NotFound
            | ErrorKind::NotADirectory
    )
}
