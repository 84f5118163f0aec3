//! What a note looks like once one of its rows is set or removed; pure.

use super::find::{Cell, MatchingTable, NotFound, Wanted};
use crate::board::{cells, write_row};

/// One change of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowEdit {
    /// Which row.
    pub row: Wanted,
    /// What becomes of it.
    pub change: RowChange,
}

/// The change of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowChange {
    /// These cells are set; a row that is not there is appended to its table.
    Set(Vec<Cell>),
    /// It goes; being gone already is fine.
    Remove,
}

impl RowEdit {
    /// Returns the note's new text; `None` if it says this already.
    ///
    /// # Errors
    ///
    /// The row cannot be told from others.
    pub fn apply(&self, text: &str) -> Result<Option<String>, NotFound> {
        let set: &[Cell] = match &self.change {
            RowChange::Set(cells) => cells,
            RowChange::Remove => &[],
        };
        let matching = self.row.table(text, set)?;
        let rows = matching.rows(&self.row.key);
        let (at, old) = match rows[..] {
            [] if self.change == RowChange::Remove => return Ok(None),
            [] => (text.len() - matching.table.after.len(), ""),
            [row] => row,
            _ => return Err(NotFound::SeveralRows(rows.len())),
        };
        let (before, after) = (&text[..at], &text[at + old.len()..]);
        if self.change == RowChange::Remove {
            return Ok(Some([before, after].concat()));
        }
        let is = |line| cells(line).map(Into::into).collect::<Vec<String>>();
        let mut row = is(old);
        let known = self.row.key.iter().chain(set);
        let mut is_so = !old.is_empty();
        for cell in known {
            let column = matching.column(&cell.column).expect("the table has it");
            if row.len() <= column {
                row.resize(column + 1, String::new());
            }
            is_so &= row[column] == cell.text;
            row[column].clone_from(&cell.text);
        }
        if is_so {
            return Ok(None);
        }
        if row.len() < matching.titles().len() {
            row.resize(matching.titles().len(), String::new());
        }
        Ok(Some(splice(before, &row, old, after, &matching)))
    }
}

/// Writes a row in the place of the line `old`, or between two lines.
fn splice(
    before: &str,
    row: &[String],
    old: &str,
    after: &str,
    matching: &MatchingTable,
) -> String {
    let eol = ending(matching.table.header);
    let mut text = String::with_capacity(before.len() + after.len() + 128);
    text.push_str(before);
    let is_open = !before.ends_with('\n');
    if is_open {
        text.push_str(eol);
    }
    // The last line of a note keeps having no ending, if it has none.
    let ending = match (old, is_open) {
        ("", false) => eol,
        ("", true) => "",
        (old, _) => ending(old),
    };
    // A table in a list item is one only as far as it is indented.
    let like = if old.is_empty() {
        matching.table.header
    } else {
        old
    };
    let indent = like.len() - like.trim_start_matches([' ', '\t']).len();
    text.push_str(&like[..indent]);
    write_row(&mut text, row.iter().map(String::as_str), ending);
    text.push_str(after);
    text
}

fn ending(line: &str) -> &'static str {
    match line {
        line if line.ends_with("\r\n") => "\r\n",
        line if line.ends_with('\n') => "\n",
        _ => "",
    }
}
