//! The board as a document of a commit: what may be touched, and how it changes.

use super::{Action, Report, Subject, UpdateError};
use crate::Timestamp;
use crate::board::{Board, Field, Fresh, Origin, Row, Slot, Status, join, join_all};
use crate::commit::{CommitError, Displaced, Document, Edit, LIMIT};
use crate::disk::read_regular;
use crate::lock::Host;
use crate::session::{Derived, Explicit, derive, status};
use crate::vault::Place;
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
}

impl Refusal {
    /// Gives the action that it comes to.
    pub fn action(&self) -> Action {
        match self {
            Self::Handwritten | Self::NotText(_) => Action::SkippedHandwritten,
            Self::Conflicted => Action::SkippedConflicted,
            Self::Outdated => Action::SkippedOutdated,
        }
    }

    /// Says in one line what is wrong with the board at `path`, and what to do.
    pub fn note(&self, path: &Path) -> String {
        let path = crate::printable(&path.to_string_lossy(), 200);
        match self {
            Self::Handwritten => format!(
                "`{path}` is not a board of ours (its frontmatter has no `_generator: {}`): move it away, or name another with --board",
                crate::board::GENERATOR
            ),
            Self::Conflicted => format!(
                "`{path}` holds git conflict markers: repair it with `boardsync merge --resolve`, or by hand"
            ),
            Self::Outdated => {
                format!("`{path}` already shows a later event of the same session; nothing to do")
            }
            Self::NotText(at) => format!("`{path}` is not UTF-8 text ({at})"),
        }
    }
}

/// Says whether `bytes` are a board that a generator may rewrite.
pub fn is_ours(bytes: &[u8]) -> bool {
    refusal(bytes).is_none()
}

fn text(bytes: &[u8]) -> Result<&str, Refusal> {
    std::str::from_utf8(bytes).map_err(|error| {
        Refusal::NotText(format!(
            "the byte at offset {} is none",
            error.valid_up_to()
        ))
    })
}

fn refusal(bytes: &[u8]) -> Option<Refusal> {
    match text(bytes).map(Board::origin_of) {
        Ok(Origin::Ours) => None,
        Ok(Origin::Handwritten) => Some(Refusal::Handwritten),
        Ok(Origin::Conflicted) => Some(Refusal::Conflicted),
        Err(refusal) => Some(refusal),
    }
}

/// Edits the rows of some repositories.
pub struct BoardDocument<'a> {
    subjects: &'a [Subject],
    explicit: &'a Explicit,
    host: &'a Host,
    now: Timestamp,
    rows: Option<usize>,
}

impl<'a> BoardDocument<'a> {
    /// Prepares the edit; reads nothing.
    pub fn new(
        subjects: &'a [Subject],
        explicit: &'a Explicit,
        host: &'a Host,
        now: Timestamp,
    ) -> Self {
        Self {
            subjects,
            explicit,
            host,
            now,
            rows: None,
        }
    }

    /// Gives how many rows the board had when it was last edited.
    pub fn rows(&self) -> Option<usize> {
        self.rows
    }

    /// Edits the board at `place` in memory only.
    pub fn rehearse(&mut self, place: &Place) -> Result<Report, UpdateError> {
        let path = place.board.clone();
        let read = read_regular(&place.target, LIMIT).map_err(|source| {
            UpdateError::Commit(CommitError::Unreadable {
                path: path.clone(),
                source,
            })
        })?;
        let bytes = read.as_ref().map(|read| read.bytes.as_slice());
        let refused = bytes.and_then(refusal);
        let edit = refused.map_or_else(|| self.edit(bytes), Edit::Refuse);
        let note = match edit {
            Edit::Write(_) => "the board would be written".to_owned(),
            Edit::Unchanged => "nothing would change".to_owned(),
            Edit::Refuse(refusal) => refusal.note(&path),
        };
        Ok(Report {
            action: Action::DryRun,
            path,
            rows: self.rows,
            lock: None,
            note: Some(note),
        })
    }

