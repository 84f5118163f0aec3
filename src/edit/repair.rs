//! A board with git conflict markers as a document of a commit.

use crate::Timestamp;
use crate::aside;
use crate::board::{Board, Origin, join, join_all};
use crate::commit::{Displaced, Document, Edit};
use crate::merge::{NotABoard, repair};
use crate::vault::Place;
use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

/// Says why a board is not repaired; it is as it was.
#[derive(Debug, thiserror::Error)]
pub enum NotRepaired {
    /// There is no board.
    #[error("there is no such board")]
    Missing,
    /// It is nothing that could be repaired.
    #[error("{0}: repair it by hand")]
    NotABoard(NotABoard),
    /// Without a backup nothing is touched.
    #[error("its backup cannot be written: {0}")]
    NoBackup(#[source] io::Error),
}

/// Repairs a board, once what it was lies in `.orchestrator/backups/`.
#[derive(Debug)]
pub struct Repair<'a> {
    place: &'a Place,
    now: Timestamp,
    backed_up: Option<(Vec<u8>, PathBuf)>,
}

impl<'a> Repair<'a> {
    /// Prepares the repair; reads nothing.
    pub fn new(place: &'a Place, now: Timestamp) -> Self {
        Self {
            place,
            now,
            backed_up: None,
        }
    }

    /// Gives the path of the last backup.
    pub fn backup(&self) -> Option<&PathBuf> {
        self.backed_up.as_ref().map(|(_, path)| path)
    }

    /// Backs a content up, unless it is the one that already was.
    fn back_up(&mut self, bytes: &[u8]) -> Result<(), NotRepaired> {
        if self
            .backed_up
            .as_ref()
            .is_none_or(|(last, _)| last != bytes)
        {
            let path = aside::back_up(self.place, bytes).map_err(NotRepaired::NoBackup)?;
            self.backed_up = Some((bytes.to_owned(), path));
        }
        Ok(())
    }

    fn whole<'t>(&self, bytes: &'t [u8]) -> Result<Cow<'t, str>, NotABoard> {
        let text = str::from_utf8(bytes).map_err(|_| NotABoard::NotText)?;
        match Board::origin_of(text) {
            Origin::Ours => Ok(Cow::Borrowed(text)),
            Origin::Handwritten => Err(NotABoard::Handwritten),
            Origin::Conflicted => repair(text, self.now).map(Cow::Owned),
        }
    }
}

impl Document for Repair<'_> {
    type Refusal = NotRepaired;

    fn refusal(&self, content: &[u8]) -> Option<NotRepaired> {
        self.whole(content).err().map(NotRepaired::NotABoard)
    }

    fn edit(&mut self, current: Option<&[u8]>) -> Edit<NotRepaired> {
        let Some(current) = current else {
            return Edit::Refuse(NotRepaired::Missing);
        };
        let text = match self.whole(current) {
            Ok(Cow::Borrowed(_)) => return Edit::Unchanged,
            Ok(Cow::Owned(text)) => text,
            Err(why) => return Edit::Refuse(NotRepaired::NotABoard(why)),
        };
        match self.back_up(current) {
            Ok(()) => Edit::Write(text.into_bytes()),
            Err(refusal) => Edit::Refuse(refusal),
        }
    }

    fn join(&self, displaced: &[u8], written: &[u8], when: Displaced) -> Vec<u8> {
        // Neither is refused, so both are boards.
        let (Ok(displaced), Ok(written)) = (self.whole(displaced), self.whole(written)) else {
            return written.to_vec();
        };
        let (displaced, written) = (Board::parse(&displaced), Board::parse(&written));
        let board = match when {
            Displaced::JustNow { .. } => join(&displaced, &written, &[], self.now),
            Displaced::ByCrash => join_all(&written, &displaced),
        };
        board
            .render(board.updated().unwrap_or(self.now))
            .into_bytes()
    }
}
