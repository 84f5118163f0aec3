//! Which column is which: known ones by their title, all others kept.

use super::cell::{ABSENT, clean};
use super::field::Field;
use super::row::Row;
use super::table::{Table, cells, push_line, write_row};
use std::borrow::Cow;

/// The head of a board's table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Columns<'a> {
    columns: Vec<Column<'a>>,
    /// Header and delimiter as they were read, until a column is added.
    lines: Option<[&'a str; 2]>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Column<'a> {
    title: Cow<'a, str>,
    /// The dashes and colons of the delimiter.
    alignment: Cow<'a, str>,
    field: Option<Field>,
}

impl<'a> Columns<'a> {
    /// Returns the seven columns of a new board.
    pub(super) fn standard() -> Self {
        let mut columns = Self {
            columns: Vec::new(),
            lines: None,
        };
        for field in Field::ALL {
            if field != Field::Host {
                columns.add(field);
            }
        }
        columns
    }

    /// Distinguishes a board's table from other tables by its titles.
    pub(super) fn are_a_boards(titles: &[Cow<'_, str>]) -> bool {
        let has = |field| {
            titles
                .iter()
                .any(|title| Field::titled(title) == Some(field))
        };
        has(Field::Repo) && has(Field::Status)
    }

    /// Reads the head of a table.
    pub(super) fn read(table: &Table<'a>) -> Self {
        let mut columns: Vec<Column<'a>> = Vec::new();
        let mut alignments = cells(table.delimiter);
        for title in cells(table.header) {
            let first = |field: &Field| columns.iter().all(|column| column.field != Some(*field));
            columns.push(Column {
                field: Field::titled(&title).filter(first),
                title,
                alignment: alignments.next().unwrap_or(Cow::Borrowed("---")),
            });
        }
        Self {
            columns,
            lines: Some([table.header, table.delimiter]),
        }
    }

    pub(super) fn has(&self, field: Field) -> bool {
        self.columns
            .iter()
            .any(|column| column.field == Some(field))
    }

    /// Appends a known column, unless it is there.
    pub(super) fn add(&mut self, field: Field) {
        if !self.has(field) {
            self.push(Column {
                title: Cow::Borrowed(field.title()),
                alignment: Cow::Borrowed("---"),
                field: Some(field),
            });
        }
    }

    fn push(&mut self, column: Column<'a>) {
        self.columns.push(column);
        self.lines = None;
    }

    /// Returns whether a line of a row means the same under both heads.
    pub(super) fn same_layout(&self, other: &Self) -> bool {
        self.columns
            .iter()
            .map(|column| &column.title)
            .eq(other.columns.iter().map(|column| &column.title))
    }

    /// Returns whether the head is still the one that was read.
    pub(super) fn are_as_read(&self) -> bool {
        self.lines.is_some()
    }

    /// Returns these columns, then those that only the other head has.
    pub(super) fn union(&self, other: &Self) -> Self {
        let mut all = self.clone();
        for (column, place) in other.columns.iter().zip(other.positions(self)) {
            let known = match column.field {
                Some(field) => self.has(field),
                None => place.is_some(),
            };
            if !known {
                all.push(column.clone());
            }
        }
        all
    }

    /// Returns for each column here which extra column it is there.
    ///
    /// The second column of one title here is the second of that title there.
    fn positions(&self, there: &Self) -> Vec<Option<usize>> {
        let mut free: Vec<_> = there.extra_titles().map(Some).collect();
        let place = |column: &Column<'a>| {
            column.field.is_none().then(|| {
                let at = free.iter().position(|title| {
                    title.is_some_and(|t| t.eq_ignore_ascii_case(&column.title))
                })?;
                free[at] = None;
                Some(at)
            })?
        };
        self.columns.iter().map(place).collect()
    }

    pub(super) fn extra_titles(&self) -> impl Iterator<Item = &str> {
        let extra = self.columns.iter().filter(|column| column.field.is_none());
        extra.map(|column| &*column.title)
    }

    /// Returns a row's extra cells as the extra columns of another head.
    ///
    /// `None` is a column that this head lacks; cells beyond the header follow.
    pub(super) fn spread(&self, row: &Row<'a>, there: &Self) -> Vec<Option<Cow<'a, str>>> {
        let mut spread = vec![None; there.extra_titles().count()];
        let positions = self.positions(there);
        let mut positions = positions
            .iter()
            .zip(&self.columns)
            .filter(|(_, column)| column.field.is_none())
            .map(|(place, _)| *place);
        for cell in row.extra() {
            match positions.next() {
                Some(Some(place)) => spread[place] = Some(cell.clone()),
                // A column that the other head lacks: `union` has made it none.
                Some(None) => {}
                None => spread.push(Some(cell.clone())),
            }
        }
        spread
    }

    /// Reads the line of a row.
    ///
    /// A cell is what would be written of it, whatever the line holds: else a
    /// row could have another slot, or place, once it is written anew.
    pub(super) fn read_row(&self, line: &'a str) -> Row<'a> {
        let is_clean = matches!(clean(line), Cow::Borrowed(_));
        let cleaned = |cell: Cow<'a, str>| match is_clean {
            true => cell,
            false => Cow::Owned(clean(&cell).into_owned()),
        };
        let fields = self.columns.iter().map(|column| column.field);
        let fields = fields.chain(std::iter::repeat(None));
        Row::read(line, fields.zip(cells(line).map(cleaned)))
    }

    /// Writes header and delimiter.
    pub(super) fn write_head(&self, out: &mut String, eol: &str) {
        if let Some([header, delimiter]) = self.lines {
            push_line(out, header, eol);
            push_line(out, delimiter, eol);
            return;
        }
        write_row(out, self.columns.iter().map(|column| &*column.title), eol);
        out.push('|');
        for column in &self.columns {
            out.push_str(&column.alignment);
            out.push('|');
        }
        out.push_str(eol);
    }

    /// Writes a row under these columns.
    pub(super) fn write_row(&self, row: &Row<'_>, out: &mut String, eol: &str) {
        let mut extra = row.extra().iter().map(|cell| clean(cell));
        let mut line: Vec<Cow<'_, str>> = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            line.push(match column.field {
                Some(field) => Cow::Borrowed(row.written(field).unwrap_or(field.absent())),
                None => extra.next().unwrap_or(Cow::Borrowed(ABSENT)),
            });
        }
        line.extend(extra);
        write_row(out, line.iter().map(|cell| &**cell), eol);
    }
}
