//! The board as a document; pure, no I/O.
//!
//! A board is one table in a markdown note that people may also edit, so it is
//! read as what it is: frontmatter, prose, a table, prose. [`Board::parse`]
//! borrows all of it, the merges touch only the rows that they change, and
//! [`Board::render`] writes every other line back as it was.
//!
//! ```
//! use boardsync::Timestamp;
//! use boardsync::board::{Board, Field, Fresh, Row, Status};
//!
//! let now = Timestamp::parse("2026-11-30T07:00:00.000Z").expect("is RFC 3339");
//! let text = Board::empty(now).render(now);
//!
//! let mut board = Board::parse(&text);
//! let row = Row::new("app", Status::InProgress).with(Field::Key, "1f2e3d4c");
//! let merged = board.upsert(&[Fresh { row, explicit: true }], now);
//! assert!(merged.changed);
//! assert!(board.render(now).ends_with("| app | in-progress | — | — | — | — | 1f2e3d4c |\n"));
//! ```
//!
//! | question | file |
//! |---|---|
//! | whose board is this, and what does its frontmatter say? | `origin`, `frontmatter`, `scalar` |
//! | which lines of a note can be a table at all? | `visible`, `table` |
//! | what is a cell, and what survives in one? | `cell` |
//! | which column is which? | `field`, `columns` |
//! | what is a row, and when are two rows the same one? | `row`, `slot` |
//! | which of two versions of a row is newer? | `version` |
//! | what does an update do to a board? | `merge` |
//! | how does a board become text again? | `render` |
//! | what becomes of a board that was overwritten? | `join` |
//! | what becomes of two boards with a common ancestor? | `three_way`, `prose` |
//! | how do two tables become one? | `wide` |
//! | what are the two versions in a conflicted text? | `markers` |
//! | which tables has a note, and under which headings? | `tables` |
//! | in which order do rows stand? | `order` |

mod cell;
mod columns;
mod field;
mod frontmatter;
mod join;
mod markers;
mod merge;
mod order;
mod origin;
mod prose;
mod render;
mod root_collation;
mod row;
mod scalar;
mod slot;
mod table;
mod tables;
mod three_way;
mod version;
mod visible;
mod wide;

pub use cell::{ABSENT, clean, escape, unescape};
pub use field::Field;
pub use join::{join, join_all, join_rows};
pub use markers::{Sides, has_markers, sides};
pub use merge::{FORCE_CLOSE_AFTER_MS, Fresh, Merged, has_gone_silent};
pub use origin::{GENERATOR, Origin};
pub use row::{Entry, Row, Status, UnknownStatus};
pub use slot::{Identity, Slot};
pub use table::{Cells, Table, cells, write_row};
pub use tables::{Placed, tables};
pub use three_way::three_way;

use crate::Timestamp;
use columns::Columns;
use frontmatter::Frontmatter;
use std::borrow::Cow;

/// Is a board: its rows, and around them everything that is not ours.
#[derive(Clone, Debug)]
pub struct Board<'a> {
    /// The rows, in the order in which they were read or added.
    pub rows: Vec<Row<'a>>,
    bom: bool,
    frontmatter: Frontmatter<'a>,
    above: Cow<'a, str>,
    columns: Columns<'a>,
    /// Whether the document has a table, be it one without rows.
    tabled: bool,
    below: Cow<'a, str>,
    eol: &'static str,
    conflicted: bool,
    /// The length of the text that was read, to render without growing.
    size: usize,
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
            eol: frontmatter.first_line().map_or("\n", table::ending),
            frontmatter,
            above: Cow::Borrowed(body),
            columns: Columns::standard(),
            tabled: false,
            below: Cow::Borrowed(""),
            conflicted: origin::has_conflict(text),
            size: text.len(),
        };
        if let Some(table) = Table::find(body, Columns::are_a_boards) {
            board.eol = table::ending(table.header);
            board.above = Cow::Borrowed(table.before);
            board.below = Cow::Borrowed(table.after);
            board.columns = Columns::read(&table);
            board.tabled = true;
            // A row has rarely less than 64 bytes: one allocation is enough.
            board.rows.reserve(table.body.len() / 64);
            let rows = table.rows().map(|line| board.columns.read_row(line));
            board.rows.extend(rows);
        } else if visible::ends_hidden(body) {
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

    /// Tells whether it has a table that is read as ours.
    pub fn has_table(&self) -> bool {
        self.tabled
    }

    /// Tells whether the rows say which host they come from.
    pub fn is_shared(&self) -> bool {
        self.columns.has(Field::Host)
    }

    /// Adds the `Host` column, so that several hosts can share the board.
    ///
    /// Gives false if the board had it already.
    pub fn declare_shared(&mut self) -> bool {
        let new = !self.is_shared();
        self.columns.add(Field::Host);
        new
    }

    /// Finds the row that an update of this slot would start from.
    ///
    /// Of two rows in one slot it gives the one that a merge would keep. On a
    /// board without a `Host` column the slot's host does not count; on one
    /// that has it, a row without a host is anybody's.
    pub fn prior(&self, slot: &Slot<'_>) -> Option<&Row<'a>> {
        let on = |host: &Option<Cow<'_, str>>| {
            let here = |row: &&Row<'a>| {
                let prior = row.slot();
                prior.identity == slot.identity && prior.host == *host
            };
            self.rows.iter().filter(here).max_by_key(|row| row.beat())
        };
        match self.is_shared() {
            true => on(&slot.host).or_else(|| on(&None)),
            false => on(&None),
        }
    }

    /// Gives the titles of the columns that are not ours, in the order of
    /// [`Entry::extra`].
    pub fn extra_titles(&self) -> impl Iterator<Item = &str> {
        self.columns.extra_titles()
    }

    /// Gives the time at which the board says it was created.
    pub fn created(&self) -> Option<Timestamp> {
        self.frontmatter.value("created").and_then(Timestamp::parse)
    }

    /// Gives the time at which the board says it was last written.
    pub fn updated(&self) -> Option<Timestamp> {
        self.frontmatter.value("updated").and_then(Timestamp::parse)
    }
}
