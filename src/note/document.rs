//! A note as a document of a commit.

use super::edit::RowEdit;
use super::find::NotFound;
use crate::archive;
use crate::board::{has_conflict, to_bytes, to_text};
use crate::commit::{Displaced, Document, EditOutcome};
use crate::config::vault::BoardPlace;
use std::borrow::Cow;
use std::cell::RefCell;
use std::path::PathBuf;

/// Changes one row of a note.
///
/// What an outsider wrote meanwhile is joined by changing its row, too: a keyed
/// edit means the same on every version of a note.
#[derive(Debug)]
pub struct NoteDocument<'a> {
    place: &'a BoardPlace,
    edit: &'a RowEdit,
    /// Why the edit means nothing on what an outsider wrote meanwhile.
    missed: RefCell<Option<NotFound>>,
    kept: RefCell<Vec<PathBuf>>,
}

impl<'a> NoteDocument<'a> {
    /// Prepares the edit; reads nothing.
    pub fn new(place: &'a BoardPlace, edit: &'a RowEdit) -> Self {
        Self {
            place,
            edit,
            missed: RefCell::default(),
            kept: RefCell::default(),
        }
    }

    /// Returns why the row is not in the note, although that was written: an
    /// outsider took away what the row is known by while it was.
    pub fn missed(&self) -> Option<NotFound> {
        self.missed.borrow().clone()
    }

    /// Returns the backups of what crashed processes had displaced.
    pub fn kept(&self) -> Vec<PathBuf> {
        self.kept.borrow().clone()
    }

    fn apply(&self, content: &[u8]) -> Result<Option<Vec<u8>>, NotFound> {
        let edited = self.edit.apply(&text(content)?)?;
        Ok(edited.map(to_bytes))
    }
}

impl Document for NoteDocument<'_> {
    type Refusal = NotFound;

    fn refusal(&self, content: &[u8]) -> Option<NotFound> {
        let text = match text(content) {
            Ok(text) => text,
            Err(refusal) => return Some(refusal),
        };
        has_conflict(&text).then_some(NotFound::Conflicted)
    }

    fn edit(&mut self, current: Option<&[u8]>) -> EditOutcome<NotFound> {
        match current.map(|current| self.apply(current)) {
            None => EditOutcome::Refuse(NotFound::NoNote),
            Some(Ok(None)) => EditOutcome::Unchanged,
            Some(Ok(Some(bytes))) => EditOutcome::Write(bytes),
            Some(Err(refusal)) => EditOutcome::Refuse(refusal),
        }
    }

    /// Changes the row in what was displaced just now; an older one is kept aside.
    ///
    /// What a crashed process displaced was mostly what it had read, which
    /// differs by its own row. Whatever differs by more may be somebody's
    /// lines, whose age nobody knows: they are put in `.orchestrator/backups/`.
    fn join(&self, displaced: &[u8], written: &[u8], when: Displaced) -> Vec<u8> {
        match when {
            Displaced::JustNow { .. } => {
                let applied = self.apply(displaced);
                *self.missed.borrow_mut() = applied.as_ref().err().cloned();
                match applied {
                    Ok(Some(bytes)) => bytes,
                    Ok(None) | Err(_) => displaced.to_vec(),
                }
            }
            Displaced::ByCrash => {
                if !differ_by_one_line(displaced, written) {
                    let kept = archive::back_up(self.place, displaced);
                    self.kept.borrow_mut().extend(kept);
                }
                written.to_vec()
            }
        }
    }
}

fn text(content: &[u8]) -> Result<Cow<'_, str>, NotFound> {
    to_text(content).map_err(|_| NotFound::NotText)
}

/// Returns whether two texts are equal but for one line, which one may lack.
fn differ_by_one_line(one: &[u8], other: &[u8]) -> bool {
    let lines = |text| <[u8]>::split_inclusive(text, |byte| *byte == b'\n').collect::<Vec<_>>();
    let (one, other) = (lines(one), lines(other));
    let pairs = || one.iter().zip(&other);
    let head = pairs().take_while(|(one, other)| one == other).count();
    let (one, other) = (&one[head..], &other[head..]);
    let ends = one.iter().rev().zip(other.iter().rev());
    let tail = ends.take_while(|(one, other)| one == other).count();
    one.len() - tail <= 1 && other.len() - tail <= 1
}
