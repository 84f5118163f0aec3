//! One edit of a board: what it changes, and how others' writes are joined.

use super::options::EditOptions;
use super::refusal::{self, Refusal, text};
use super::report::{Action, Report};
use crate::board::{Board, Slot, join, join_all, to_bytes};
use crate::commit::{Displaced, Document, EditOutcome, End};
use std::borrow::Cow;

/// One edit of a board; [`run`](super::run()) does everything else.
pub trait BoardEdit {
    /// Prepares before the lock is acquired; whatever is slow belongs here.
    fn prepare(&mut self, _options: &EditOptions) {}

    /// Reads the text of what may be a board. A text that had to be mended (one of
    /// other bytes) counts as a change.
    ///
    /// # Errors
    ///
    /// It is not a text, or cannot be mended.
    fn read<'t>(&self, bytes: &'t [u8], _options: &EditOptions) -> Result<Cow<'t, str>, Refusal> {
        text(bytes)
    }

    /// Changes the board in memory, under the latch. It may be called again, with
    /// a newer board; a dry run calls it, too.
    ///
    /// # Errors
    ///
    /// The board must stay as it is.
    fn apply<'b>(
        &'b mut self,
        board: &mut Board<'b>,
        start: StartedFrom,
        options: &EditOptions,
    ) -> Result<Change, Refusal>;

    /// Backs up what the write is about to remove; under the latch.
    ///
    /// # Errors
    ///
    /// It cannot be kept, so nothing must be written.
    fn before_write(
        &mut self,
        _current: Option<&[u8]>,
        _options: &EditOptions,
    ) -> Result<(), Refusal> {
        Ok(())
    }

    /// Joins a board that was displaced with the one that displaced it.
    fn join<'b>(
        &'b self,
        displaced: Board<'b>,
        written: Board<'b>,
        when: Displaced,
        options: &EditOptions,
    ) -> Board<'b> {
        join_displaced(&displaced, &written, &[], when, options)
    }

    /// Whether a write that an editor saved over meanwhile is done once more:
    /// for edits that change nothing when they are done twice.
    fn is_repeatable(&self) -> bool {
        false
    }

    /// Looks, without the lock, whether the board says already what this edit
    /// is for.
    fn is_done(&self, _options: &EditOptions) -> bool {
        false
    }

    /// Cleans up, once the outcome of the edit is known; still under the lock.
    fn finish(&mut self, _end: &End<Refusal>, _options: &EditOptions) {}

    /// Adds to the report what only this edit knows.
    fn complete(&self, _report: &mut Report) {}
}

/// The state from which an edit starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartedFrom {
    /// A board.
    Board,
    /// No file: the board is a new, empty one.
    Nothing,
}

/// The answer to whether an edit changed anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The board must be written.
    Made,
    /// It stays untouched.
    None,
}

impl Change {
    /// Returns that something changed if `changed`.
    pub fn made_if(changed: bool) -> Self {
        if changed { Self::Made } else { Self::None }
    }
}

/// Joins a displaced board with the one that displaced it, whose rows in the
/// `fresh` slots are as new as this edit.
pub(super) fn join_displaced<'b>(
    displaced: &Board<'b>,
    written: &Board<'b>,
    fresh: &[Slot<'_>],
    when: Displaced,
    options: &EditOptions,
) -> Board<'b> {
    match when {
        Displaced::ByCrash => join_all(written, displaced),
        Displaced::JustNow { expected } => {
            let joined = join(displaced, written, fresh, options.now);
            if is_persons_edit(displaced, expected, written) {
                joined
            } else {
                join_all(&joined, written)
            }
        }
    }
}

/// Returns whether a person made `displaced` out of the very board that was expected.
///
/// Only then are its lines later than ours, and ours may go. Every program
/// sets `updated:`, a person does not; a writer with an older base, or one
/// whose lines we have joined already, must not take a line away that it has
/// never seen (docs/model.md).
fn is_persons_edit(displaced: &Board, expected: &[u8], written: &Board) -> bool {
    let Ok(expected) = text(expected) else {
        return false;
    };
    let expected = Board::parse(&expected);
    expected.updated() == displaced.updated() && expected.has_lines_of(written)
}

