//! The declaration that several hosts share a board, as a document of a commit.

use super::document::BoardDocument;
use super::refusal::Refusal;
use crate::Timestamp;
use crate::board::Board;
use crate::commit::{Displaced, Document, Edit};
use crate::lock::Host;
use crate::session::Explicit;

/// Adds the `Host` column to a board; one that has it is not touched.
///
/// Rows that stand there already belong to no host until the host that has
/// their key updates them.
pub struct Declare<'a> {
    board: BoardDocument<'a>,
    now: Timestamp,
}

impl<'a> Declare<'a> {
    /// Prepares the declaration; reads nothing.
    pub fn new(explicit: &'a Explicit, host: &'a Host, now: Timestamp) -> Self {
        Self {
            board: BoardDocument::new(&[], explicit, host, now),
            now,
        }
    }
}

impl Document for Declare<'_> {
    type Refusal = Refusal;

    fn refusal(&self, content: &[u8]) -> Option<Refusal> {
        self.board.refusal(content)
    }

    fn edit(&mut self, current: Option<&[u8]>) -> Edit<Refusal> {
        let text = current.unwrap_or_default();
        let Ok(text) = str::from_utf8(text) else {
            return self.board.edit(current);
        };
        let mut board = match current {
            None => Board::empty(self.now),
            Some(_) => Board::parse(text),
        };
        if board.is_shared() {
            return Edit::Unchanged;
        }
        board.declare_shared();
        Edit::Write(board.render(self.now).into_bytes())
    }

    fn join(&self, displaced: &[u8], written: &[u8], when: Displaced) -> Vec<u8> {
        // The columns of both are in the result, so the declaration is, too.
        self.board.join(displaced, written, when)
    }
}
