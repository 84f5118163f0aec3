//! The rows of a board by their slot: which row an update starts from.

use super::field::Field;
use super::read::Board;
use super::row::Row;
use super::slot::{Identity, Slot, lower};
use super::upsert::Fresh;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

impl<'a> Board<'a> {
    /// Returns the rows by their slot, for looking up many.
    pub fn index(&self) -> Index<'_, 'a> {
        Index::of(&self.rows, self.is_shared())
    }

    /// Finds the row that an update of this slot would start from.
    ///
    /// Of two rows in one slot it gives the one that a merge would keep. The
    /// slot's host counts only on a shared board, on which a row without a host
    /// is anybody's.
    pub fn prior(&self, slot: &Slot<'_>) -> Option<&Row<'a>> {
        self.index().prior(slot).map(|(_, row)| row)
    }
}

/// The rows of a board by their slot.
pub struct Index<'r, 'a> {
    rows: &'r [Row<'a>],
    by_slot: HashMap<Slot<'r>, usize>,
    /// Rows that another row of their slot supersedes.
    pub(super) twins: HashSet<usize>,
    shared: bool,
}

impl<'r, 'a> Index<'r, 'a> {
    pub(super) fn of(rows: &'r [Row<'a>], shared: bool) -> Self {
        let mut index = Self {
            rows,
            by_slot: HashMap::with_capacity(rows.len()),
            twins: HashSet::new(),
            shared,
        };
        for (at, row) in rows.iter().enumerate() {
            let slot = row.slot(shared);
            let survivor = match index.by_slot.get(&slot) {
                Some(&above) => index.survivor(above, at),
                None => at,
            };
            index.by_slot.insert(slot, survivor);
        }
        index
    }

    /// Finds the row of [`Board::prior`], and its place among the rows.
    pub fn prior(&self, slot: &Slot<'_>) -> Option<(usize, &'r Row<'a>)> {
        let on = |host: Option<Cow<'_, str>>| {
            let identity = slot.identity.clone();
            self.by_slot.get(&Slot { host, identity }).copied()
        };
        let host = slot.host.clone().filter(|_| self.shared);
        let at = on(host).or_else(|| on(None))?;
        Some((at, &self.rows[at]))
    }

    /// Returns which of two rows of one slot stays; the other is a twin.
    fn survivor(&mut self, above: usize, below: usize) -> usize {
        let (above, below) = (above.min(below), above.max(below));
        let (survivor, twin) = match self.rows[below].supersedes(&self.rows[above]) {
            true => (below, above),
            false => (above, below),
        };
        self.twins.insert(twin);
        survivor
    }

    /// Returns which prior row each fresh one replaces: that of its slot, be it
    /// under another name of the host, else one that has no host or no key yet
    /// and is adopted now.
    ///
    /// Without a key only the name tells whose row it is, so a name that two
    /// fresh rows have adopts nothing: its old row goes once one of them is new,
    /// for it was the row of one of the two.
    pub(super) fn priors(&mut self, fresh: &[Fresh]) -> Vec<Option<usize>> {
        let mut names: HashMap<_, usize> = HashMap::new();
        for Fresh { row, .. } in fresh {
            *names.entry(lower(&row.repo()).into_owned()).or_default() += 1;
        }
        let mut taken = HashSet::new();
        let mut priors = Vec::with_capacity(fresh.len());
        for Fresh {
            row, host_names, ..
        } in fresh
        {
            let name = lower(&row.repo()).into_owned();
            let is_unique = names[&name] == 1;
            let own = self.own(row, host_names);
            let named = Slot {
                host: None,
                identity: Identity::Name(name.into()),
            }
            .on(row.written(Field::Host).filter(|_| self.shared));
            let keyed = Slot {
                host: None,
                ..row.slot(self.shared)
            };
            let nameless = Slot {
                host: None,
                ..named.clone()
            };
            let ambiguous: Vec<usize> = [&named, &nameless]
                .iter()
                .filter(|_| !is_unique)
                .filter_map(|slot| self.by_slot.get(*slot).copied())
                .collect();
            let adopted = [
                Some(keyed),
                Some(named).filter(|_| is_unique),
                Some(nameless).filter(|_| is_unique),
            ];
            let adopted = adopted
                .iter()
                .flatten()
                .filter_map(|slot| self.by_slot.get(slot).copied());
            let prior = own
                .into_iter()
                .chain(adopted)
                .find(|at| !taken.contains(at));
            taken.extend(prior);
            if prior.is_none() {
                self.twins.extend(ambiguous);
            }
            priors.push(prior);
        }
        priors
    }

    /// Finds the row of this very slot, under any name of the host; one host
    /// never has two rows of one key.
    fn own(&mut self, row: &Row<'_>, host_names: &[String]) -> Option<usize> {
        let slot = row.slot(self.shared);
        let aliases = host_names.iter().filter(|_| self.shared);
        let aliases = aliases.map(|name| slot.clone().on(Some(name)));
        let slots: HashSet<Slot<'_>> = aliases.chain([slot.clone()]).collect();
        let mut rows: Vec<usize> = slots
            .iter()
            .filter_map(|slot| self.by_slot.get(slot).copied())
            .collect();
        let first = rows.pop()?;
        Some(
            rows.into_iter()
                .fold(first, |one, other| self.survivor(one, other)),
        )
    }
}
