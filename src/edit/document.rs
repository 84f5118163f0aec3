//! The board as a document of a commit: how an update changes it.

use super::copies::Copies;
use super::refusal::{Refusal, refusal, text};
use super::{OnlyWhere, Subject};
use crate::Timestamp;
use crate::board::{Board, Field, Fresh, Row, Slot, Status, join, join_all};
use crate::commit::{Displaced, Document, Edit};
use crate::lock::Host;
use crate::session::{Derived, Explicit, Repo, derive};
use std::collections::HashMap;

/// Edits the rows of some repositories.
pub struct BoardDocument<'a> {
    subjects: &'a [Subject],
    explicit: &'a Explicit,
    host: &'a Host,
    now: Timestamp,
    pub(super) only_where: Option<OnlyWhere<'a>>,
    rows: Option<usize>,
    shared: bool,
    /// Whether the board had a text but no table that could be read.
    pub(super) had_no_table: bool,
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
            had_no_table: false,
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

    fn slot(&self, subject: &'a Subject, shared: bool) -> Slot<'a> {
        Slot::keyed(&subject.repo.key).on(shared.then_some(&*self.host.id))
    }

    /// Derives a subject's row from what is known and what the board shows.
    fn fresh(&self, subject: &'a Subject, board: &Board) -> Fresh {
        let prior = self.prior(subject, board).and_then(|row| row.status());
        let Explicit {
            status: said,
            heartbeat,
            ..
        } = self.explicit;
        let mut derived = derive(&subject.sources, prior, *said, self.now);
        // An event without a lease to give its time has the time of the update;
        // an idle repository has none.
        let is_event = said.is_some_and(|said| said != Status::Frei);
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
    let cells = [
        (Field::Session, &derived.session),
        (Field::Branch, &derived.branch),
        (Field::Mode, &derived.mode),
        (Field::Heartbeat, &derived.heartbeat),
    ];
    let row = Row::new(&subject.repo.name, derived.status)
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

    fn looks_again(&self) -> bool {
        true
    }

    fn edit(&mut self, current: Option<&[u8]>) -> Edit<Refusal> {
        let mut board = match current.map(text) {
            None => Board::empty(self.now),
            Some(Ok(text)) => Board::parse(text),
            Some(Err(refusal)) => return Edit::Refuse(refusal),
        };
        self.had_no_table |= !board.has_table();
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
