//! A row: what one repository's session is doing.

use super::cell::{ABSENT, cell_text};
use super::field::Field;
use super::markup::{defuse, plain};
use super::slot::{Identity, Slot, key, lower};
use super::status::Status;
use crate::Timestamp;
use std::borrow::Cow;

/// A row: its cells, and the very line they were read from.
///
/// The line is what a board writes again, so that padding and odd escapes of a
/// row that nobody changed survive. Rows are equal if their cells are. A line
/// means nothing under another board's header: move rows with
/// [`Row::into_owned`] or a join.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The known cells by their [`Field`], as they are written but for pipes.
    cells: [Option<Cow<'a, str>>; Field::COUNT],
    /// The cells of columns that are not ours, then those beyond the header.
    extra: Vec<Cow<'a, str>>,
    line: Option<&'a str>,
}

impl<'a> Row<'a> {
    /// Reads a row from its line and the cells in it.
    pub(super) fn read(
        line: &'a str,
        cells: impl Iterator<Item = (Option<Field>, Cow<'a, str>)>,
    ) -> Self {
        let mut row = Self {
            cells: Default::default(),
            extra: Vec::new(),
            line: Some(line),
        };
        row.cells[Field::Repo as usize] = Some(Cow::Borrowed(""));
        row.cells[Field::Status as usize] = Some(Cow::Borrowed(ABSENT));
        for (field, text) in cells {
            match field {
                Some(field) => row.cells[field as usize] = field.read(text),
                None => row.extra.push(text),
            }
        }
        row
    }

    /// Returns the text of a known cell, as it is shown; a name is never absent.
    pub fn get(&self, field: Field) -> Option<Cow<'_, str>> {
        self.written(field).map(plain)
    }

    /// Returns a known cell as it is written, but for pipes.
    pub(super) fn written(&self, field: Field) -> Option<&str> {
        self.cells[field as usize].as_deref()
    }

    /// Returns the repository's name, whatever it is: `—` is a name here.
    pub fn repo(&self) -> Cow<'_, str> {
        self.get(Field::Repo).unwrap_or_default()
    }

    /// Returns the status, if it is one of the four words.
    pub fn status(&self) -> Option<Status> {
        self.written(Field::Status)?.parse().ok()
    }

    /// Returns the heartbeat, if it can be read.
    pub fn heartbeat(&self) -> Option<Timestamp> {
        Timestamp::parse(self.written(Field::Heartbeat)?)
    }

    /// Returns the cells of columns that are not ours, then those beyond the header.
    pub fn extra(&self) -> &[Cow<'a, str>] {
        &self.extra
    }

    /// Returns the row's identity in a merge; its host counts only on a board
    /// that several hosts share.
    pub(super) fn slot(&self, shared: bool) -> Slot<'_> {
        let identity = match self.written(Field::Key) {
            Some(text) => Identity::Key(key(text).unwrap_or(Cow::Borrowed(text))),
            None => Identity::Name(match self.repo() {
                Cow::Borrowed(repo) => lower(repo),
                Cow::Owned(repo) => Cow::Owned(lower(&repo).into_owned()),
            }),
        };
        let slot = Slot {
            host: None,
            identity,
        };
        slot.on(self.written(Field::Host).filter(|_| shared))
    }

    /// Returns the line that the row was read from, unless it has changed since.
    pub fn line(&self) -> Option<&'a str> {
        self.line
    }

    pub(super) fn forget_line(&mut self) {
        self.line = None;
    }

    /// Replaces one known cell, and forgets the line.
    pub(super) fn set(&mut self, field: Field, text: &str) {
        let text = Cow::Owned(defuse(&cell_text(text)).into_owned());
        self.cells[field as usize] = field.read(text);
        self.line = None;
    }

    /// Replaces the foreign cells; the line stays if that changes nothing.
    pub(super) fn set_extra(&mut self, extra: Vec<Cow<'a, str>>) {
        if self.extra != extra {
            self.extra = extra;
            self.line = None;
        }
    }

    /// Takes a known cell of another row as it is written.
    pub(super) fn copy(&mut self, field: Field, other: &Row<'a>) {
        self.cells[field as usize].clone_from(&other.cells[field as usize]);
        self.line = None;
    }

    /// Detaches the row from the text that it borrows.
    pub fn into_owned(self) -> Row<'static> {
        let own = |cell: Cow<'a, str>| Cow::<'static, str>::Owned(cell.into_owned());
        Row {
            cells: self.cells.map(|cell| cell.map(own)),
            extra: self.extra.into_iter().map(own).collect(),
            line: None,
        }
    }
}

impl Row<'static> {
    /// Makes a row with only a name and a status.
    pub fn new(repo: &str, status: Status) -> Self {
        let row = Self {
            cells: Default::default(),
            extra: Vec::new(),
            line: None,
        };
        row.with(Field::Repo, repo)
            .with(Field::Status, status.word())
    }

    /// Sets one cell; nothing, or a dash, makes it absent.
    ///
    /// The text becomes one line of at most [`MAX_CELL_CHARS`](super::MAX_CELL_CHARS)
    /// characters, in which nothing is live markup.
    #[must_use]
    pub fn with(mut self, field: Field, text: &str) -> Self {
        self.set(field, text);
        self
    }
}

impl PartialEq for Row<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cells == other.cells && self.extra == other.extra
    }
}

impl Eq for Row<'_> {}
