//! A GFM table in a markdown note, whatever it holds.
//!
//! Nothing here knows of boards: a table is found, its lines are split into
//! cells, and cells are written as lines. Rules: GFM 0.29, section 4.10.

use super::cell::{escape, unescape};
use super::shown_lines::ShownLines;
use std::borrow::Cow;

/// A note cut at a table; the five parts in order are the whole text.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// Everything before the header line.
    pub before: &'a str,
    /// The header line, with its ending.
    pub header: &'a str,
    /// The delimiter line, with its ending.
    pub delimiter: &'a str,
    /// The lines of the rows.
    pub body: &'a str,
    /// Everything after the last row.
    pub after: &'a str,
}

impl<'a> Table<'a> {
    /// Finds the first table whose header cells are the wanted ones.
    ///
    /// Code and comments hold no tables, nor is one whose delimiter line has
    /// another number of cells than its header.
    pub fn find(text: &'a str, wanted: impl Fn(&[Cow<'a, str>]) -> bool) -> Option<Self> {
        let mut shown = ShownLines::default();
        let mut start = 0;
        for header in text.split_inclusive('\n') {
            let end = start + header.len();
            let rest = &text[end..];
            let delimiter = rest.split_inclusive('\n').next().unwrap_or("");
            if shown.takes(header)
                && is_delimiter(delimiter)
                && is_row(header)
                && cells(delimiter).count() == cells(header).count()
                && wanted(&cells(header).collect::<Vec<_>>())
            {
                let rest = &rest[delimiter.len()..];
                let rows = rest.split_inclusive('\n').take_while(|line| is_row(line));
                let (body, after) = rest.split_at(rows.map(str::len).sum());
                return Some(Self {
                    before: &text[..start],
                    header,
                    delimiter,
                    body,
                    after,
                });
            }
            start = end;
        }
        None
    }

    /// Returns the lines of the rows, with their endings.
    pub fn rows(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.body.split_inclusive('\n')
    }

    /// Returns the column titles.
    pub fn titles(&self) -> Vec<Cow<'a, str>> {
        cells(self.header).collect()
    }
}

/// Splits a line of a table into its cells, trimmed and unescaped.
pub fn cells(line: &str) -> Cells<'_> {
    let line = line.trim();
    Cells {
        rest: Some(line.strip_prefix('|').unwrap_or(line)).filter(|rest| !rest.is_empty()),
    }
}

/// The cells of one line.
#[derive(Clone, Debug)]
pub struct Cells<'a> {
    rest: Option<&'a str>,
}

impl<'a> Iterator for Cells<'a> {
    type Item = Cow<'a, str>;

    fn next(&mut self) -> Option<Cow<'a, str>> {
        let rest = self.rest?;
        let (end, escaped) = first_pipe(rest);
        self.rest = rest
            .get(end + 1..)
            // The line is trimmed: nothing behind a pipe means the last one.
            .filter(|rest| !rest.is_empty());
        let cell = rest[..end].trim();
        Some(match escaped {
            true => unescape(cell),
            false => Cow::Borrowed(cell),
        })
    }
}

/// Finds the first unescaped pipe, and tells whether it passed an escaped one.
fn first_pipe(text: &str) -> (usize, bool) {
    let bytes = text.as_bytes();
    let mut escaped = false;
    for (at, &byte) in bytes.iter().enumerate() {
        if byte == b'|' {
            if at == 0 || bytes[at - 1] != b'\\' {
                return (at, escaped);
            }
            escaped = true;
        }
    }
    (bytes.len(), escaped)
}

/// Writes cells as a line; they hold no line breaks (see [`clean`](super::clean)).
pub fn write_row<'c>(out: &mut String, cells: impl IntoIterator<Item = &'c str>, ending: &str) {
    out.push('|');
    for cell in cells {
        out.push(' ');
        out.push_str(&escape(cell));
        out.push_str(" |");
    }
    out.push_str(ending);
}

/// Returns the line ending of a line, `\n` where it has none.
pub(super) fn ending(line: &str) -> &'static str {
    if line.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// Writes a line of a table as it was read, but with the ending `eol`: it may
/// come from a board that has another.
pub(super) fn push_line(out: &mut String, line: &str, eol: &str) {
    out.push_str(line.trim_end_matches(['\r', '\n']));
    out.push_str(eol);
}

pub(super) fn is_row(line: &str) -> bool {
    first_pipe(line).0 < line.len()
}

fn is_delimiter(line: &str) -> bool {
    let mark = |cell: Cow<'_, str>| {
        let dashes = cell.strip_prefix(':').unwrap_or(&cell);
        let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
        !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
    };
    is_row(line) && cells(line).next().is_some() && cells(line).all(mark)
}

#[cfg(test)]
mod tests {
    use super::{Table, cells, is_delimiter, write_row};

    fn split(line: &str) -> Vec<String> {
        cells(line).map(Into::into).collect()
    }

    #[test]
    fn lines_are_split_as_gfm_does() {
        assert_eq!(split("| a | b |\n"), ["a", "b"]);
        assert_eq!(split("a|b"), ["a", "b"]);
        assert_eq!(split("|a||b|\r\n"), ["a", "", "b"]);
        assert_eq!(split("| a\\|b | c\\\\|d |"), ["a|b", "c\\|d"]);
        assert_eq!(split("| a \\"), ["a \\"]);
        assert_eq!(split("|"), [""; 0]);
        assert_eq!(split("||"), [""]);
    }

    #[test]
    fn what_is_written_is_read() {
        let row = ["", "|", "\\", "\\|", "`a|b`", "x"];
        let mut line = String::new();
        write_row(&mut line, row, "\n");
        assert_eq!(split(&line), row);
    }

    #[test]
    fn delimiters_have_dashes_and_colons() {
        assert!(is_delimiter("|---|:-:|"));
        assert!(is_delimiter(" - | -:"));
        assert!(!is_delimiter("---"));
        assert!(!is_delimiter("|---|x|"));
        assert!(!is_delimiter("| : |"));
        assert!(!is_delimiter("|"));
    }

    #[test]
    fn the_parts_of_a_table_are_the_whole_text() {
        let text = "x\n| a |\n|---|\n| 1 |\n2 |\nend | \\\nlast\\|\n| 3 |";
        let table = Table::find(text, |titles| titles[0] == "a").expect("has one");
        assert_eq!(table.before, "x\n");
        assert_eq!(table.body, "| 1 |\n2 |\nend | \\\n");
        assert_eq!(table.after, "last\\|\n| 3 |");
        let parts = [
            table.before,
            table.header,
            table.delimiter,
            table.body,
            table.after,
        ];
        assert_eq!(parts.concat(), text);
    }

    #[test]
    fn code_quotes_and_lists_hold_no_table() {
        for text in [
            "```\n| a | b |\n|---|---|\n```\n",
            "    | a | b |\n    |---|---|\n",
            "<!--\n| a | b |\n|---|---|\n-->\n",
            "> | a | b |\n|---|---|\n",
            "- | a | b |\n|---|---|\n",
            "| a | b |\n---\n",
            "| a | b |\n|---|\n",
            "| a | b |\n|---|---|---|\n",
            "%%\n| a | b |\n|---|---|\n%%\n",
        ] {
            assert!(Table::find(text, |_| true).is_none(), "{text}");
        }
    }
}
