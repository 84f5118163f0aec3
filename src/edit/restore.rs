//! Putting back the rows of the last backup: a join, so newer rows stay.

use super::board_edit::{BoardEdit, Change, StartedFrom};
use super::error::{EditError, unreadable};
use super::options::EditOptions;
use super::refusal::{Refusal, text};
use super::row_backups::Backups;
use crate::board::{Board, join_rows};
use crate::commit::End;
use crate::config::vault::BoardPlace;
use crate::config::vault::MAX_BOARD_BYTES;
use crate::disk::{Entry, Links, read_small};

/// Puts back the rows of the last backup, except those of which the board has newer versions.
#[derive(Debug)]
pub struct Restore {
    rows: String,
    /// The backup that the rows come from; gone once the board has them.
    pub backup: Entry,
}

impl Restore {
    /// Reads the last backup of a board; `None` if it has no backup.
    ///
    /// # Errors
    ///
    /// The backup cannot be read.
    pub fn last(place: &BoardPlace) -> Result<Option<Self>, EditError> {
        let Some(backup) = Backups::of(place).all().pop() else {
            return Ok(None);
        };
        let path = backup.path();
        let read =
            read_small(&backup, MAX_BOARD_BYTES, Links::Refuse).map_err(unreadable(&path))?;
        let Some(read) = read else {
            return Ok(None);
        };
        let rows = text(&read.bytes).map_err(|why| EditError::Refused(why.note(&path)))?;
        Ok(Some(Self {
            rows: rows.into_owned(),
            backup,
        }))
    }
}

impl BoardEdit for Restore {
    fn apply<'b>(
        &'b mut self,
        board: &mut Board<'b>,
        _start: StartedFrom,
        _options: &EditOptions,
    ) -> Result<Change, Refusal> {
        let joined = join_rows(board, &Board::parse(&self.rows));
        let changed = joined.rows != board.rows;
        *board = joined;
        Ok(Change::made_if(changed))
    }

    fn finish(&mut self, end: &End<Refusal>, options: &EditOptions) {
        if matches!(end, End::Written | End::Unchanged) {
            Backups::of(options.place).discard(&self.backup);
        }
    }
}
