//! Two boards under one head: the columns of both, and each row under them.

use super::cell::ABSENT;
use super::columns::Columns;
use super::read::Board;
use super::render::open_paragraph;
use super::row::Row;
use super::shown_lines::ends_hidden;
use super::table::Table;
use std::borrow::Cow;

impl<'a> Board<'a> {
    /// Returns the columns of this board's table, then those that only the
    /// other's has.
    pub(super) fn columns_with(&self, other: &Self) -> Columns<'a> {
        match (self.tabled, other.tabled) {
            (false, true) => other.columns.clone(),
            (true, false) => self.columns.clone(),
            _ => self.columns.union(&other.columns),
        }
    }

    /// Makes room for the table of two boards between their merged prose.
    pub(super) fn take_table_of(&mut self, one: &Self, other: &Self) {
        self.tabled = one.tabled || other.tabled;
        let eol = self.eol;
        if has_table(&self.above) || ends_hidden(&self.above) {
            self.above = Cow::Owned(one_by_one(&one.above, &other.above, eol));
        }
        if !self.tabled && has_table(&self.below) {
            self.below = Cow::Owned(one_by_one(&one.below, &other.below, eol));
        }
        let between = self.tabled || !self.below.is_empty();
        if between && !(one.tabled && other.tabled) {
            open_paragraph(self.above.to_mut(), eol);
        }
    }
}

/// Puts whole texts one after the other, where lines must not be mixed.
///
/// Merged line by line, two code fences can leave half of one, and two
/// paragraphs a table that was in neither.
fn one_by_one(one: &str, other: &str, eol: &str) -> String {
    let (one, other) = if one <= other {
        (one, other)
    } else {
        (other, one)
    };
    let text = in_turn(one, other, eol);
    // A fence that the one leaves open may be closed by what opens the other's.
    match has_table(&text) {
        true => in_turn(other, one, eol),
        false => text,
    }
}

fn in_turn(one: &str, other: &str, eol: &str) -> String {
    let mut text = one.to_owned();
    open_paragraph(&mut text, eol);
    text.push_str(other);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(eol);
    }
    text
}

fn has_table(text: &str) -> bool {
    Table::find(text, Columns::are_a_boards).is_some()
}

/// A row under the columns of two boards.
#[derive(Clone)]
pub(super) struct AlignedRow<'a> {
    pub(super) row: Row<'a>,
    /// Its foreign cells; `None` where its own board has no such column.
    pub(super) extra: Vec<Option<Cow<'a, str>>>,
}

impl<'a> AlignedRow<'a> {
    pub(super) fn of(row: &Row<'a>, from: &Columns<'a>, to: &Columns<'a>) -> Self {
        let mut row = row.clone();
        let extra = from.spread(&row, to);
        if !from.same_layout(to) {
            row.forget_line();
        }
        Self { row, extra }
    }

    /// Takes those foreign cells of another row that this one lacks.
    pub(super) fn fill(&mut self, other: Vec<Option<Cow<'a, str>>>) {
        for (at, cell) in other.into_iter().enumerate() {
            match self.extra.get_mut(at) {
                Some(mine) => *mine = mine.take().or(cell),
                None => self.extra.push(cell),
            }
        }
    }

    /// Turns it back into a row, which keeps its line if all its cells are unchanged.
    pub(super) fn into_row(self) -> Row<'a> {
        let Self { mut row, mut extra } = self;
        while extra.last().is_some_and(Option::is_none) {
            extra.pop();
        }
        let absent = Cow::Borrowed(ABSENT);
        let cells = extra.into_iter();
        row.set_extra(
            cells
                .map(|cell| cell.unwrap_or_else(|| absent.clone()))
                .collect(),
        );
        row
    }
}
