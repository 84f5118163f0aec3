//! The board as a commit finds it.

use super::Commit;
use super::error::{CommitError, io_at};
use super::staged::Stamp;
use crate::config::vault::MAX_BOARD_BYTES;
use crate::disk::{self, Access, Backoff, Entry, Folder, Links, Patience, ReadError};
use std::io::ErrorKind;
use std::time::Duration;

/// An empty board is one that an editor truncated and has not filled yet, and
/// what the system refuses now it may grant in a moment.
const READ_PATIENCE: Patience = Patience::For(Duration::from_millis(100));

/// The board as it was read.
pub(super) struct Current {
    pub bytes: Vec<u8>,
    pub stamp: Stamp,
    pub access: Option<Access>,
}

impl Commit<'_> {
    /// Opens the board's folder; `None` if it does not exist.
    pub(super) fn board(&mut self) -> Result<Option<Entry>, CommitError> {
        let board = match self.place.entry() {
            Ok(board) => board,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_at("open the folder of", &self.place.board)(error)),
        };
        // Beside the board where the lock's folder is on another file system.
        let id = |folder: &Folder| folder.status().ok().and_then(|status| status.id);
        let ids = (
            id(board.in_folder()),
            self.orchestrator.as_ref().and_then(id),
        );
        self.is_beside |= match ids {
            (Some(one), Some(other)) => !one.same_device(other),
            _ => self.orchestrator.is_none(),
        };
        Ok(Some(board))
    }

    /// Reads the board; `None` if it does not exist.
    pub(super) fn read(&self, board: &Entry) -> Result<Option<Current>, CommitError> {
        let mut backoff = Backoff::new(READ_PATIENCE, Duration::from_millis(5));
        loop {
            match disk::read_small(board, MAX_BOARD_BYTES, Links::Refuse) {
                Ok(Some(contents)) if contents.bytes.is_empty() && backoff.pause() => {}
                Ok(Some(contents)) => {
                    let access = Access::of(&contents.file);
                    return Ok(Some(Current {
                        stamp: Stamp::of(&disk::FileStatus::of(&contents.meta)),
                        access: Some(
                            access.map_err(io_at("read the permissions of", &self.place.board))?,
                        ),
                        bytes: contents.bytes,
                    }));
                }
                Ok(None) if std::fs::symlink_metadata(self.place.placeholder()).is_ok() => {
                    return Err(CommitError::NotDownloaded(self.place.board.clone()));
                }
                Ok(None) => return Ok(None),
                Err(ReadError::Io(_)) if backoff.pause() => {}
                Err(source) => {
                    return Err(CommitError::Unreadable {
                        path: self.place.board.clone(),
                        source,
                    });
                }
            }
        }
    }
}
