//! Declaring that several hosts share a board.

use super::board_edit::{BoardEdit, Change, StartedFrom};
use super::options::EditOptions;
use super::refusal::Refusal;
use crate::board::Board;

/// Declares a board shared; one that is stays untouched.
///
/// Rows that stand there already belong to no host until the host that has
/// their key updates them. What an outsider writes meanwhile is joined with the
/// columns of both, so the declaration stays.
#[derive(Clone, Copy, Debug)]
pub struct Share;

impl BoardEdit for Share {
    fn apply<'b>(
        &'b mut self,
        board: &mut Board<'b>,
        _start: StartedFrom,
        _options: &EditOptions,
    ) -> Result<Change, Refusal> {
        Ok(Change::made_if(board.declare_shared()))
    }
}
