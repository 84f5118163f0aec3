//! The columns that a board knows, by their titles.

use super::cell::{ABSENT, present};
use std::borrow::Cow;

/// A column that the board knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The repository's name.
    Repo,
    /// One of the four status words.
    Status,
    /// The session that runs or ran there.
    Session,
    /// The branch it is on.
    Branch,
    /// The session's mode.
    Mode,
    /// When the session was last seen alive.
    Heartbeat,
    /// Eight hex digits that tell repositories of one name apart.
    Key,
    /// The host it runs on; only on boards that have the column.
    Host,
}

impl Field {
    /// How many there are.
    pub const COUNT: usize = 8;

    /// All known columns, in their order on a new board; `Host` is optional.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Repo,
        Self::Status,
        Self::Session,
        Self::Branch,
        Self::Mode,
        Self::Heartbeat,
        Self::Key,
        Self::Host,
    ];

    /// Returns the column's title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Repo => "Repo",
            Self::Status => "Status",
            Self::Session => "Session",
            Self::Branch => "Branch",
            Self::Mode => "Mode",
            Self::Heartbeat => "Last heartbeat",
            Self::Key => "Key",
            Self::Host => "Host",
        }
    }

    /// Returns the column's name in JSON, and in the options of commands.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Repo => "repo",
            Self::Status => "status",
            Self::Session => "session",
            Self::Branch => "branch",
            Self::Mode => "mode",
            Self::Heartbeat => "heartbeat",
            Self::Key => "key",
            Self::Host => "host",
        }
    }

    /// Reads a title, in any case.
    pub(super) fn titled(title: &str) -> Option<Self> {
        let same = |field: &Self| field.title().eq_ignore_ascii_case(title.trim());
        Self::ALL.into_iter().find(same)
    }

    /// Reads a cell of this column: a dash is a name, but nothing elsewhere.
    pub(super) fn read(self, text: Cow<'_, str>) -> Option<Cow<'_, str>> {
        match self {
            Self::Repo => Some(text),
            Self::Status => present(text).or(Some(Cow::Borrowed(ABSENT))),
            _ => present(text),
        }
    }

    /// Returns what stands for an absent cell of this column.
    ///
    /// For the host it is nothing at all, as session-orchestrator 5.4 writes.
    pub(super) const fn absent(self) -> &'static str {
        match self {
            Self::Host => "",
            _ => ABSENT,
        }
    }
}
