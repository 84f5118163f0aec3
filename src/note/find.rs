//! Which table of a note is meant, and which row of it.

use crate::board::{Table, cells, clean, has_conflict, tables};
use std::borrow::Cow;

/// A column's title and a text for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The column's title; case does not matter.
    pub column: String,
    /// The text, cleaned.
    pub text: String,
}

impl Cell {
    /// Makes a cell of any text, which becomes one line without controls.
    pub fn new(column: &str, text: &str) -> Self {
        Self {
            column: column.trim().to_owned(),
            text: clean(text).into_owned(),
        }
    }
}

/// The description of one row: its table and its key cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The heading that its table stands under, where the columns do not tell.
    pub table: Option<String>,
    /// The cells that it is known by.
    pub key: Vec<Cell>,
}

/// The reason why a note has no such row, or may not have it changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    /// There is no such file.
    #[error("the note does not exist, and `row` does not create notes")]
    NoNote,
    /// It is not UTF-8 text.
    #[error("it is not UTF-8 text")]
    NotText,
    /// It holds git's conflict markers.
    #[error("it has conflict markers; resolve them first")]
    Conflicted,
    /// No table has the columns.
    #[error("no table has the columns {wanted}; the tables are {candidates}")]
    NoTable {
        /// The columns.
        wanted: String,
        /// All tables there are, with heading and columns.
        candidates: String,
    },
    /// More than one table has them.
    #[error(
        "several tables have the columns {wanted}: name the heading of one with --table; they are {candidates}"
    )]
    SeveralTables {
        /// The columns.
        wanted: String,
        /// Those tables, with heading and columns.
        candidates: String,
    },
    /// The table has a column's title twice.
    #[error("the table has several columns `{0}`")]
    SeveralColumns(String),
    /// More than one row has the key.
    #[error("{0} rows have that key: name more columns with --key")]
    SeveralRows(usize),
}

/// A table with the columns that were wanted.
#[derive(Debug)]
pub struct MatchingTable<'a> {
    /// The table.
    pub table: Table<'a>,
    /// The heading it stands under.
    pub heading: Option<&'a str>,
    titles: Vec<Cow<'a, str>>,
}

impl Wanted {
    /// Finds the one table that has the key columns, and `more` columns.
    ///
    /// # Errors
    ///
    /// None or several have them, or the note is in conflict.
    pub fn table<'a>(&self, text: &'a str, more: &[Cell]) -> Result<MatchingTable<'a>, NotFound> {
        if has_conflict(text) {
            return Err(NotFound::Conflicted);
        }
        let columns: Vec<&str> = self
            .key
            .iter()
            .chain(more)
            .map(|cell| &*cell.column)
            .collect();
        let all: Vec<MatchingTable<'a>> = tables(text)
            .into_iter()
            .map(|placed| MatchingTable {
                table: placed.table,
                heading: placed.heading,
                titles: placed.table.titles(),
            })
            .collect();
        let all_named = names(&all);
        let is_meant = |matching: &MatchingTable| {
            let under = |heading: &String| matching.heading.is_some_and(|own| same(own, heading));
            self.table.as_ref().is_none_or(under)
                && columns
                    .iter()
                    .all(|column| matching.places(column).count() > 0)
        };
        let mut meant: Vec<MatchingTable<'a>> = all.into_iter().filter(is_meant).collect();
        let mut wanted = listed(columns.iter().map(|column| format!("`{column}`")));
        if let Some(heading) = &self.table {
            wanted.push_str(&format!(" under `{heading}`"));
        }
        let candidates = names(&meant);
        let matching = match (meant.pop(), meant.len()) {
            (None, _) => {
                let candidates = all_named;
                return Err(NotFound::NoTable { wanted, candidates });
            }
            (Some(matching), 0) => matching,
            (Some(_), _) => return Err(NotFound::SeveralTables { wanted, candidates }),
        };
        match columns
            .iter()
            .find(|column| matching.places(column).count() > 1)
        {
            Some(column) => Err(NotFound::SeveralColumns((*column).to_owned())),
            None => Ok(matching),
        }
    }
}

impl<'a> MatchingTable<'a> {
    /// Returns the column titles.
    pub fn titles(&self) -> &[Cow<'a, str>] {
        &self.titles
    }

    /// Returns the lines of the rows that have the key, and where they start.
    pub fn rows(&self, key: &[Cell]) -> Vec<(usize, &'a str)> {
        let start = self.table.before.len() + self.table.header.len() + self.table.delimiter.len();
        let mut rows = Vec::new();
        let mut at = start;
        for line in self.table.rows() {
            let texts: Vec<_> = cells(line).collect();
            let has = |cell: &Cell| {
                let text = self
                    .column(&cell.column)
                    .and_then(|column| texts.get(column));
                text.map_or("", |text| text) == cell.text
            };
            if key.iter().all(has) {
                rows.push((at, line));
            }
            at += line.len();
        }
        rows
    }

    /// Returns the place of a column.
    pub(super) fn column(&self, title: &str) -> Option<usize> {
        self.places(title).next()
    }

    fn places(&self, title: &str) -> impl Iterator<Item = usize> {
        let all = self.titles.iter().enumerate();
        all.filter(move |(_, own)| same(own, title))
            .map(|(at, _)| at)
    }
}

fn same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

fn names(tables: &[MatchingTable]) -> String {
    let name = |matching: &MatchingTable| {
        let columns = listed(matching.titles.iter().map(|title| format!("`{title}`")));
        match matching.heading {
            Some(heading) => format!("under `{heading}` with {columns}"),
            None => format!("under no heading with {columns}"),
        }
    };
    match tables {
        [] => "none".to_owned(),
        _ => tables.iter().map(name).collect::<Vec<_>>().join("; "),
    }
}

fn listed(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}
