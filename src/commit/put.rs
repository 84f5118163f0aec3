//! Putting a content in place: published without clobbering, or exchanged.

use super::document::{Displaced, Document};
use super::error::{CommitError, io_at, is_refusal};
use super::staged::{Staged, StagedName};
use super::swap::Exchange;
use super::{Commit, CommitOptions, Current, ROUNDS};
use crate::config::vault::MAX_BOARD_BYTES;
use crate::disk::{self, Access, Entry, Folder, ReadError};
use std::io::{self, ErrorKind};

/// The outcome of one attempt to put a content in place.
pub(super) enum Put<R> {
    Done,
    /// The board is not what was read: begin again.
    Changed,
    /// The folder of what is staged is on another file system, or takes nothing:
    /// begin again beside the board, where leftovers are too.
    Moved,
    Refused(R),
}

impl Commit<'_> {
    /// Puts the first board in place, without clobbering.
    pub(super) fn publish<R>(&mut self, new: &[u8]) -> Result<Put<R>, CommitError> {
        let board = self.place.create_entry();
        let board = board.map_err(|error| self.failed("create the folder of", error))?;
        let Some(staged) = self.stage(&board, new, &[], None)? else {
            return Ok(Put::Moved);
        };
        let placed = disk::retry_briefly(|| {
            match disk::publish_new("board.publish", &staged.entry, &board) {
                // Half a board cannot be read: where no rename refuses to replace,
                // look first.
                Err(error) if disk::is_unsupported(&error) => {
                    disk::move_new("board.publish", &staged.entry, &board)
                }
                placed => placed,
            }
        });
        match placed {
            // The board is believed rather than the reply.
            Err(_) if staged.is_at(&board) => {
                let _ = staged.discard();
            }
            Ok(()) => {}
            Err(error) => {
                staged.abandon();
                return match error.kind() {
                    ErrorKind::AlreadyExists => Ok(Put::Changed),
                    ErrorKind::CrossesDevices if self.move_beside() => Ok(Put::Moved),
                    _ => Err(self.failed("create", error)),
                };
            }
        }
        self.sync_folder(&board);
        Ok(Put::Done)
    }

    /// Puts `new` in the place of what was read, joining whatever else it displaces.
    pub(super) fn put<D: Document>(
        &mut self,
        document: &mut D,
        board: &Entry,
        mut new: Vec<u8>,
        current: Current,
    ) -> Result<Put<D::Refusal>, CommitError> {
        let Current {
            bytes: mut expected,
            stamp,
            access,
        } = current;
        let mut stamp = Some(stamp);
        let mut is_written = false;
        for _ in 0..ROUNDS {
            let staged = match self.stage(board, &new, &expected, access.as_ref()) {
                Ok(Some(staged)) => staged,
                Ok(None) if is_written => continue,
                Ok(None) => return Ok(Put::Moved),
                // The first swap is done, and what it displaced lies there still.
                Err(error) if is_written => {
                    self.superseded.clear();
                    self.warn(format!(
                        "{error}; the next update joins what another program wrote"
                    ));
                    return Ok(Put::Done);
                }
                Err(error) => return Err(error),
            };
            match self.exchange(board, &staged, stamp.map(|stamp| (stamp, &*expected))) {
                // Whatever is displaced from now on must be joined, not read again.
                Exchange::Done => (is_written, stamp) = (true, None),
                Exchange::Unsupported => {
                    self.has_exchange = false;
                    return self.replace(board, &staged, &expected);
                }
                Exchange::Failed(error) => {
                    if error.kind() == ErrorKind::ResourceBusy {
                        return self.replace(board, &staged, &expected);
                    }
                    staged.abandon();
                    return match error.kind() {
                        ErrorKind::NotFound => Ok(Put::Changed),
                        ErrorKind::CrossesDevices if self.move_beside() => Ok(Put::Moved),
                        _ if is_written => {
                            self.superseded.clear();
                            self.warn(format!("cannot replace the board once more: {error}"));
                            Ok(Put::Done)
                        }
                        _ => Err(self.failed("replace", error)),
                    };
                }
            }
            // What was displaced is looked at first, even if this failed.
            self.sync_folder(board);
            let displaced = match disk::retry_briefly(|| staged.read().map_err(as_io)) {
                Ok(displaced) => displaced,
                Err(error) => return Ok(self.keep_unread(board, &staged, &error)),
            };
            // What another process adopted meanwhile, it has joined.
            let Some(displaced) = displaced else {
                return Ok(Put::Done);
            };
            if displaced == expected {
                self.superseded.push(staged);
                return Ok(Put::Done);
            }
            self.conflicts += 1;
            if let Some(refusal) = document.refusal(&displaced) {
                if let Err(error) = self.swap_back(board, &staged) {
                    self.warn(format!(
                        "a note was at the board's path and cannot be put back: {error}; it is \
                         kept as `{}`, and the next update tries again",
                        staged.entry.path().display()
                    ));
                    return Ok(Put::Done);
                }
                // Empty: an editor has truncated it and not yet written.
                return Ok(if displaced.is_empty() {
                    Put::Changed
                } else {
                    Put::Refused(refusal)
                });
            }
            let when = Displaced::JustNow {
                expected: &expected,
            };
            let joined = document.join(&displaced, &new, when);
            self.superseded.push(staged);
            if joined == new {
                return Ok(Put::Done);
            }
            expected = std::mem::replace(&mut new, joined);
        }
        self.warn("other programs write faster than their changes could be joined".to_owned());
        self.superseded.clear();
        Ok(Put::Done)
    }

    /// Deals with a displaced content that cannot be read.
    ///
    /// A folder, a link or a file larger than any board gets its place back.
    /// What the system does not let us read now, the next commit joins.
    fn keep_unread<R>(&mut self, board: &Entry, staged: &Staged, error: &io::Error) -> Put<R> {
        let path = staged.entry.path();
        let is_foreign = error.get_ref().is_some_and(|inner| inner.is::<ReadError>());
        if is_foreign && disk::exchange("board.swap-back", &staged.entry, board).is_ok() {
            staged.abandon();
            return Put::Changed;
        }
        self.warn(format!(
            "cannot read `{}`, the board's former content: {error}; the next update joins it",
            path.display()
        ));
        Put::Done
    }

    /// Writes a content to be put in place; `None` if it must be done beside the board.
    fn stage(
        &mut self,
        board: &Entry,
        bytes: &[u8],
        base: &[u8],
        like: Option<&Access>,
    ) -> Result<Option<Staged>, CommitError> {
        if bytes.len() as u64 > MAX_BOARD_BYTES {
            return Err(CommitError::TooLarge(self.place.board.clone()));
        }
        match self.write(board, bytes, base, like) {
            Ok(staged) => {
                self.written = staged.stamp;
                Ok(Some(staged))
            }
            Err(error) if is_refusal(&error) && self.move_beside() => Ok(None),
            Err(error) => {
                let folder = self.folder_of(board).0.path();
                Err(io_at("write a new board in", folder)(error))
            }
        }
    }

    fn write(
        &mut self,
        board: &Entry,
        bytes: &[u8],
        base: &[u8],
        like: Option<&Access>,
    ) -> io::Result<Staged> {
        let CommitOptions {
            token, durability, ..
        } = &mut self.options;
        *token = token.successor();
        let name = StagedName {
            stem: &self.place.stem,
            token: *token,
        };
        let durability = *durability;
        Staged::write(self.folder_of(board), &name, bytes, base, like, durability)
    }

    /// Returns the folder of temporaries, and how their names begin there.
    pub(super) fn folder_of<'f>(&'f self, board: &'f Entry) -> (&'f Folder, &'static str) {
        match &self.orchestrator {
            Some(folder) if !self.is_beside => (folder, ""),
            _ => (board.in_folder(), "."),
        }
    }

    /// Stages beside the board from now on; false if it does so already.
    pub(super) fn move_beside(&mut self) -> bool {
        !std::mem::replace(&mut self.is_beside, true)
    }
}

/// Turns an error of reading into an I/O error; the reason why it is not a board stays inside.
fn as_io(error: ReadError) -> io::Error {
    match error {
        ReadError::Io(error) => error,
        error => io::Error::other(error),
    }
}