/// A [`BoardEdit`] as the document of a commit.
pub(super) struct EditedBoard<'e, E> {
    edit: &'e mut E,
    options: &'e EditOptions<'e>,
    /// How many rows the board had when it was last edited.
    rows: Option<usize>,
    /// Whether its rows told hosts apart.
    shared: bool,
    /// Whether it had a text but no table that could be read.
    pub had_no_table: bool,
}

impl<'e, E: BoardEdit> EditedBoard<'e, E> {
    pub fn new(edit: &'e mut E, options: &'e EditOptions<'e>) -> Self {
        Self {
            edit,
            options,
            rows: None,
            shared: false,
            had_no_table: false,
        }
    }

    /// Edits a board in memory; `None` if nothing changes.
    pub fn change(&mut self, current: Option<&[u8]>) -> Result<Option<Vec<u8>>, Refusal> {
        let options = self.options;
        let text = current
            .map(|bytes| self.edit.read(bytes, options))
            .transpose()?;
        let (mut board, found) = match &text {
            Some(text) => (refusal::board(text)?, StartedFrom::Board),
            None => (Board::empty(options.now), StartedFrom::Nothing),
        };
        self.had_no_table |= !board.has_table();
        let change = self.edit.apply(&mut board, found, options)?;
        self.rows = Some(board.rows.len());
        self.shared = board.is_shared();
        let rendered = (change == Change::Made).then(|| board.render(options.now));
        let mended = || match text {
            Some(Cow::Owned(text)) => Some(to_bytes(text)).filter(|it| current != Some(&it[..])),
            _ => None,
        };
        Ok(rendered.map(to_bytes).or_else(mended))
    }

    /// Makes the report of the edit.
    pub fn report(&self, action: Action, note: Option<String>) -> Report {
        let mut report = Report {
            rows: self.rows,
            shared: self.shared,
            note,
            ..Report::new(action, &self.options.place.board)
        };
        self.edit.complete(&mut report);
        report
    }

    /// Cleans up after the commit.
    pub fn finish(&mut self, end: &End<Refusal>) {
        self.edit.finish(end, self.options);
    }
}

impl<E: BoardEdit> Document for EditedBoard<'_, E> {
    type Refusal = Refusal;

    fn refusal(&self, content: &[u8]) -> Option<Refusal> {
        let text = self.edit.read(content, self.options);
        text.and_then(|text| refusal::board(&text).map(drop)).err()
    }

    fn looks_again(&self) -> bool {
        self.edit.is_repeatable()
    }

    fn edit(&mut self, current: Option<&[u8]>) -> EditOutcome<Refusal> {
        let text = match self.change(current) {
            Ok(Some(text)) => text,
            Ok(None) => return EditOutcome::Unchanged,
            Err(refusal) => return EditOutcome::Refuse(refusal),
        };
        match self.edit.before_write(current, self.options) {
            Ok(()) => EditOutcome::Write(text),
            Err(refusal) => EditOutcome::Refuse(refusal),
        }
    }

    fn join(&self, displaced: &[u8], written: &[u8], when: Displaced) -> Vec<u8> {
        let read = |bytes| self.edit.read(bytes, self.options);
        // Neither is refused, so both are boards.
        let (Ok(displaced), Ok(own)) = (read(displaced), read(written)) else {
            return written.to_vec();
        };
        let (displaced, own) = (Board::parse(&displaced), Board::parse(&own));
        let updated = displaced.updated().max(own.updated());
        let board = self.edit.join(displaced, own, when, self.options);
        let updated = updated.max(board.updated()).unwrap_or(self.options.now);
        to_bytes(board.render(updated))
    }
}
