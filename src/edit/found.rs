//! The board that a vault starts with, and taking it away while it is that.

use super::locked::{Session, under_lock};
use super::refusal::{refusal, text};
use super::{Refusal, UpdateError};
use crate::Timestamp;
use crate::board::{Board, join_rows};
use crate::commit::{CommitError, CommitOptions, Displaced, Document, Edit, LIMIT, Latch};
use crate::disk::{self, Attempt, KernelLock, read_regular};
use crate::lock::LockFiles;
use std::path::Path;

/// Removes a board that says nothing yet, with the files of its locks and the
/// folders of both if that was all in them; false if the board says something,
/// or there is none.
pub fn abandon(session: Session) -> Result<bool, UpdateError> {
    let place = session.place;
    let lock = session.lock.lock_file.clone();
    let is_gone = remove_blank(session)?;
    if is_gone {
        let gate = LockFiles::of(&lock.unwrap_or_else(|| place.lock())).gate;
        for path in [gate, place.latch()] {
            // Whoever queues for one finds that its name is gone, and opens it anew.
            if let Attempt::Taken(_held) = KernelLock::try_take(&path, "gate.open", "gate.lock") {
                let _ = disk::remove("file.unlink", &path);
            }
        }
        // It fails where anything else is in there, which is the point.
        let _ = disk::remove_folder("file.unlink", &place.folder);
    }
    Ok(is_gone)
}

fn remove_blank(session: Session) -> Result<bool, UpdateError> {
    let place = session.place;
    let remove = |options: CommitOptions| -> Result<bool, UpdateError> {
        let _latch = Latch::take(&place.latch(), options.latch);
        if !is_blank(&place.target)? {
            return Ok(false);
        }
        let failed = |source| CommitError::Io {
            doing: "remove",
            path: place.target.clone(),
            source,
        };
        disk::remove("file.unlink", &place.target).map_err(failed)?;
        if let Some(folder) = place.target.parent() {
            let _ = disk::remove_folder("file.unlink", folder);
        }
        Ok(true)
    };
    under_lock(session, remove)?.0
}

/// Says whether the board at `path` is there, and says nothing.
pub fn is_blank(path: &Path) -> Result<bool, UpdateError> {
    let read = read_regular(path, LIMIT).map_err(|source| CommitError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    let Some(Ok(current)) = read.as_ref().map(|read| text(&read.bytes)) else {
        return Ok(false);
    };
    let board = Board::parse(current);
    let (Some(created), Some(updated)) = (board.created(), board.updated()) else {
        return Ok(false);
    };
    let mut empty = Board::empty(created);
    if board.is_shared() {
        empty.declare_shared();
    }
    Ok(empty.render(updated) == current)
}

/// Puts an empty board in place, as a document of a commit; one that is there stays.
pub struct Founding {
    /// The time of its foundation.
    pub now: Timestamp,
}

impl Document for Founding {
    type Refusal = Refusal;

    fn refusal(&self, content: &[u8]) -> Option<Refusal> {
        refusal(content)
    }

    fn edit(&mut self, current: Option<&[u8]>) -> Edit<Refusal> {
        match current {
            Some(_) => Edit::Unchanged,
            None => Edit::Write(Board::empty(self.now).render(self.now).into_bytes()),
        }
    }

    /// Joins the leftover of a crash; a first board displaces nothing.
    fn join(&self, displaced: &[u8], written: &[u8], _when: Displaced) -> Vec<u8> {
        let (Ok(displaced), Ok(written)) = (text(displaced), text(written)) else {
            return written.to_vec();
        };
        let (displaced, written) = (Board::parse(displaced), Board::parse(written));
        let updated = written.updated().max(displaced.updated());
        join_rows(&written, &displaced)
            .render(updated.unwrap_or(self.now))
            .into_bytes()
    }
}
