//! Joining a board that was overwritten: the newest version of each row.
//!
//! There is no common ancestor to ask: the writer whose board was displaced may
//! have started from any older one. So rows are joined by version. What has no
//! version (prose, frontmatter, foreign cells) is taken from one side.

use super::aligned::AlignedRow;
use super::prose;
use super::read::Board;
use super::slot::{Identity, Slot, lower};
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
    let columns = displaced.columns_with(ours);
    let shared = displaced.is_shared() || ours.is_shared();
    let fresh: HashSet<Slot<'_>> = fresh
        .iter()
        .map(|slot| Slot {
            host: slot.host.clone().filter(|_| shared),
            identity: slot.identity.clone(),
        })
        .collect();

    let adopted = adopted(displaced, ours, &fresh, shared);
    let mut newest = Newest::default();
    for row in &displaced.rows {
        let slot = row.slot(shared);
        if !adopted.contains(&slot) {
            newest.offer(
                slot,
                AlignedRow::of(row, &displaced.columns, &columns),
                None,
            );
        }
    }
    for row in &ours.rows {
        let slot = row.slot(shared);
        let now = fresh.contains(&slot).then_some(now);
        newest.offer(slot, AlignedRow::of(row, &ours.columns, &columns), now);
    }

    let mut board = Board {
        rows: newest.rows.into_iter().map(AlignedRow::into_row).collect(),
        bom: displaced.bom,
        frontmatter: displaced.frontmatter.sharing_like(&ours.frontmatter),
        above: displaced.above.clone(),
        columns,
        tabled: displaced.tabled,
        below: displaced.below.clone(),
        eol: displaced.eol,
        fault: displaced.fault.max(ours.fault),
        size: displaced.size + ours.size,
    };
    board.take_table_of(displaced, ours);
    board
}

/// Joins the rows of two boards; everything else is that of the first.
pub fn join_rows<'a>(kept: &Board<'a>, other: &Board<'a>) -> Board<'a> {
    join(kept, other, &[], Timestamp::from_millis(0))
}

/// Joins the rows of two boards, and keeps the lines of both around them.
///
/// This is for leftovers of a crash, whose age and ancestor are unknown.
pub fn join_all<'a>(kept: &Board<'a>, other: &Board<'a>) -> Board<'a> {
    let mut board = join_rows(kept, other);
    board.frontmatter = kept.frontmatter.union(&other.frontmatter, kept.eol);
    let both = |a, b| Cow::Owned(prose::union_texts(a, b, kept.eol));
    board.above = both(&kept.above, &other.above);
    board.below = both(&kept.below, &other.below);
    board.take_table_of(kept, other);
    board
}

impl Board<'_> {
    /// Returns whether the lines around both tables are the same.
    pub fn has_lines_of(&self, other: &Board<'_>) -> bool {
        self.above == other.above && self.below == other.below
    }
}

/// The newest row of each slot.
#[derive(Default)]
struct Newest<'s, 'a> {
    rows: Vec<AlignedRow<'a>>,
    by_slot: HashMap<Slot<'s>, usize>,
}

impl<'s, 'a> Newest<'s, 'a> {
    /// Takes a row, as new as `now` if that is given.
    fn offer(&mut self, slot: Slot<'s>, new: AlignedRow<'a>, now: Option<Timestamp>) {
        let at = *self.by_slot.entry(slot).or_insert(self.rows.len());
        let Some(old) = self.rows.get_mut(at) else {
            self.rows.push(new);
            return;
        };
        let wins = match now {
            Some(now) => {
                !old.row.is_later_than(Some(now)) || !old.row.is_later_than(new.row.heartbeat())
            }
            None => new.row.cmp_version(&old.row).is_gt(),
        };
        // Foreign cells have no version: the first side's stay.
        old.fill(new.extra);
        if wins {
            old.row = new.row;
        }
    }
}

/// Finds the key-less rows that our fresh rows have replaced by keyed ones.
///
/// On the displaced board they are still there, and would come back.
fn adopted<'s>(
    displaced: &'s Board<'_>,
    ours: &Board<'_>,
    fresh: &HashSet<Slot<'_>>,
    shared: bool,
) -> HashSet<Slot<'s>> {
    let ours_named: HashSet<_> = ours.rows.iter().map(|row| row.slot(shared)).collect();
    let fresh_names: HashSet<String> = ours
        .rows
        .iter()
        .map(|row| (row, row.slot(shared)))
        .filter(|(_, slot)| matches!(slot.identity, Identity::Key(_)) && fresh.contains(slot))
        .map(|(row, _)| lower(&row.repo()).into_owned())
        .collect();
    let mut adopted = HashSet::new();
    for row in &displaced.rows {
        let slot = row.slot(shared);
        if let Identity::Name(name) = &slot.identity
            && fresh_names.contains(&**name)
            && !ours_named.contains(&slot)
        {
            adopted.insert(slot);
        }
    }
    adopted
}
