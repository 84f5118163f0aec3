//! What may not be touched: why, and what a person can do about it.

use super::Action;
use crate::board::{Board, GENERATOR, Origin};
use std::path::Path;

/// Says why a board is not touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A person wrote it.
    Handwritten,
    /// It holds git's conflict markers.
    Conflicted,
    /// It already shows a later event of the same session.
    Outdated,
    /// It is not UTF-8; where the first wrong byte is.
    NotText(String),
    /// What an edit would drop could not be kept elsewhere first; why not.
    NotKept(String),
}

impl Refusal {
    /// Gives the action that it comes to.
    pub fn action(&self) -> Action {
        match self {
            Self::Handwritten | Self::NotText(_) => Action::SkippedHandwritten,
            Self::Conflicted => Action::SkippedConflicted,
            Self::Outdated => Action::SkippedOutdated,
            Self::NotKept(_) => Action::SkippedWriteFailed,
        }
    }

    /// Says in one line what is wrong with the board at `path`, and what to do.
    pub fn note(&self, path: &Path) -> String {
        let path = crate::printable(&path.to_string_lossy(), 200);
        match self {
            Self::Handwritten => format!(
                "`{path}` is not a board of ours (its frontmatter has no `_generator: {}`): move it away, or name another with --board",
                GENERATOR
            ),
            Self::Conflicted => format!(
                "`{path}` holds git conflict markers: repair it with `boardsync merge --resolve`, or by hand"
            ),
            Self::Outdated => {
                format!("`{path}` already shows a later event of the same session; nothing to do")
            }
            Self::NotText(at) => {
                format!("`{path}` is not UTF-8 text ({at}): save it as UTF-8, or move it away")
            }
            Self::NotKept(why) => format!("`{path}` stays as it is: no backup of its rows ({why})"),
        }
    }
}

/// Says whether `bytes` are a board that a generator may rewrite.
pub fn is_ours(bytes: &[u8]) -> bool {
    refusal(bytes).is_none()
}

pub(super) fn text(bytes: &[u8]) -> Result<&str, Refusal> {
    std::str::from_utf8(bytes).map_err(|error| {
        Refusal::NotText(format!(
            "the byte at offset {} is none",
            error.valid_up_to()
        ))
    })
}

/// Says why `bytes` are no board that a generator may rewrite.
pub fn refusal(bytes: &[u8]) -> Option<Refusal> {
    match text(bytes).map(Board::origin_of) {
        Ok(Origin::Ours) => None,
        Ok(Origin::Handwritten) => Some(Refusal::Handwritten),
        Ok(Origin::Conflicted) => Some(Refusal::Conflicted),
        Err(refusal) => Some(refusal),
    }
}
