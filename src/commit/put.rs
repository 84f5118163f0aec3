//! Putting a content in place: published, exchanged, or, where nothing can be
//! exchanged, compared and replaced.

use super::document::{Displaced, Document};
use super::error::{CommitError, io_at};
use super::staged::{LIMIT, Staged, Stamp};
use super::{Commit, CommitOptions, ROUNDS};
use crate::disk;
use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Says how one attempt to put a content in place ended.
pub(super) enum Put<R> {
    Done,
    /// The board is not what was read: begin again.
    Changed,
    /// The folder of what is staged is on another file system: begin again
    /// beside the board, where leftovers are too.
    Moved,
    Refused(R),
}

impl Commit<'_> {
    /// Puts the first board in place, without clobbering.
    pub(super) fn publish<R>(&mut self, new: &[u8]) -> Result<Put<R>, CommitError> {
        let board = &self.place.target;
        let folder = board.parent().unwrap_or(Path::new("."));
        disk::create_folder("folder.create", folder).map_err(io_at("create", folder))?;
        let staged = self.stage(new, &[], None)?;
        let placed = match disk::place_new("board.publish", &staged.path, board) {
            // Half a board is none: where nothing refuses to replace, a look
            // must do.
            Err(error) if disk::is_unsupported(&error) => {
                disk::move_new("board.publish", &staged.path, board)
            }
            placed => placed,
        };
        match placed {
            Ok(()) => self.sync_folder().map(|()| Put::Done),
            Err(error) => {
                staged.abandon();
                match error.kind() {
                    ErrorKind::AlreadyExists => Ok(Put::Changed),
                    ErrorKind::CrossesDevices if self.move_beside() => Ok(Put::Moved),
                    _ => Err(io_at("create", board)(error)),
                }
            }
        }
    }

    /// Puts `new` in the place of `expected`, joining whatever else it displaces.
    pub(super) fn put<D: Document>(
        &mut self,
        document: &mut D,
        mut new: Vec<u8>,
        mut expected: Vec<u8>,
        like: Option<&Metadata>,
    ) -> Result<Put<D::Refusal>, CommitError> {
        let board = self.place.target.clone();
        for _ in 0..ROUNDS {
            let staged = self.stage(&new, &expected, like)?;
            match disk::exchange("board.exchange", &staged.path, &board) {
                Ok(()) => {}
                Err(error) if disk::is_unsupported(&error) => {
                    return self.replace(&staged, &expected);
                }
                Err(error) => {
                    staged.abandon();
                    return match error.kind() {
                        ErrorKind::NotFound => Ok(Put::Changed),
                        ErrorKind::CrossesDevices if self.move_beside() => Ok(Put::Moved),
                        _ => Err(io_at("replace", &board)(error)),
                    };
                }
            }
            // What was displaced is looked at first, even if this failed.
            let synced = self.sync_folder();
            let read = staged.read();
            let path = &staged.path;
            let displaced = read.map_err(|source| CommitError::Unreadable {
                path: path.clone(),
                source,
            })?;
            // What another process adopted meanwhile, it has joined.
            let Some(displaced) = displaced else {
                return synced.map(|()| Put::Done);
            };
            if displaced == expected {
                self.superseded.push(staged);
                return synced.map(|()| Put::Done);
            }
            self.conflicts += 1;
            if let Some(refusal) = document.refusal(&displaced) {
                self.swap_back(&staged)?;
                // Empty: an editor is between its truncation and its write.
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
                return synced.map(|()| Put::Done);
            }
            expected = std::mem::replace(&mut new, joined);
        }
        Err(CommitError::Contended(self.place.board.clone()))
    }

    /// Where nothing can be exchanged: compares just before a plain rename.
    fn replace<R>(&mut self, staged: &Staged, expected: &[u8]) -> Result<Put<R>, CommitError> {
        let board = &self.place.target;
        let now = disk::read_regular(board, LIMIT).map_err(|source| CommitError::Unreadable {
            path: board.clone(),
            source,
        })?;
        if now.is_none_or(|now| now.bytes != expected) {
            let _ = staged.discard();
            return Ok(Put::Changed);
        }
        match disk::replace("board.replace", &staged.path, board) {
            Ok(()) => self.sync_folder().map(|()| Put::Done),
            // Another process has taken ours for a leftover.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Put::Changed),
            Err(error) => {
                staged.abandon();
                Err(io_at("replace", board)(error))
            }
        }
    }

    /// Gives a displaced content its place back, and removes ours.
    ///
    /// If someone wrote over ours meanwhile, that write is the last, and stays.
    pub(super) fn swap_back(&mut self, staged: &Staged) -> Result<(), CommitError> {
        let board = &self.place.target;
        let now = disk::read_regular(board, LIMIT).ok().flatten();
        if now.is_none_or(|now| !staged.is_made_of(&now.bytes)) {
            self.keep(staged);
            return Ok(());
        }
        let swap = || {
            disk::exchange("board.swap-back", &staged.path, board).map_err(io_at("restore", board))
        };
        swap()?;
        match staged.read() {
            Ok(Some(ours)) if staged.is_made_of(&ours) => {
                let _ = staged.discard();
            }
            _ => {
                swap()?;
                self.keep(staged);
            }
        }
        self.sync_folder()
    }

    /// Keeps a content that is not ours to join, out of the way of later commits.
    pub(super) fn keep(&self, staged: &Staged) {
        let kept = staged.path.with_extension("kept.md");
        let _ = disk::move_new("leftover.claim", &staged.path, &kept);
    }

    fn stage(
        &mut self,
        bytes: &[u8],
        base: &[u8],
        like: Option<&Metadata>,
    ) -> Result<Staged, CommitError> {
        let (staged, stamp) = match self.write(bytes, base, like) {
            // Nothing can be put in there: beside the board, then, if it can be
            // written at all.
            Err(error) if is_refusal(&error) && self.move_beside() => self.write(bytes, base, like),
            written => written,
        }
        .map_err(io_at("write a new board in", &self.folder))?;
        self.written = Some(stamp);
        Ok(staged)
    }

    fn write(
        &mut self,
        bytes: &[u8],
        base: &[u8],
        like: Option<&Metadata>,
    ) -> io::Result<(Staged, Stamp)> {
        let CommitOptions { token, sync, .. } = &mut self.options;
        *token = token.successor();
        let name = (&*self.place.stem, *token);
        Staged::write(&self.folder, name, bytes, base, like, *sync)
    }

    /// Stages beside the board from now on; false if it does so already.
    fn move_beside(&mut self) -> bool {
        let beside = self
            .place
            .target
            .parent()
            .unwrap_or(Path::new("."))
            .to_owned();
        std::mem::replace(&mut self.folder, beside.clone()) != beside
    }

    fn sync_folder(&self) -> Result<(), CommitError> {
        if !self.options.sync {
            return Ok(());
        }
        let folder = self.place.target.parent().unwrap_or(Path::new("."));
        disk::sync_folder("board.sync-folder", folder).map_err(io_at("sync", folder))
    }
}

/// Says whether an error is the folder's own: no such, none, or not for us.
fn is_refusal(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::NotFound
            | ErrorKind::NotADirectory
    )
}
