//! What becomes of a board that was overwritten: the newest of each row.
//!
//! There is no common ancestor to ask: the writer whose board was displaced may
//! have started from any older one. So rows are joined by version. What has no
//! version (prose, frontmatter, foreign cells) is taken from one side.

use super::columns::Columns;
use super::row::Row;
use super::slot::{Slot, lower};
use super::{Board, Identity, prose, version};
use crate::Timestamp;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Joins a displaced board with the one that displaced it.
///
/// The rows of `ours` in `fresh` slots are as new as `now`. Where versions say
/// nothing, the displaced board wins, for it was on disk last. In their known
/// cells the joined rows do not depend on the order of joins.
pub fn join<'a>(
    displaced: &Board<'a>,
    ours: &Board<'a>,
    fresh: &[Slot<'_>],
    now: Timestamp,
) -> Board<'a> {
    let columns = displaced.columns.union(&ours.columns);
    let shared = columns.has(super::Field::Host);
    let fresh: HashSet<Slot<'_>> = fresh
        .iter()
        .map(|slot| Slot {
            host: slot.host.clone().filter(|_| shared),
            identity: slot.identity.clone(),
        })
        .collect();

    let mut newest = Newest::default();
    for row in &displaced.rows {
        newest.offer(Wide::of(row, &displaced.columns, &columns), None);
    }
    for row in &ours.rows {
        let now = fresh.contains(&row.slot()).then_some(now);
        newest.offer(Wide::of(row, &ours.columns, &columns), now);
    }
    let adopted = adopted(displaced, ours, &fresh);
    let rows = newest.rows.into_iter().map(Wide::narrow);

    Board {
        rows: rows.filter(|row| !adopted.contains(&row.slot())).collect(),
        columns,
        tabled: displaced.tabled || ours.tabled,
        conflicted: displaced.conflicted || ours.conflicted,
        size: displaced.size + ours.size,
        ..displaced.clone()
    }
}

/// Joins the rows of two boards; everything else is that of the first.
pub fn join_rows<'a>(kept: &Board<'a>, other: &Board<'a>) -> Board<'a> {
    join(kept, other, &[], Timestamp::from_millis(0))
}

/// Joins the rows of two boards, and keeps the lines of both around them.
///
/// This is for leftovers of a crash, whose age and ancestor nobody knows.
pub fn join_all<'a>(kept: &Board<'a>, other: &Board<'a>) -> Board<'a> {
    let mut board = join_rows(kept, other);
    board.frontmatter = kept.frontmatter.union(&other.frontmatter);
    let both = |a, b| Cow::Owned(prose::union_texts(a, b, kept.eol));
    board.above = both(&kept.above, &other.above);
    board.below = both(&kept.below, &other.below);
    board.keep_table_visible(&kept.above, &other.above);
    board
}

/// Collects the newest row of each slot.
#[derive(Default)]
struct Newest<'a> {
    rows: Vec<Wide<'a>>,
    by_slot: HashMap<Slot<'static>, usize>,
}

impl<'a> Newest<'a> {
    /// Takes a row, as new as `now` if that is given.
    fn offer(&mut self, new: Wide<'a>, now: Option<Timestamp>) {
        let slot = new.row.slot().into_owned();
        let Some(&at) = self.by_slot.get(&slot) else {
            self.by_slot.insert(slot, self.rows.len());
            self.rows.push(new);
            return;
        };
        let old = &mut self.rows[at];
        let wins = match now {
            Some(now) => old.row.beat() <= new.row.beat().max(Some(now)),
            None => version::compare(&new.row, &old.row).is_gt(),
        };
        // Foreign cells have no version: the first side's stay.
        old.fill(new.extra);
        if wins {
            old.row = new.row;
        }
    }
}

/// Is a row under the columns of two boards.
#[derive(Clone)]
pub(super) struct Wide<'a> {
    pub(super) row: Row<'a>,
    /// Its foreign cells; `None` where its own board has no such column.
    pub(super) extra: Vec<Option<Cow<'a, str>>>,
}

impl<'a> Wide<'a> {
    pub(super) fn of(row: &Row<'a>, from: &Columns<'a>, to: &Columns<'a>) -> Self {
        let mut row = row.clone();
        let extra = from.spread(&row, to);
        if !from.same_layout(to) {
            row.forget_line();
        }
        Self { row, extra }
    }

    fn fill(&mut self, other: Vec<Option<Cow<'a, str>>>) {
        for (at, cell) in other.into_iter().enumerate() {
            match self.extra.get_mut(at) {
                Some(mine) => *mine = mine.take().or(cell),
                None => self.extra.push(cell),
            }
        }
    }

    /// Gives the row back; its line stays if all its cells do.
    pub(super) fn narrow(self) -> Row<'a> {
        let Self { mut row, mut extra } = self;
        while extra.last().is_some_and(Option::is_none) {
            extra.pop();
        }
        let absent = Cow::Borrowed(super::ABSENT);
        let extra: Vec<_> = extra
            .into_iter()
            .map(|cell| cell.unwrap_or_else(|| absent.clone()))
            .collect();
        if row.extra != extra {
            row.extra = extra;
        }
        row
    }
}

/// Finds the key-less rows that our fresh rows have replaced by keyed ones.
///
/// On the displaced board they are still there, and would come back.
fn adopted<'s>(
    displaced: &'s Board<'_>,
    ours: &Board<'_>,
    fresh: &HashSet<Slot<'_>>,
) -> HashSet<Slot<'s>> {
    let ours_named: HashSet<_> = ours.rows.iter().map(|row| row.slot()).collect();
    let fresh_names: HashSet<_> = ours
        .rows
        .iter()
        .filter(|row| row.key.is_some() && fresh.contains(&row.slot()))
        .map(|row| lower(&row.repo))
        .collect();
    let mut adopted = HashSet::new();
    for row in &displaced.rows {
        let slot = row.slot();
        if let Identity::Name(name) = &slot.identity
            && fresh_names.contains(name)
            && !ours_named.contains(&slot)
        {
            adopted.insert(slot);
        }
    }
    adopted
}