    fn slot(&self, subject: &'a Subject, shared: bool) -> Slot<'a> {
        Slot::keyed(&subject.repo.key).on(shared.then_some(&*self.host.id))
    }

    /// Derives a subject's row from what is known and what the board shows.
    fn fresh(&self, subject: &'a Subject, board: &Board) -> Fresh {
        let prior = board.prior(&self.slot(subject, board.is_shared()));
        let prior = prior.or_else(|| self.legacy(subject, board));
        let prior_status = prior.map(|row| row.status.as_ref());
        let Explicit {
            status: said,
            heartbeat,
            ..
        } = self.explicit;
        let mut derived = derive(&subject.sources, prior_status, *said, self.now);
        // An event without a lease to give its time has the time of the update;
        // an idle repository has none.
        let is_event = said.is_some_and(|said| said != status::FREI);
        let is_timed = heartbeat.is_some() || is_event && derived.heartbeat.is_none();
        if is_timed {
            derived.heartbeat = Some(self.now.to_string());
        }
        let row = row(subject, &derived.overridden(self.explicit), &self.host.id);
        Fresh {
            row,
            explicit: is_timed,
        }
    }

    /// A key-less row of this name counts only if no other subject has the name.
    fn legacy<'b>(&self, subject: &Subject, board: &'b Board<'b>) -> Option<&'b Row<'b>> {
        let name = subject.repo.name.to_lowercase();
        let twins = self
            .subjects
            .iter()
            .filter(|other| other.repo.name.to_lowercase() == name);
        (twins.count() == 1)
            .then(|| board.prior(&Slot::named(&subject.repo.name)))
            .flatten()
    }
}

fn row(subject: &Subject, derived: &Derived, host: &str) -> Row<'static> {
    let status: Status = derived.status.parse().expect("is one of the four words");
    let cells = [
        (Field::Session, &derived.session),
        (Field::Branch, &derived.branch),
        (Field::Mode, &derived.mode),
        (Field::Heartbeat, &derived.heartbeat),
    ];
    let row = Row::new(&subject.repo.name, status)
        .with(Field::Key, &subject.repo.key)
        .with(Field::Host, host);
    cells
        .into_iter()
        .fold(row, |row, (field, cell)| match cell {
            Some(text) => row.with(field, text),
            None => row,
        })
}

impl Document for BoardDocument<'_> {
    type Refusal = Refusal;

    fn refusal(&self, content: &[u8]) -> Option<Refusal> {
        refusal(content)
    }

    fn edit(&mut self, current: Option<&[u8]>) -> Edit<Refusal> {
        let mut board = match current.map(text) {
            None => Board::empty(self.now),
            Some(Ok(text)) => Board::parse(text),
            Some(Err(refusal)) => return Edit::Refuse(refusal),
        };
        let fresh: Vec<Fresh> = self
            .subjects
            .iter()
            .map(|subject| self.fresh(subject, &board))
            .collect();
        let merged = board.upsert(&fresh, self.now);
        self.rows = Some(board.rows.len());
        if merged.changed {
            Edit::Write(board.render(self.now).into_bytes())
        } else if merged.outdated > 0 {
            Edit::Refuse(Refusal::Outdated)
        } else {
            Edit::Unchanged
        }
    }

    fn join(&self, displaced: &[u8], written: &[u8], when: Displaced) -> Vec<u8> {
        // Neither is refused, so both are text.
        let (Ok(displaced), Ok(written)) = (text(displaced), text(written)) else {
            return written.to_vec();
        };
        let (displaced, written) = (Board::parse(displaced), Board::parse(written));
        let board = match when {
            Displaced::JustNow { expected } => {
                let shared = written.is_shared();
                let slots: Vec<Slot> = self
                    .subjects
                    .iter()
                    .map(|subject| self.slot(subject, shared))
                    .collect();
                let joined = join(&displaced, &written, &slots, self.now);
                // What is written may hold lines that were joined into it, and
                // that whoever wrote what it displaced has never seen.
                let is_joined = text(expected)
                    .is_ok_and(|expected| !Board::parse(expected).has_lines_of(&written));
                if is_joined {
                    join_all(&joined, &written)
                } else {
                    joined
                }
            }
            Displaced::ByLastWrite => join(&displaced, &written, &[], self.now),
            Displaced::LongAgo => join_all(&written, &displaced),
        };
        let updated = [written.updated(), displaced.updated()]
            .into_iter()
            .flatten()
            .max();
        board.render(updated.unwrap_or(self.now)).into_bytes()
    }
}
