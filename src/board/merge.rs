//! What an update does to a board: every fresh row into its slot.

use super::row::{Row, Status};
use super::slot::{Slot, lower};
use super::{Board, Identity};
use crate::Timestamp;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Is the silence, in ms, after which a session counts as gone.
pub const FORCE_CLOSE_AFTER_MS: i64 = 4 * 60 * 60 * 1000;

/// Is a row that was derived in this update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// The row to store.
    pub row: Row<'static>,
    /// Whether it reports an event, and not just what was found.
    pub explicit: bool,
}

/// Is what an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Whether any row is not what it was; if not, there is nothing to write.
    pub changed: bool,
    /// How many explicit rows were older than what the board showed.
    pub outdated: usize,
}

impl<'a> Board<'a> {
    /// Puts fresh rows into their slots, and closes sessions gone silent.
    pub fn upsert(&mut self, fresh: &[Fresh], now: Timestamp) -> Merged {
        let mut merged = Merged::default();
        let fresh: Vec<Fresh> = latest(fresh, self.is_shared());
        let index = Index::of(&self.rows);
        let priors = index.priors(&fresh);
        let twins = index.twins;

        let mut replaced = HashSet::new();
        let mut added = Vec::new();
        for (Fresh { row, explicit }, prior) in fresh.into_iter().zip(priors) {
            let Some(at) = prior else {
                added.push(row);
                continue;
            };
            let prior = &mut self.rows[at];
            if explicit && is_outdated(&row, prior) {
                merged.outdated += 1;
                continue;
            }
            replaced.insert(at);
            merged.changed |= replace(prior, row);
        }

        for (at, row) in self.rows.iter_mut().enumerate() {
            if !replaced.contains(&at) && has_gone_silent(row, now) {
                row.status = Cow::Borrowed(Status::ForceClosed.word());
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

/// Finds prior rows by their slot.
struct Index<'r> {
    by_slot: HashMap<Slot<'r>, usize>,
    /// Rows that another row of their slot outlives.
    twins: HashSet<usize>,
}

impl<'r> Index<'r> {
    fn of(rows: &'r [Row<'_>]) -> Self {
        let mut twins = HashSet::new();
        let mut by_slot: HashMap<Slot<'_>, usize> = HashMap::with_capacity(rows.len());
        for (at, row) in rows.iter().enumerate() {
            by_slot
                .entry(row.slot())
                .and_modify(|other| {
                    let (winner, loser) = match row.beat() >= rows[*other].beat() {
                        true => (at, *other),
                        false => (*other, at),
                    };
                    *other = winner;
                    twins.insert(loser);
                })
                .or_insert(at);
        }
        Self { by_slot, twins }
    }

    /// Gives which prior row each fresh one replaces: that of its slot, else
    /// one that has no host or no key yet and is adopted now.
    ///
    /// Without a key only the name tells whose row it is, so a name that two
    /// fresh rows have adopts nothing.
    fn priors(&self, fresh: &[Fresh]) -> Vec<Option<usize>> {
        let mut names: HashMap<_, usize> = HashMap::new();
        for Fresh { row, .. } in fresh {
            *names.entry(lower(&row.repo)).or_default() += 1;
        }
        let mut taken = HashSet::new();
        let mut prior = |row: &Row<'_>| {
            let name = lower(&row.repo);
            let unique = names[&name] == 1;
            let own = row.slot();
            let named = Slot {
                host: own.host.clone(),
                identity: Identity::Name(name),
            };
            let slots = [Some(own), Some(named).filter(|_| unique)];
            slots
                .into_iter()
                .flatten()
                .flat_map(|slot| [slot.clone(), Slot { host: None, ..slot }])
                .filter_map(|slot| self.by_slot.get(&slot).copied())
                .find(|&at| taken.insert(at))
        };
        fresh.iter().map(|fresh| prior(&fresh.row)).collect()
    }
}

/// Gives the last fresh row of each slot, without a host where none is stored.
fn latest(fresh: &[Fresh], shared: bool) -> Vec<Fresh> {
    let mut rows: Vec<Fresh> = Vec::with_capacity(fresh.len());
    let mut by_slot = HashMap::with_capacity(fresh.len());
    for item in fresh {
        let mut item = item.clone();
        if !shared {
            item.row.host = None;
        }
        let at = *by_slot
            .entry(item.row.slot().into_owned())
            .or_insert(rows.len());
        match rows.get_mut(at) {
            Some(other) => *other = item,
            None => rows.push(item),
        }
    }
    rows
}

fn is_outdated(fresh: &Row<'_>, prior: &Row<'_>) -> bool {
    let older = fresh
        .beat()
        .zip(prior.beat())
        .is_some_and(|(new, old)| new < old);
    older && fresh.session == prior.session
}

/// Replaces a row but for what is not ours in it; false if it was the same.
fn replace<'a>(prior: &mut Row<'a>, fresh: Row<'static>) -> bool {
    let mut row: Row<'a> = fresh;
    row.extra.clone_from(&prior.extra);
    if row.host.is_none() {
        row.host.clone_from(&prior.host);
    }
    let changed = row != *prior;
    if changed {
        *prior = row;
    }
    changed
}

/// Tells whether a row says that a session runs which has been silent for
/// [`FORCE_CLOSE_AFTER_MS`]; the next update closes it.
pub fn has_gone_silent(row: &Row<'_>, now: Timestamp) -> bool {
    row.status == Status::InProgress.word()
        && row
            .beat()
            .is_some_and(|beat| now.since(beat) >= FORCE_CLOSE_AFTER_MS)
}
