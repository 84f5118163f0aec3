//! What an update does to a board: every fresh row into its slot.

use super::field::Field;
use super::index::Index;
use super::read::Board;
use super::row::Row;
use super::status::Status;
use crate::Timestamp;
use crate::host_name::normalise;
use std::collections::{HashMap, HashSet};

/// The silence, in ms, after which a session counts as gone, unless it is known to live.
pub const SILENCE_LIMIT_MS: i64 = 4 * 60 * 60 * 1000;

/// A row that was derived in this update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// The row to store.
    pub row: Row<'static>,
    /// Why it was derived.
    pub cause: Cause,
    /// Other names of the row's host: a prior row of this key that has one of
    /// them is this very row.
    pub host_names: Vec<String>,
}

/// The cause of a fresh row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A look at the repository.
    Observed,
    /// An event, which is dropped if it is older than what the board shows.
    Event,
}

/// The outcome of an upsert.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Whether any row changed; if not, there is nothing to write.
    pub changed: bool,
    /// How many rows of events were older than what the board showed.
    pub outdated: usize,
}

impl Fresh {
    /// Makes the fresh row of what was found.
    pub fn observed(row: Row<'static>) -> Self {
        Self {
            row,
            cause: Cause::Observed,
            host_names: Vec::new(),
        }
    }

    /// Makes the fresh row of an event, which is dropped if it is older than
    /// what the board shows of the same session.
    pub fn event(row: Row<'static>) -> Self {
        Self {
            cause: Cause::Event,
            ..Self::observed(row)
        }
    }

    /// Adds names under which the row's host may stand on the board.
    #[must_use]
    pub fn known_as(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.host_names.extend(names);
        self
    }
}

impl<'a> Board<'a> {
    /// Puts fresh rows into their slots, and closes sessions gone silent.
    pub fn upsert(&mut self, fresh: &[Fresh], now: Timestamp) -> Merged {
        let mut merged = Merged::default();
        let shared = self.is_shared();
        let fresh: Vec<Fresh> = latest(fresh, shared);
        let has_hosts = self.has_hosts();
        let mut index = Index::of(&self.rows, shared);
        let priors = index.priors(&fresh);
        let twins = index.twins;

        let mut replaced = HashSet::new();
        let mut added = Vec::new();
        for (mut fresh, prior) in fresh.into_iter().zip(priors) {
            if !has_hosts {
                fresh.row.set(Field::Host, "");
            }
            let Some(at) = prior else {
                added.push(fresh.row);
                continue;
            };
            let prior = &mut self.rows[at];
            if fresh.cause == Cause::Event && fresh.row.is_outdated_by(prior) {
                merged.outdated += 1;
                continue;
            }
            replaced.insert(at);
            merged.changed |= replace(prior, fresh, shared);
        }

        for (at, row) in self.rows.iter_mut().enumerate() {
            if !replaced.contains(&at) && has_gone_silent(row, now) {
                row.set(Field::Status, Status::ForceClosed.word());
                merged.changed = true;
            }
        }

        if !twins.is_empty() {
            let mut at = 0..;
            self.rows
                .retain(|_| at.next().is_none_or(|at| !twins.contains(&at)));
            merged.changed = true;
        }
        merged.changed |= !added.is_empty();
        self.rows.extend(added);
        merged
    }
}

/// Returns the last fresh row of each slot.
fn latest(fresh: &[Fresh], shared: bool) -> Vec<Fresh> {
    let mut rows: Vec<Fresh> = Vec::with_capacity(fresh.len());
    let mut by_slot = HashMap::with_capacity(fresh.len());
    for item in fresh {
        let at = *by_slot
            .entry(item.row.slot(shared).into_owned())
            .or_insert(rows.len());
        match rows.get_mut(at) {
            Some(other) => other.clone_from(item),
            None => rows.push(item.clone()),
        }
    }
    rows
}

/// Replaces a row but for what is not ours in it; false if it was the same.
///
/// On a board that nobody declared shared the host stays as another writer of
/// boards spells it, or the two would write over each other for ever.
fn replace<'a>(prior: &mut Row<'a>, fresh: Fresh, shared: bool) -> bool {
    let Fresh {
        row, host_names, ..
    } = fresh;
    let mut row: Row<'a> = row;
    row.set_extra(prior.extra().to_vec());
    let own = row.written(Field::Host).map(str::to_owned);
    let names: Vec<String> = own.into_iter().chain(host_names).collect();
    let is_known = |host: &str| {
        let same = |name: &String| normalise(name) == normalise(host);
        !shared && names.iter().any(same)
    };
    if names.is_empty() || prior.written(Field::Host).is_some_and(is_known) {
        row.copy(Field::Host, prior);
    }
    let changed = row != *prior;
    if changed {
        *prior = row;
    }
    changed
}

/// Returns whether a row says that a session runs which has been silent for
/// [`SILENCE_LIMIT_MS`]; the next update closes it.
pub fn has_gone_silent(row: &Row<'_>, now: Timestamp) -> bool {
    row.status() == Some(Status::InProgress)
        && row
            .heartbeat()
            .is_some_and(|heartbeat| now.since(heartbeat) >= SILENCE_LIMIT_MS)
}
