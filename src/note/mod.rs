//! One row of one table in any note of the vault, whoever wrote the note.
//!
//! The row is found by the cells of its key columns. Everything else in the
//! note keeps its bytes: other rows with their padding, line endings, prose.
//!
//! | question | file |
//! |---|---|
//! | which table, and which row in it? | `find` |
//! | what does the note look like afterwards? | `edit` |
//! | how is that committed beside others who write? | `document` |

mod document;
mod edit;
mod find;

pub use document::NoteDocument;
pub use edit::{RowChange, RowEdit};
pub use find::{Cell, MatchingTable, NotFound, Wanted};
