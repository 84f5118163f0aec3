//! Boards that must not be changed: why, and what a person can do about it.

use super::Action;
use crate::board::{Board, Condition, GENERATOR, MAX_CELLS, NotABoard, to_text};
use crate::printable::printable;
use std::borrow::Cow;
use std::path::Path;

/// The reason why a board is not touched; it is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// A person wrote it.
    Handwritten,
    /// It holds git's conflict markers.
    Conflicted,
    /// A row of its table stands outside of it, or no table is left to read.
    Damaged {
        /// The number of the line, from 1.
        line: usize,
    },
    /// It has more cells than any board.
    TooManyCells,
    /// It already shows a later event of the same session.
    Outdated,
    /// It is UTF-16 or has a NUL; where.
    NotText(String),
    /// The rows or text that an edit would remove could not be backed up; why not.
    NoBackup(String),
    /// There is no board to repair.
    Missing,
    /// It cannot be repaired by merging its sides.
    Unrepairable(NotABoard),
}

impl Refusal {
    /// Returns the action that it results in.
    pub fn action(&self) -> Action {
        match self {
            Self::Handwritten | Self::NotText(_) => Action::SkippedHandwritten,
            Self::Conflicted
            | Self::Damaged { .. }
            | Self::TooManyCells
            | Self::Missing
            | Self::Unrepairable(_) => Action::SkippedConflicted,
            Self::Outdated => Action::SkippedOutdated,
            Self::NoBackup(_) => Action::SkippedWriteFailed,
        }
    }

    /// Describes in one line what is wrong with the board at `path`, and what to do.
    pub fn note(&self, path: &Path) -> String {
        let path = printable(&path.to_string_lossy(), 200);
        match self {
            Self::Handwritten => format!(
                "`{path}` is not a board of ours (its frontmatter has no `_generator: {GENERATOR}`): move it away, or name another with --board"
            ),
            Self::Conflicted => format!(
                "`{path}` has conflict markers: repair it with `boardsync merge --resolve`, or by hand"
            ),
            Self::Damaged { line } => format!(
                "line {line} of `{path}` is a row or head of the board, but not in a table: repair the table by hand"
            ),
            Self::TooManyCells => format!(
                "`{path}` has more than {MAX_CELLS} cells: repair the table by hand, or move it away"
            ),
            Self::Outdated => {
                format!("`{path}` already shows a later event of the same session; nothing to do")
            }
            Self::NotText(at) => {
                format!("`{path}` is not UTF-8 text ({at}): save it as UTF-8, or move it away")
            }
            Self::NoBackup(why) => {
                format!("`{path}` stays as it is: cannot write a backup ({why})")
            }
            Self::Missing => format!("cannot repair `{path}`: the board does not exist"),
            Self::Unrepairable(why) => format!("cannot repair `{path}`: {why}: repair it by hand"),
        }
    }
}

/// Returns whether `bytes` are a board that a generator may rewrite.
pub fn is_ours(bytes: &[u8]) -> bool {
    refusal(bytes).is_none()
}

/// Returns why `bytes` are not a board that a generator may rewrite.
pub fn refusal(bytes: &[u8]) -> Option<Refusal> {
    board_text(bytes).err()
}

/// Reads the text of a board that a generator may rewrite.
pub(super) fn board_text(bytes: &[u8]) -> Result<Cow<'_, str>, Refusal> {
    let text = text(bytes)?;
    accept(Board::condition_of(&text))?;
    Ok(text)
}

/// Reads a board that a generator may rewrite.
pub(super) fn board(text: &str) -> Result<Board<'_>, Refusal> {
    let board = Board::parse(text);
    accept(board.condition())?;
    Ok(board)
}

fn accept(condition: Condition) -> Result<(), Refusal> {
    match condition {
        Condition::Ours => Ok(()),
        Condition::Handwritten => Err(Refusal::Handwritten),
        Condition::Conflicted => Err(Refusal::Conflicted),
        Condition::Damaged { line } => Err(Refusal::Damaged { line }),
        Condition::TooManyCells => Err(Refusal::TooManyCells),
    }
}

pub(super) fn text(bytes: &[u8]) -> Result<Cow<'_, str>, Refusal> {
    to_text(bytes).map_err(|error| Refusal::NotText(error.to_string()))
}
