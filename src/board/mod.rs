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
//! let merged = board.upsert(&[Fresh::event(row)], now);
//! assert!(merged.changed);
//! assert!(board.render(now).ends_with("| app | in-progress | — | — | — | — | 1f2e3d4c |\n"));
//! ```
//!
//! | question | file |
//! |---|---|
//! | how is a text read as a board? | `read` |
//! | how do bytes that are not UTF-8 survive? | `bytes` |
//! | may this document be written? | `condition`, `frontmatter` |
//! | which lines of a note does a person see? | `shown_lines` |
//! | what is a table, and which tables has a note? | `table`, `note_tables` |
//! | what is a cell, and what survives in one? | `cell`, `markup` |
//! | which column is which? | `field`, `columns` |
//! | what is a row, and when are two rows the same one? | `row`, `slot` |
//! | which of two versions of a row is newer? | `version` |
//! | what does an update do to a board? | `upsert`; which row it starts from: `index` |
//! | how does a board become text again? | `render`, `order` |
//! | what becomes of a board that was overwritten? | `join` |
//! | what becomes of two boards with a common ancestor? | `three_way`, `prose` |
//! | how do two tables become one? | `aligned` |
//! | what are the versions in a conflicted text? | `markers` |
//! | what do git's merge driver and `merge --resolve` write? | `merge_texts` |

mod aligned;
mod bytes;
mod cell;
mod columns;
mod condition;
mod field;
mod frontmatter;
mod index;
mod join;
mod markers;
mod markup;
mod merge_texts;
mod note_tables;
mod order;
mod prose;
mod read;
mod render;
mod row;
mod shown_lines;
mod slot;
mod status;
mod table;
mod three_way;
mod upsert;
mod version;

pub use bytes::{NotText, to_bytes, to_text};
pub use cell::{ABSENT, MAX_CELL_CHARS, cell_text, clean, escape, unescape};
pub use condition::{Condition, MAX_CELLS};
pub use field::Field;
pub use frontmatter::GENERATOR;
pub use join::{join, join_all, join_rows};
pub use markers::{Sides, has_conflict, sides};
pub use merge_texts::{NotABoard, Unmergeable, merge_texts, repair};
pub use note_tables::{TableInNote, tables};
pub use read::Board;
pub use row::Row;
pub use slot::{Identity, Slot};
pub use status::{Status, UnknownStatus};
pub use table::{Cells, Table, cells, write_row};
pub use three_way::three_way;
pub use upsert::{Cause, Fresh, Merged, SILENCE_LIMIT_MS, has_gone_silent};
