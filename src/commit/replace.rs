//! Putting a board in place where nothing can be exchanged.

use super::Commit;
use super::error::CommitError;
use super::put::Put;
use super::staged::{Staged, Stamp};
use super::swap::holds;
use crate::config::vault::MAX_BOARD_BYTES;
use crate::disk::{self, Entry, Links};
use std::io::ErrorKind;

impl Commit<'_> {
    /// Compares just before a plain rename.
    pub(super) fn replace<R>(
        &mut self,
        board: &Entry,
        staged: &Staged,
        expected: &[u8],
    ) -> Result<Put<R>, CommitError> {
        let now = disk::read_small(board, MAX_BOARD_BYTES, Links::Refuse);
        let now = now.map_err(|source| {
            staged.abandon();
            CommitError::Unreadable {
                path: self.place.board.clone(),
                source,
            }
        })?;
        if now.is_none_or(|now| now.bytes != expected) {
            // Not removed unread: the exchange before may have been done after all.
            staged.abandon();
            return Ok(Put::Changed);
        }
        let replaced = disk::retry_briefly(|| disk::replace("board.replace", &staged.entry, board));
        match replaced {
            Ok(()) => {}
            Err(_) if staged.is_at(board) => {}
            // Another process has taken ours for a leftover, or the board is gone.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                staged.abandon();
                return Ok(Put::Changed);
            }
            Err(error) if error.kind() == ErrorKind::ResourceBusy => {
                return self.write_in_place(board, staged);
            }
            Err(error) => {
                staged.abandon();
                return match error.kind() {
                    ErrorKind::CrossesDevices if self.move_beside() => Ok(Put::Moved),
                    _ => Err(self.failed("replace", error)),
                };
            }
        }
        self.sync_folder(board);
        Ok(Put::Done)
    }

    /// Writes over the board's own bytes: it can be neither exchanged nor
    /// replaced, as a single file that is mounted cannot.
    ///
    /// A reader may see half of it. Should we die meanwhile, the journal, which
    /// is what was staged, holds the whole.
    fn write_in_place<R>(&mut self, board: &Entry, staged: &Staged) -> Result<Put<R>, CommitError> {
        let new = match staged.read() {
            Ok(Some(new)) => new,
            _ => return Ok(Put::Changed),
        };
        let journal = match staged.to_journal() {
            Ok(journal) => journal,
            Err(error) => {
                staged.abandon();
                return Err(self.failed("replace", error));
            }
        };
        match disk::write_over("board.write-over", board, &new, self.options.durability) {
            Ok(status) => {
                self.written = Some(Stamp::of(&status));
                let _ = journal.discard();
                let path = self.place.board.display();
                self.warn(format!(
                    "`{path}` cannot be replaced, as a file that is mounted by itself cannot: \
                     it was written in place"
                ));
                Ok(Put::Done)
            }
            // It is there, and only the disk's word for it is missing.
            Err(error) if holds(board, &new) => {
                self.written = disk::status(board).ok().map(|status| Stamp::of(&status));
                let _ = journal.discard();
                self.warn(format!(
                    "cannot sync `{}`: {error}; a power cut may lose what was written",
                    self.place.board.display()
                ));
                Ok(Put::Done)
            }
            // The journal stays: the next commit restores the whole from it.
            Err(error) => Err(self.failed("write", error)),
        }
    }
}
