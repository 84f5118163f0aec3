//! The errors of an edit: why it could not be tried, or did not succeed.

use crate::commit::CommitError;
use crate::disk::ReadError;
use std::path::{Path, PathBuf};

/// The error of an edit; the board is intact, and as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The board cannot be edited.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The board's bytes are not text.
    #[error("the board `{}` is not UTF-8 text ({at}); move it away, or name another with --board", .path.display())]
    NotText {
        /// The board.
        path: PathBuf,
        /// Where the first wrong byte is.
        at: String,
    },
    /// A signal ended the wait for the lock.
    #[error("interrupted while waiting for the lock `{}`; nothing was written", .0.display())]
    Interrupted(PathBuf),
    /// A file that should be a board, or rows of one, is not; the whole sentence.
    #[error("{0}")]
    Refused(String),
}

/// Words a failed reading of the file at `path`.
pub(super) fn unreadable(path: &Path) -> impl FnOnce(ReadError) -> EditError {
    move |source| {
        EditError::Commit(CommitError::Unreadable {
            path: path.to_owned(),
            source,
        })
    }
}
