//! The row of one repository, derived from what is known and what the board shows.

use super::options::EditOptions;
use crate::Timestamp;
use crate::board::{Board, Field, Fresh, Row, Slot, Status, cell_text};
use crate::lock::Host;
use crate::session::{Derived, Explicit, Registry, Repo, SessionLock, Sources, derive};
use std::borrow::Cow;

/// One repository of an update, and what is known about it.
#[derive(Clone, Debug)]
pub struct RepoSources {
    /// Who it is.
    pub repo: Repo,
    /// What it and its host say about it.
    pub sources: Sources,
}

impl RepoSources {
    /// Reads what is known about `repo`.
    pub fn read(repo: Repo, registry: Option<&Registry>) -> Self {
        Self {
            sources: Sources::read(&repo, registry),
            repo,
        }
    }
}

/// Derives a repository's row from what is known and what the board shows.
///
/// `all` are the repositories of the update, and `explicit` what the caller says
/// of each of them. A session.lock whose session is known to be over (`is_over`)
/// counts as absent. `None` if the row stays: it shows that end already.
pub fn fresh_row(
    repository: &RepoSources,
    is_over: impl Fn(&SessionLock) -> bool,
    all: &[RepoSources],
    explicit: &Explicit,
    board: &Board,
    options: &EditOptions,
) -> Option<Fresh> {
    let prior = prior_of(repository, all, board, options);
    let said = explicit.status;
    let mut sources = Cow::Borrowed(&repository.sources);
    if sources.lock.as_ref().is_some_and(is_over) {
        let status = prior.and_then(|row| row.status());
        let shows_an_end = matches!(status, Some(Status::Closed | Status::ForceClosed));
        if shows_an_end && *explicit == Explicit::default() {
            return None;
        }
        sources.to_mut().lock = None;
    }
    let mut derived = derive(
        &sources,
        prior.and_then(|row| row.status()),
        said,
        options.now,
    );
    // An event without a lease to give its time has the time of the update;
    // an idle repository has none.
    let is_event = said.is_some_and(|said| said != Status::Frei);
    let is_timed = explicit.heartbeat.is_some() || is_event && derived.heartbeat.is_none();
    if is_timed {
        derived.heartbeat = Some(options.now.to_string());
    }
    derived = derived.overridden(explicit);
    if is_ahead(explicit, options.now) {
        derived.heartbeat = Some(options.now.to_string());
    }
    if is_event && let Some(row) = prior {
        keep_cells(&mut derived, row);
    }
    let row = row(repository, &derived, &options.host.id);
    let fresh = match (is_timed, prior) {
        (true, Some(prior)) => in_order_of_arrival(row, prior, options.now),
        (true, None) => Fresh::event(row),
        (false, _) => Fresh::observed(row),
    };
    Some(fresh.known_as(repository.sources.host_names()))
}

/// Returns this host's other names, if the board names hosts at all: the file of
/// aliases is read only then.
pub fn aliases<'h>(board: &Board, host: &'h Host) -> impl Iterator<Item = &'h String> {
    let names = board.has_hosts().then(|| host.other_names());
    names.into_iter().flatten()
}

/// Returns whether the caller gives a heartbeat that is a wrong clock's.
pub fn is_ahead(explicit: &Explicit, now: Timestamp) -> bool {
    let said = explicit.heartbeat.as_deref();
    said.and_then(Timestamp::parse)
        .is_some_and(|said| said.is_ahead_of(now))
}

/// Finds the row that an update of this repository starts from.
///
/// A key-less row of its name counts only if no other repository has the name.
fn prior_of<'b>(
    repository: &RepoSources,
    all: &[RepoSources],
    board: &'b Board<'b>,
    options: &EditOptions,
) -> Option<&'b Row<'b>> {
    let host = board.is_shared().then_some(&*options.host.id);
    let Repo { name, key, .. } = &repository.repo;
    let lower = name.to_lowercase();
    let same_name = |other: &&RepoSources| other.repo.name.to_lowercase() == lower;
    let is_only = all.iter().filter(same_name).count() == 1;
    let legacy = || is_only.then(|| board.prior(&Slot::named(name).on(host)))?;
    let of_alias = || {
        let of_sources = repository.sources.host_names();
        let names = of_sources.chain(aliases(board, &options.host).cloned());
        let mut names = names.filter(|_| host.is_some());
        names.find_map(|name| board.prior(&Slot::keyed(key).on(Some(&name))))
    };
    board
        .prior(&Slot::keyed(key).on(host))
        .or_else(of_alias)
        .or_else(legacy)
}

/// Orders an event after what the row shows of the same session.
///
/// The end of a session closes its row whatever the clock says, and what a
/// clock that was ahead once has left behind is not later than anything.
fn in_order_of_arrival(row: Row<'static>, prior: &Row, now: Timestamp) -> Fresh {
    let is_end = matches!(row.status(), Some(Status::Closed | Status::ForceClosed));
    let is_its = row.get(Field::Session) == prior.get(Field::Session);
    match prior.heartbeat() {
        Some(shown) if shown.is_ahead_of(now) => Fresh::observed(row),
        shown @ Some(beat) if is_end && is_its && !row.is_later_than(shown) => {
            Fresh::observed(row.with(Field::Heartbeat, &beat.to_string()))
        }
        _ => Fresh::event(row),
    }
}

/// Keeps what a row has of the same session where nothing else is known: an
/// event that only names its status takes nothing away.
fn keep_cells(derived: &mut Derived, row: &Row) {
    let is_another = |said: &String| row.get(Field::Session).as_deref() != Some(&cell_text(said));
    if derived.session.as_ref().is_some_and(is_another) {
        return;
    }
    for (cell, field) in [
        (&mut derived.session, Field::Session),
        (&mut derived.branch, Field::Branch),
        (&mut derived.mode, Field::Mode),
    ] {
        if cell.is_none() {
            *cell = row.get(field).map(Cow::into_owned);
        }
    }
}

fn row(repository: &RepoSources, derived: &Derived, host: &str) -> Row<'static> {
    let cells = [
        (Field::Session, &derived.session),
        (Field::Branch, &derived.branch),
        (Field::Mode, &derived.mode),
        (Field::Heartbeat, &derived.heartbeat),
    ];
    let row = Row::new(&repository.repo.name, derived.status)
        .with(Field::Key, &repository.repo.key)
        .with(Field::Host, host);
    cells
        .into_iter()
        .fold(row, |row, (field, cell)| match cell {
            Some(text) => row.with(field, text),
            None => row,
        })
}
