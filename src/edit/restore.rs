//! Putting back the rows of the last backup: a join, so newer rows stay.

use super::backups::{BACKUPS, backups, discard};
use super::locked::{Edited, Session, edit};
use super::prune::{join_boards, unreadable};
use super::refusal::{refusal, text};
use super::{Refusal, UpdateError};
use crate::Timestamp;
use crate::board::{Board, join_rows};
use crate::commit::{Displaced, Document, Edit, End, LIMIT};
use crate::disk::read_regular;
use std::path::PathBuf;

/// Reports what was put back.
#[derive(Debug)]
pub struct Restored {
    /// What the edit came to; `None` if it was not to be done.
    pub edited: Option<Edited<Refusal>>,
    /// The backup that the rows came from; gone once the board has them.
    pub backup: PathBuf,
}

/// Puts the rows of the last backup back, but for those that the board has newer;
/// `None` if there is no backup.
pub fn restore(
    session: Session,
    now: Timestamp,
    dry_run: bool,
) -> Result<Option<Restored>, UpdateError> {
    let place = session.place;
    let folder = place.folder.join(BACKUPS);
    let Some(backup) = backups(&folder, &place.stem).pop() else {
        return Ok(None);
    };
    let Some(read) = read_regular(&backup, LIMIT).map_err(unreadable(&backup))? else {
        return Ok(None);
    };
    let kept = text(&read.bytes).map_err(|why| UpdateError::Refused(why.note(&backup)))?;
    let kept = &Board::parse(kept);
    if dry_run {
        let edited = None;
        return Ok(Some(Restored { edited, backup }));
    }
    let edited = edit(session, &mut Restoring { kept, now })?;
    if matches!(edited.end, End::Written | End::Unchanged) {
        discard(&backup);
    }
    let edited = Some(edited);
    Ok(Some(Restored { edited, backup }))
}

/// Puts rows back.
struct Restoring<'a> {
    kept: &'a Board<'a>,
    now: Timestamp,
}

impl Document for Restoring<'_> {
    type Refusal = Refusal;

    fn refusal(&self, content: &[u8]) -> Option<Refusal> {
        refusal(content)
    }

    fn edit(&mut self, current: Option<&[u8]>) -> Edit<Refusal> {
        let board = match current.map(text) {
            None => Board::empty(self.now),
            Some(Ok(text)) => Board::parse(text),
            Some(Err(refusal)) => return Edit::Refuse(refusal),
        };
        let joined = join_rows(&board, self.kept);
        if joined.rows == board.rows {
            Edit::Unchanged
        } else {
            Edit::Write(joined.render(self.now).into_bytes())
        }
    }

    fn join(&self, displaced: &[u8], written: &[u8], when: Displaced) -> Vec<u8> {
        let (Ok(displaced), Ok(written)) = (text(displaced), text(written)) else {
            return written.to_vec();
        };
        let (displaced, written) = (Board::parse(displaced), Board::parse(written));
        join_boards(&displaced, &written, when, self.now)
    }
}
