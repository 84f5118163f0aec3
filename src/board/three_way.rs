//! Two boards with a common ancestor: every change of either side.
//!
//! The result does not depend on which side is which, so that two clones that
//! merge each other's work end with the same bytes.

use super::aligned::AlignedRow;
use super::cell::ABSENT;
use super::columns::Columns;
use super::field::Field;
use super::prose;
use super::read::Board;
use super::row::Row;
use super::slot::Slot;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// Merges two boards that both started from `base`.
///
/// A row changed on one side takes that side; changed on both, the later
/// heartbeat, then the more final status. A row deleted on one side is gone
/// unless the other side changed it. Of columns and prose all additions stay.
pub fn three_way<'a>(base: &Board<'a>, ours: &Board<'a>, theirs: &Board<'a>) -> Board<'a> {
    let (one, other) = match (&ours.columns, ours.eol) <= (&theirs.columns, theirs.eol) {
        true => (ours, theirs),
        false => (theirs, ours),
    };
    let (lead, follow) = match one.columns == base.columns {
        true => (other, one),
        false => (one, other),
    };
    let columns = lead.columns_with(follow);
    let text = |base: &str, one: &str, other: &str| {
        Cow::Owned(prose::three_way_texts(base, one, other, lead.eol))
    };
    let mut board = Board {
        rows: merge_rows(base, one, other, &columns),
        bom: either(base.bom, one.bom, other.bom),
        frontmatter: base
            .frontmatter
            .three_way(&one.frontmatter, &other.frontmatter, lead.eol),
        above: text(&base.above, &one.above, &other.above),
        columns,
        tabled: lead.tabled,
        below: text(&base.below, &one.below, &other.below),
        eol: lead.eol,
        fault: one.fault.max(other.fault),
        size: one.size.max(other.size),
    };
    board.take_table_of(one, other);
    board
}

fn either(base: bool, one: bool, other: bool) -> bool {
    if one == base { other } else { one }
}

fn merge_rows<'a>(
    base: &Board<'a>,
    one: &Board<'a>,
    other: &Board<'a>,
    columns: &Columns<'a>,
) -> Vec<Row<'a>> {
    let shared = one.is_shared() || other.is_shared();
    let [base, one, other] = [base, one, other].map(|board| by_slot(board, columns, shared));
    let slots: BTreeSet<&Slot<'_>> = one.keys().chain(other.keys()).collect();
    slots
        .into_iter()
        .filter_map(|slot| merge_row(base.get(slot), one.get(slot), other.get(slot)))
        .map(AlignedRow::into_row)
        .collect()
}

/// Returns the rows of a board; of two in one slot the one that a merge keeps.
fn by_slot<'a>(
    board: &Board<'a>,
    columns: &Columns<'a>,
    shared: bool,
) -> HashMap<Slot<'static>, AlignedRow<'a>> {
    let mut rows: HashMap<_, AlignedRow<'a>> = HashMap::with_capacity(board.rows.len());
    for row in &board.rows {
        let slot = row.slot(shared).into_owned();
        if rows
            .get(&slot)
            .is_none_or(|above| row.supersedes(&above.row))
        {
            rows.insert(slot, AlignedRow::of(row, &board.columns, columns));
        }
    }
    rows
}

fn merge_row<'a>(
    base: Option<&AlignedRow<'a>>,
    one: Option<&AlignedRow<'a>>,
    other: Option<&AlignedRow<'a>>,
) -> Option<AlignedRow<'a>> {
    let (one, other) = match (one, other) {
        (Some(one), Some(other)) => (one, other),
        (Some(row), None) | (None, Some(row)) => {
            let deleted = base.is_some_and(|base| base.same(row));
            return (!deleted).then(|| row.clone());
        }
        (None, None) => return None,
    };
    let newer = match one.order(other).is_ge() {
        true => (one, other),
        false => (other, one),
    };
    let Some(base) = base else {
        return Some(newer.0.clone());
    };
    // Who changed nothing, or only how the line is written, gives way.
    let (winner, loser) = match newer.0.same_known(base) {
        true => (newer.1, newer.0),
        false => newer,
    };
    let mut merged = winner.clone();
    // Foreign cells have no version of their own: each is merged by itself.
    for at in 0..merged.extra.len().max(loser.extra.len()) {
        let [base, mine, its] =
            [base, winner, loser].map(|row| row.extra.get(at).cloned().flatten());
        // No cell may mean no column: a column deleted on one side only stays.
        if text(&mine) == text(&base) && its.is_some() {
            merged.extra.resize(merged.extra.len().max(at + 1), None);
            merged.extra[at] = its;
        }
    }
    Some(merged)
}

impl AlignedRow<'_> {
    fn same_known(&self, other: &Self) -> bool {
        Field::ALL
            .iter()
            .all(|&field| self.row.written(field) == other.row.written(field))
    }

    fn same(&self, other: &Self) -> bool {
        let cells = |row: &Self| -> Vec<String> {
            let texts = row.extra.iter().map(|cell| text(cell).to_owned());
            let mut texts: Vec<_> = texts.collect();
            while texts.last().is_some_and(String::is_empty) {
                texts.pop();
            }
            texts
        };
        self.same_known(other) && cells(self) == cells(other)
    }

    /// Compares by version, and where that says nothing by all the rest.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        self.row
            .cmp_version(&other.row)
            .then_with(|| self.extra.cmp(&other.extra))
            .then_with(|| self.row.line().cmp(&other.row.line()))
    }
}

/// Returns what a foreign cell says; nothing, a dash and no cell are the same.
fn text<'c>(cell: &'c Option<Cow<'_, str>>) -> &'c str {
    cell.as_deref().filter(|text| *text != ABSENT).unwrap_or("")
}
