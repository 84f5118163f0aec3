//! Creating the board that a vault starts with, and removing it while it is still empty.

use super::board_edit::{BoardEdit, Change, StartedFrom};
use super::error::{EditError, unreadable};
use super::options::EditOptions;
use super::refusal::{Refusal, text};
use super::run::under_lock;
use crate::board::Board;
use crate::commit::{CommitError, Latch};
use crate::config::vault::BoardPlace;
use crate::disk::{self, Attempt, KernelLock};
use crate::lock::LockFiles;

/// Creates an empty board; an existing one stays.
#[derive(Clone, Copy, Debug)]
pub struct Create;

impl BoardEdit for Create {
    fn apply<'b>(
        &'b mut self,
        _board: &mut Board<'b>,
        start: StartedFrom,
        _options: &EditOptions,
    ) -> Result<Change, Refusal> {
        Ok(Change::made_if(start == StartedFrom::Nothing))
    }
}

/// Removes a board without rows or notes, with the files of its locks and the
/// folders of both if that was all in them; false if the board says something,
/// or does not exist.
///
/// # Errors
///
/// The board cannot be read or removed, or an interrupt ended the wait.
pub fn remove_empty(options: &EditOptions) -> Result<bool, EditError> {
    let place = options.place;
    let is_gone = remove_board(options)?;
    if is_gone {
        let gate = LockFiles::open(&place.lock()).ok().flatten();
        let latch = place.orchestrator().ok();
        let latch = latch.map(|folder| folder.entry(place.latch_name()));
        for path in [gate.map(|files| files.gate), latch].into_iter().flatten() {
            // Whoever queues for one finds that its name is gone, and opens it anew.
            if let Attempt::Taken(_held) =
                KernelLock::try_take(&path, place.mode, "gate.open", "gate.lock")
            {
                let _ = disk::remove("file.unlink", &path);
            }
        }
        // It fails where anything else is in there, which is the point.
        let _ = disk::remove_folder("file.unlink", &place.folder);
    }
    Ok(is_gone)
}

fn remove_board(options: &EditOptions) -> Result<bool, EditError> {
    let remove = || -> Result<bool, EditError> {
        let place = options.place;
        let _latch = Latch::take(&place.latch(), place.mode, options.latch);
        if !is_empty_board(place)? {
            return Ok(false);
        }
        let failed = |source| CommitError::Io {
            doing: "remove",
            path: place.target.clone(),
            source,
        };
        let board = place.entry().map_err(failed)?;
        disk::remove("file.unlink", &board).map_err(failed)?;
        if let Some(folder) = place.target.parent() {
            let _ = disk::remove_folder("file.unlink", folder);
        }
        Ok(true)
    };
    under_lock(options, |_| remove())?.0
}

/// Returns whether there is a board at `path` without rows or notes.
///
/// # Errors
///
/// It cannot be read.
pub fn is_empty_board(place: &BoardPlace) -> Result<bool, EditError> {
    let read = place.read().map_err(unreadable(&place.target))?;
    let Some(Ok(current)) = read.as_ref().map(|read| text(&read.bytes)) else {
        return Ok(false);
    };
    let board = Board::parse(&current);
    let (Some(created), Some(updated)) = (board.created(), board.updated()) else {
        return Ok(false);
    };
    let mut empty = Board::empty(created);
    if board.is_shared() {
        empty.declare_shared();
    }
    Ok(empty.render(updated) == current)
}
