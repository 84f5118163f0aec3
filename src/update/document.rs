//! The board as a document of a commit: what may be touched, and how it changes.

use super::copies::Copies;
use super::{Action, OnlyWhere, Report, Subject, UpdateError};
use crate::Timestamp;
use crate::board::{Board, Field, Fresh, Origin, Row, Slot, Status, join, join_all};
use crate::commit::{CommitError, Displaced, Document, Edit, LIMIT};
use crate::disk::read_regular;
use crate::lock::Host;
use crate::session::{Derived, Explicit, Repo, derive, status};
use crate::vault::Place;
use std::collections::HashMap;
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
                crate::board::GENERATOR
            ),
            Self::Conflicted => format!(
                "`{path}` holds git conflict markers: repair it with `boardsync merge --resolve`, or by hand"
            ),
            Self::Outdated => {
                format!("`{path}` already shows a later event of the same session; nothing to do")
            }
            Self::NotText(at) => format!("`{path}` is not UTF-8 text ({at})"),
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

/// Edits the rows of some repositories.
pub struct BoardDocument<'a> {
    subjects: &'a [Subject],
    explicit: &'a Explicit,
    host: &'a Host,
    now: Timestamp,
    pub(super) only_where: Option<OnlyWhere<'a>>,
    rows: Option<usize>,
    shared: bool,
    /// What sync tools put beside the board.
    pub(super) copies: Copies,
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
            only_where: None,
            rows: None,
            shared: false,
            copies: Copies::default(),
        }
    }

    /// Gives how many rows the board had when it was last edited.
    pub fn rows(&self) -> Option<usize> {
        self.rows
    }

    /// Says whether the board told hosts apart when it was last edited.
    pub fn is_shared(&self) -> bool {
        self.shared
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
            copies: Vec::new(),
            shared: self.shared,
        })
    }

    fn slot(&self, subject: &'a Subject, shared: bool) -> Slot<'a> {
        Slot::keyed(&subject.repo.key).on(shared.then_some(&*self.host.id))
    }

    /// Derives a subject's row from what is known and what the board shows.
    fn fresh(&self, subject: &'a Subject, board: &Board) -> Fresh {
        let prior_status = self.prior(subject, board).map(|row| row.status.as_ref());
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

    fn may_replace(&self, subject: &'a Subject, board: &Board) -> bool {
        let prior = || self.prior(subject, board);
        self.only_where.is_none_or(|OnlyWhere(may)| may(prior()))
    }

    /// Finds the row that an update of this subject starts from.
    ///
    /// A key-less row of its name counts only if no other subject has the name.
    fn prior<'b>(&self, subject: &Subject, board: &'b Board<'b>) -> Option<&'b Row<'b>> {
        let host = board.is_shared().then_some(&*self.host.id);
        let Repo { name, key, .. } = &subject.repo;
        let lower = name.to_lowercase();
        let same_name = |other: &&Subject| other.repo.name.to_lowercase() == lower;
        let is_only = self.subjects.iter().filter(same_name).count() == 1;
        let legacy = || is_only.then(|| board.prior(&Slot::named(name).on(host)))?;
        board.prior(&Slot::keyed(key).on(host)).or_else(legacy)
    }

    /// Removes rows without a host that are no newer than this host's own.
    ///
    /// They come back with a board that was copied before the declaration.
    fn drop_adopted(&self, board: &mut Board) -> bool {
        if !board.is_shared() {
            return false;
        }
        let beats: HashMap<String, Option<Timestamp>> = board
            .rows
            .iter()
            .filter(|row| row.host.as_deref() == Some(&*self.host.id))
            .filter_map(|row| Some((row.key.as_deref()?.to_owned(), row.beat())))
            .collect();
        let is_ours = |key: &str| self.subjects.iter().any(|subject| subject.repo.key == key);
        let before = board.rows.len();
        board.rows.retain(|row| match row.key.as_deref() {
            Some(key) if row.host.is_none() && is_ours(key) => {
                beats.get(key).is_none_or(|beat| row.beat() > *beat)
            }
            _ => true,
        });
        board.rows.len() != before
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
        let mut changed = self.copies.join_into(&mut board);
        let fresh: Vec<Fresh> = self
            .subjects
            .iter()
            .filter(|subject| self.may_replace(subject, &board))
            .map(|subject| self.fresh(subject, &board))
            .collect();
        let merged = board.upsert(&fresh, self.now);
        changed |= merged.changed;
        changed |= self.drop_adopted(&mut board);
        self.rows = Some(board.rows.len());
        self.shared = board.is_shared();
        if changed {
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
        let mut board = match when {
            Displaced::JustNow { expected } => {
                let shared = written.is_shared();
                let slots: Vec<Slot> = self
                    .subjects
                    .iter()
                    .map(|subject| self.slot(subject, shared))
                    .collect();
                let joined = join(&displaced, &written, &slots, self.now);
                if is_edit_of(&displaced, expected, &written) {
                    joined
                } else {
                    join_all(&joined, &written)
                }
            }
            Displaced::ByCrash => join_all(&written, &displaced),
        };
        self.copies.join_into(&mut board);
        self.drop_adopted(&mut board);
        let updated = [written.updated(), displaced.updated(), board.updated()]
            .into_iter()
            .flatten()
            .max();
        board.render(updated.unwrap_or(self.now)).into_bytes()
    }
}

/// Says whether a person made `displaced` out of the very board that we expected.
///
/// Only then are its lines later than ours, and ours may go. Every program
/// sets `updated:`, a person does not; a writer with an older base, or one
/// whose lines we have joined already, must not take a line away that it has
/// never seen (docs/model.md).
fn is_edit_of(displaced: &Board, expected: &[u8], written: &Board) -> bool {
    let Ok(expected) = text(expected).map(Board::parse) else {
        return false;
    };
    expected.updated() == displaced.updated() && expected.has_lines_of(written)
}
