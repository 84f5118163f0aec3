//! Rendering: rows that changed are written anew, everything else as it was.

use super::columns::Columns;
use super::field::Field;
use super::order;
use super::read::Board;
use super::row::Row;
use super::table::push_line;
use crate::Timestamp;

impl<'a> Board<'a> {
    /// Writes the board, with `updated:` set to the given time.
    ///
    /// Rows are sorted by name. A row that was not changed is written as the
    /// very line it was read from, unless a column had to be added.
    pub fn render(&self, updated: Timestamp) -> String {
        let mut out = String::with_capacity(self.size + 512);
        if self.bom {
            out.push('\u{feff}');
        }
        let mut frontmatter = self.frontmatter.clone();
        frontmatter.complete(updated, updated);
        out.extend(frontmatter.lines().iter().map(|line| &**line));
        out.push_str(&self.above);
        if self.tabled || !self.rows.is_empty() {
            self.render_table(&mut out);
        }
        out.push_str(&self.below);
        if !out.is_empty() && !out.ends_with('\n') {
            out.push_str(self.eol);
        }
        out
    }

    fn render_table(&self, out: &mut String) {
        if !self.tabled {
            open_paragraph(out, self.eol);
        }
        let columns = self.columns_needed();
        let as_read = columns.are_as_read();
        columns.write_head(out, self.eol);
        for row in in_order(&self.rows) {
            match row.line().filter(|_| as_read) {
                Some(line) => push_line(out, line, self.eol),
                None => columns.write_row(row, out, self.eol),
            }
        }
        // Text right below a table would be read as its last row.
        let first = self.below.split('\n').next().unwrap_or("");
        if !first.trim().is_empty() {
            out.push_str(self.eol);
        }
    }

    /// Adds the columns that changed rows have cells for, but never `Host`.
    fn columns_needed(&self) -> Columns<'a> {
        let mut columns = self.columns.clone();
        for field in Field::ALL {
            let used = |row: &Row<'_>| row.line().is_none() && row.written(field).is_some();
            if field != Field::Host && !columns.has(field) && self.rows.iter().any(used) {
                columns.add(field);
            }
        }
        columns
    }
}

/// Ends the line and the paragraph, so that what follows starts a block.
pub(super) fn open_paragraph(out: &mut String, eol: &str) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push_str(eol);
    }
    let last = out.lines().next_back().unwrap_or("");
    if !last.trim().is_empty() {
        out.push_str(eol);
    }
}

fn in_order<'r, 'a>(rows: &'r [Row<'a>]) -> impl Iterator<Item = &'r Row<'a>> {
    let sorted = rows.is_sorted_by(|a, b| order::compare(a, b).is_le());
    let mut permuted: Vec<&Row<'a>> = Vec::new();
    if !sorted {
        permuted.extend(rows);
        permuted.sort_by(|a, b| order::compare(a, b));
    }
    let in_place = if sorted { rows } else { &[] };
    in_place.iter().chain(permuted)
}
