//! Reading a board: what is ours in a note, and everything else as it is.

use super::columns::Columns;
use super::condition::{Condition, Fault, condition, fault, has_too_many_cells};
use super::field::Field;
use super::frontmatter::Frontmatter;
use super::row::Row;
use super::shown_lines::ends_hidden;
use super::slot::Slot;
use super::table::{Table, ending};
use crate::Timestamp;
use std::borrow::Cow;

/// A board: its rows, and the text around its table as it is.
#[derive(Clone, Debug)]
pub struct Board<'a> {
    /// The rows, in the order in which they were read or added.
    pub rows: Vec<Row<'a>>,
    pub(super) bom: bool,
    pub(super) frontmatter: Frontmatter<'a>,
    pub(super) above: Cow<'a, str>,
    pub(super) columns: Columns<'a>,
    /// Whether the document has a table, be it one without rows.
    pub(super) tabled: bool,
    pub(super) below: Cow<'a, str>,
    pub(super) eol: &'static str,
    pub(super) fault: Option<Fault>,
    /// The length of the text that was read, to render without growing.
    pub(super) size: usize,
}

impl<'a> Board<'a> {
    /// Reads a board, borrowing from its text; any text is some board.
    pub fn parse(text: &'a str) -> Self {
        let (bom, body) = match text.strip_prefix('\u{feff}') {
            Some(body) => (true, body),
            None => (false, text),
        };
        let (frontmatter, body) = Frontmatter::split(body);
        let mut board = Self {
            rows: Vec::new(),
            bom,
            eol: frontmatter.first_line().map_or("\n", ending),
            frontmatter,
            above: Cow::Borrowed(body),
            columns: Columns::standard(),
            tabled: false,
            below: Cow::Borrowed(""),
            fault: None,
            size: text.len(),
        };
        if has_too_many_cells(text) {
            board.fault = Some(Fault::Cells);
            return board;
        }
        let table = Table::find(body, Columns::are_a_boards);
        board.fault = fault(text, body, table.as_ref());
        if let Some(table) = table {
            board.eol = ending(table.header);
            board.above = Cow::Borrowed(table.before);
            board.below = Cow::Borrowed(table.after);
            board.columns = Columns::read(&table);
            board.tabled = true;
            // A row has rarely less than 64 bytes: one allocation is enough.
            board.rows.reserve(table.body.len() / 64);
            let rows = table.rows().map(|line| board.columns.read_row(line));
            board.rows.extend(rows);
        } else if ends_hidden(body) {
            // A table appended to an unclosed code fence would be code.
            std::mem::swap(&mut board.above, &mut board.below);
        }
        board
    }

    /// Makes the board that a vault starts with, as the peers write it.
    pub fn empty(created: Timestamp) -> Board<'static> {
        let mut board = Board::parse(
            "\n# Active Sessions\n\n> Live session-status board. \
             Generator-owned — do not hand-edit.\n\n",
        );
        board.frontmatter = Frontmatter::new(created);
        board.tabled = true;
        board
    }

    /// Returns the condition of a text, without reading its rows.
    pub fn condition_of(text: &str) -> Condition {
        if has_too_many_cells(text) {
            return Condition::TooManyCells;
        }
        let unmarked = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (frontmatter, body) = Frontmatter::split(unmarked);
        let table = Table::find(body, Columns::are_a_boards);
        condition(fault(text, body, table.as_ref()), &frontmatter)
    }

    /// Returns the document's condition; only [`Condition::Ours`] may be written.
    pub fn condition(&self) -> Condition {
        condition(self.fault, &self.frontmatter)
    }

    /// Returns whether it has a table that is read as ours.
    pub fn has_table(&self) -> bool {
        self.tabled
    }

    /// Returns whether somebody declared that several hosts share it.
    ///
    /// A `Host` column alone does not: session-orchestrator 5.4 gives one to
    /// every board, and knows rows by their key only.
    pub fn is_shared(&self) -> bool {
        self.frontmatter.is_shared()
    }

    /// Returns whether its rows name their hosts.
    pub fn has_hosts(&self) -> bool {
        self.columns.has(Field::Host)
    }

    /// Declares that several hosts share the board, and adds the `Host` column.
    ///
    /// Gives false if it was declared already.
    pub fn declare_shared(&mut self) -> bool {
        let new = !self.is_shared();
        self.frontmatter.declare_shared();
        self.columns.add(Field::Host);
        new
    }

    /// Returns a row's identity in a merge of this board.
    pub fn slot_of<'r>(&self, row: &'r Row<'_>) -> Slot<'r> {
        row.slot(self.is_shared())
    }

    /// Returns the titles of the columns that are not ours, in the order of
    /// [`Row::extra`].
    pub fn extra_titles(&self) -> impl Iterator<Item = &str> {
        self.columns.extra_titles()
    }

    /// Returns the time at which the board says it was created.
    pub fn created(&self) -> Option<Timestamp> {
        self.frontmatter.time("created")
    }

    /// Returns the time at which the board says it was last written.
    pub fn updated(&self) -> Option<Timestamp> {
        self.frontmatter.time("updated")
    }
}
