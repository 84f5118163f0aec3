//! A row: what one repository's session is doing.

use super::cell::{ABSENT, clean, present};
use super::field::Field;
use super::slot::{Identity, Slot, lower};
use crate::Timestamp;
use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::str::FromStr;

/// Is a row: its cells, and the very line they were read from.
///
/// The line is what a board writes again, so that padding and odd escapes of a
/// row that nobody changed survive. Changing a cell, through [`DerefMut`],
/// forgets the line. Rows are equal if their cells are. A line means nothing
/// under another board's header: move rows with [`Row::into_owned`] or a join.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    entry: Entry<'a>,
    line: Option<&'a str>,
}

/// Is the cells of a row; `None` is an absent one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The repository's name, whatever it is: `—` is a name here.
    pub repo: Cow<'a, str>,
    /// The status as it stands there, perhaps a word that is none of ours.
    pub status: Cow<'a, str>,
    /// The session that runs or ran there.
    pub session: Option<Cow<'a, str>>,
    /// The branch it is on.
    pub branch: Option<Cow<'a, str>>,
    /// The session's mode.
    pub mode: Option<Cow<'a, str>>,
    /// When the session was last seen alive, as text.
    pub heartbeat: Option<Cow<'a, str>>,
    /// Eight hex digits that tell repositories of one name apart.
    pub key: Option<Cow<'a, str>>,
    /// The host, on a board that has the column.
    pub host: Option<Cow<'a, str>>,
    /// The cells of columns that are not ours, then those beyond the header.
    pub extra: Vec<Cow<'a, str>>,
}

/// Is what a repository's session is doing.
///
/// The order is that of finality: of two versions of one age, the greater wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Nobody works there.
    Frei,
    /// A session is running.
    InProgress,
    /// A session ended without saying so.
    ForceClosed,
    /// A session ended.
    Closed,
}

impl<'a> Row<'a> {
    pub(super) fn read(entry: Entry<'a>, line: &'a str) -> Self {
        let line = Some(line);
        Self { entry, line }
    }

    /// Gives the line that the row was read from, unless it has changed since.
    pub fn line(&self) -> Option<&'a str> {
        self.line
    }

    pub(super) fn forget_line(&mut self) {
        self.line = None;
    }

    /// Gives the row a life of its own.
    pub fn into_owned(self) -> Row<'static> {
        let own = |cell: Cow<'a, str>| Cow::<'static, str>::Owned(cell.into_owned());
        let entry = self.entry;
        Row {
            entry: Entry {
                repo: own(entry.repo),
                status: own(entry.status),
                session: entry.session.map(own),
                branch: entry.branch.map(own),
                mode: entry.mode.map(own),
                heartbeat: entry.heartbeat.map(own),
                key: entry.key.map(own),
                host: entry.host.map(own),
                extra: entry.extra.into_iter().map(own).collect(),
            },
            line: None,
        }
    }
}

impl Row<'static> {
    /// Makes a row with only a name and a status; the name is cleaned.
    pub fn new(repo: &str, status: Status) -> Self {
        let entry = Entry {
            repo: Cow::Owned(clean(repo).into_owned()),
            status: Cow::Borrowed(status.word()),
            ..Entry::default()
        };
        Self { entry, line: None }
    }

    /// Sets one cell to a cleaned text; nothing, or a dash, makes it absent.
    #[must_use]
    pub fn with(mut self, field: Field, text: &str) -> Self {
        let text = Cow::Owned(clean(text).into_owned());
        match field {
            Field::Repo => self.repo = text,
            Field::Status => self.status = present(text).unwrap_or(Cow::Borrowed(ABSENT)),
            Field::Session => self.session = present(text),
            Field::Branch => self.branch = present(text),
            Field::Mode => self.mode = present(text),
            Field::Heartbeat => self.heartbeat = present(text),
            Field::Key => self.key = present(text),
            Field::Host => self.host = present(text),
        }
        self
    }
}

impl<'a> Entry<'a> {
    /// Gives the text of a known cell.
    pub fn get(&self, field: Field) -> Option<&str> {
        match field {
            Field::Repo => Some(&self.repo),
            Field::Status => Some(&self.status),
            Field::Session => self.session.as_deref(),
            Field::Branch => self.branch.as_deref(),
            Field::Mode => self.mode.as_deref(),
            Field::Heartbeat => self.heartbeat.as_deref(),
            Field::Key => self.key.as_deref(),
            Field::Host => self.host.as_deref(),
        }
    }

    /// Gives the status, if it is one of the four words.
    pub fn status(&self) -> Option<Status> {
        self.status.parse().ok()
    }

    /// Gives the heartbeat, if it can be read.
    pub fn beat(&self) -> Option<Timestamp> {
        self.heartbeat.as_deref().and_then(Timestamp::parse)
    }

    /// Gives the row's identity in a merge.
    pub fn slot(&self) -> Slot<'_> {
        Slot {
            host: self.host.as_deref().map(Cow::Borrowed),
            identity: match &self.key {
                Some(key) => Identity::Key(Cow::Borrowed(key)),
                None => Identity::Name(lower(&self.repo)),
            },
        }
    }
}

impl<'a> Deref for Row<'a> {
    type Target = Entry<'a>;

    fn deref(&self) -> &Entry<'a> {
        &self.entry
    }
}

impl DerefMut for Row<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.line = None;
        &mut self.entry
    }
}

impl PartialEq for Row<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.entry == other.entry
    }
}

impl Eq for Row<'_> {}

impl Status {
    /// Gives the word that stands for it on a board.
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
        [
            Self::Frei,
            Self::InProgress,
            Self::ForceClosed,
            Self::Closed,
        ]
        .into_iter()
        .find(|status| status.word() == word)
        .ok_or(UnknownStatus)
    }
}

/// The error for a word that is no status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected one of in-progress, force-closed, closed, frei")]
pub struct UnknownStatus;
