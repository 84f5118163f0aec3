//! What a repository's session is doing.

use std::fmt;
use std::str::FromStr;

/// The status of a repository's session.
///
/// The order is that of finality: of two versions of one age, the greater wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Nobody works there (German for *free*).
    Frei,
    /// A session is running.
    InProgress,
    /// A session ended without saying so.
    ForceClosed,
    /// A session ended.
    Closed,
}

impl Status {
    /// Lists all of them.
    pub const ALL: [Self; 4] = [
        Self::Frei,
        Self::InProgress,
        Self::ForceClosed,
        Self::Closed,
    ];

    /// Returns the word that stands for it on a board.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Frei => "frei",
            Self::InProgress => "in-progress",
            Self::ForceClosed => "force-closed",
            Self::Closed => "closed",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Status {
    type Err = UnknownStatus;

    fn from_str(word: &str) -> Result<Self, UnknownStatus> {
        let named = |status: &Self| status.word() == word.trim();
        Self::ALL.into_iter().find(named).ok_or(UnknownStatus)
    }
}

/// The error for a word that is not a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected one of in-progress, force-closed, closed, frei")]
pub struct UnknownStatus;
