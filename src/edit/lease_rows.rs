//! The rows of the sessions whose leases this host has.
//!
//! Read under the latch, so that a burst of hooks is one commit: whoever
//! commits first writes what all leases say, and those who waited behind it
//! find nothing left to do.

use super::options::{ActivityCell, EditOptions};
use super::refusal::{self, text};
use crate::Timestamp;
use crate::board::{Board, Field, Row, Slot, Status};
use crate::commit::has_leftovers;
use crate::disk::Token;
use crate::session::lease::{Activity, EndKind, FolderRow, Lease, Leases, Processes, rows};
use crate::session::{Repo, SessionLock};
use std::borrow::Cow;
use std::path::Path;

/// The leases of one board, as an update applies them.
#[derive(Debug)]
pub struct LeaseRows {
    leases: Leases,
    processes: Processes,
    cell: ActivityCell,
    /// As they were when the board was last edited.
    read: Vec<Lease>,
    /// Those of other boards.
    others: Vec<Lease>,
    rows: Vec<(Repo, Row<'static>)>,
}

impl LeaseRows {
    /// Takes the leases in the user's folder for state; reads nothing.
    pub fn at(state_dir: &Path, cell: ActivityCell) -> Self {
        Self {
            leases: Leases::at(state_dir),
            processes: Processes::system(),
            cell,
            read: Vec::new(),
            others: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Derives the rows that the leases of this host give to `board`. Call it
    /// under the latch.
    pub fn read(&mut self, board: &Board, options: &EditOptions) {
        let is_of_board = |lease: &Lease| lease.is_of(&options.place.board);
        (self.read, self.others) = self.leases.read().into_iter().partition(is_of_board);
        self.derive(board, options);
    }

    fn derive(&mut self, board: &Board, options: &EditOptions) {
        if self.read.is_empty() {
            self.rows.clear();
            return;
        }
        let (host, now) = (&*options.host.id, options.now);
        let shared = board.is_shared();
        let cell = match shared {
            true => ActivityCell::Off,
            false => self.cell,
        };
        let index = board.index();
        let rows = rows(&self.read, &self.processes, now);
        self.rows = rows
            .into_iter()
            .filter_map(|(repo, known)| {
                let slot = Slot::keyed(&repo.key).on(shared.then_some(host));
                let prior = index.prior(&slot).map(|(_, prior)| prior);
                let shows = |cell: &str| {
                    let mut own = self.read.iter().filter(|lease| lease.repo == repo.path);
                    own.any(|lease| lease.is_shown_as(cell))
                };
                let lock = SessionLock::read(&repo.path).ok().flatten();
                let row = row(&repo, &known, prior, lock.as_ref(), shows, cell, now)?;
                Some((repo, row.with(Field::Host, host)))
            })
            .collect();
    }

    /// Returns whether the board shows already what the sessions in `repo` do,
    /// and no crashed process has left anything to be joined.
    pub fn are_shown_of(&mut self, repo: &Path, options: &EditOptions) -> bool {
        let read = options.place.read();
        let Some(read) = read.ok().flatten() else {
            return false;
        };
        let Ok(Cow::Borrowed(text)) = text(&read.bytes) else {
            return false;
        };
        let Ok(board) = refusal::board(text) else {
            return false;
        };
        self.read = self.leases.of_repo(repo);
        self.read.retain(|lease| lease.is_of(&options.place.board));
        self.derive(&board, options);
        let host = board.is_shared().then_some(&*options.host.id);
        self.rows.iter().all(|(repo, row)| {
            let shown = board.prior(&Slot::keyed(&repo.key).on(host));
            shown.is_some_and(|shown| {
                shows_the_same(shown, row)
                    && shown.get(Field::Heartbeat) == row.get(Field::Heartbeat)
            })
        }) && !has_leftovers(options.place, Token::new(options.host.tag()))
    }

    /// Returns whether a session.lock has outlived its session: this host saw its
    /// process gone, or saw it end and the lock has not beaten since.
    pub fn saw_end_of(&self, lock: &SessionLock) -> bool {
        let Some(lease) = self.leases.get(&lock.session_id) else {
            return false;
        };
        let beat = Timestamp::parse(lock.heartbeat());
        lease.over.is_some_and(|over| {
            // When a process died is not known, but no lock beats after it.
            let is_gone = over.how == EndKind::Died && lease.proof.is_some();
            is_gone || beat.is_none_or(|beat| beat <= over.at)
        })
    }

    /// Gives them, each with its repository.
    pub fn rows(&self) -> &[(Repo, Row<'static>)] {
        &self.rows
    }

    /// Records that the board shows it, and removes the leases that say nothing
    /// more. Call it after the commit.
    pub fn settle(&self, now: Timestamp) {
        self.leases.settle(&self.read, &self.processes, now);
        for leases in [&self.read, &self.others] {
            self.leases.sweep(leases, &self.processes, now);
        }
    }
}

/// Derives a folder's row from its leases and the row that it has;
/// `None` if the row stays.
///
/// A live session.lock of a living session speaks first; the end of its own
/// session closes it. The row of a session that is over is closed if it shows
/// that session, or nothing later.
fn row(
    repo: &Repo,
    known: &FolderRow,
    prior: Option<&Row<'_>>,
    lock: Option<&SessionLock>,
    shows: impl Fn(&str) -> bool,
    cell: ActivityCell,
    now: Timestamp,
) -> Option<Row<'static>> {
    let lock = lock.filter(|lock| lock.is_live(now) || lock.session_id == known.session_id);
    let is_own_lock = lock.is_none_or(|lock| lock.session_id == known.session_id);
    if !known.is_live() && !is_own_lock {
        return None;
    }
    let session = lock.map_or(known.session.as_str(), SessionLock::shown_session);
    if let Some(prior) = prior.filter(|_| !known.is_live()) {
        let cell = prior.get(Field::Session).unwrap_or_default();
        let is_its = cell.is_empty() || cell == crate::board::clean(session) || shows(&cell);
        let is_later = prior
            .heartbeat()
            .is_some_and(|beat| beat > known.at && now.since(beat) >= 0);
        let says_so = prior.status() == Some(known.status)
            || prior.status() == Some(Status::Closed) && is_its;
        if says_so && is_its || is_later && !is_its {
            return None;
        }
    }
    let prior_mode = prior.and_then(|row| row.get(Field::Mode));
    let own_mode =
        prior_mode.filter(|mode| !Activity::ALL.iter().any(|it| it.word() == mode.as_ref()));
    let mode = match lock {
        Some(lock) if !lock.mode.trim().is_empty() => Some(lock.mode.clone()),
        _ => own_mode.map(Cow::into_owned).or_else(|| {
            let is_shown = cell == ActivityCell::On && is_own_lock;
            let shown = known.activity.filter(|_| is_shown);
            shown.map(|activity| activity.word().to_owned())
        }),
    };
    let named = prior
        .map(Row::repo)
        .filter(|name| !is_path_end(name, &repo.name) || is_longer(name, &known.name));
    let branch = known.branch.as_deref().map(Cow::Borrowed);
    let branch = branch.or_else(|| prior?.get(Field::Branch));
    let made = Row::new(named.as_deref().unwrap_or(&known.name), known.status)
        .with(Field::Key, &repo.key)
        .with(Field::Session, session);
    let made = match branch {
        Some(branch) => made.with(Field::Branch, &branch),
        None => made,
    };
    let made = match mode {
        Some(mode) => made.with(Field::Mode, &mode),
        None => made,
    };
    let heartbeat = known.heartbeat(
        prior.and_then(|row| row.heartbeat()),
        prior.is_some_and(|prior| shows_the_same(prior, &made)),
        now,
    );
    let locked = lock.and_then(|lock| Timestamp::parse(lock.heartbeat()));
    let heartbeat = locked
        .filter(|beat| now.since(*beat) >= 0)
        .map_or(heartbeat, |beat| beat.max(heartbeat));
    Some(made.with(Field::Heartbeat, &heartbeat.to_string()))
}

/// Returns whether two rows differ in nothing but their heartbeats.
fn shows_the_same(one: &Row<'_>, other: &Row<'_>) -> bool {
    let fields = [
        Field::Repo,
        Field::Status,
        Field::Session,
        Field::Branch,
        Field::Mode,
    ];
    fields
        .iter()
        .all(|field| one.get(*field) == other.get(*field))
}

/// Returns whether `name` is a longer end of the path that ends in `short`: a name
/// that told the row from another one once, and does not change back.
fn is_longer(name: &str, short: &str) -> bool {
    name.strip_suffix(short)
        .is_some_and(|start| start.ends_with('/'))
}

/// Returns whether `name` is `folder`, or a longer end of its path: a name that
/// nobody chose.
fn is_path_end(name: &str, folder: &str) -> bool {
    name == folder || name.rsplit('/').next() == Some(folder)
}
