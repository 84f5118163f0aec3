//! What a hook event means to the board.

use crate::board::Status;

/// Names what happened, as far as the board cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A session begins, or goes on: `SessionStart`, whatever its source.
    Start,
    /// A session ends: `SessionEnd`, whatever its reason.
    ///
    /// After `clear` and `resume` a start follows in the same terminal.
    End,
    /// A session shows that it lives: any other event, future ones included.
    Beat,
}

impl Kind {
    /// Gives the status that a row has after it.
    pub const fn status(self) -> Status {
        match self {
            Self::Start | Self::Beat => Status::InProgress,
            Self::End => Status::Closed,
        }
    }

    /// Reads the name of an event; agents that took over Claude Code's names
    /// spell them `sessionStart`.
    pub(super) fn of(name: &str) -> Self {
        if name.eq_ignore_ascii_case("SessionStart") {
            Self::Start
        } else if name.eq_ignore_ascii_case("SessionEnd") {
            Self::End
        } else {
            Self::Beat
        }
    }
}
