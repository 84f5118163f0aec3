//! All tables of a note, each with the heading it stands under.

use super::frontmatter::Frontmatter;
use super::shown_lines::ShownLines;
use super::table::Table;

/// A table and where in its note it stands.
#[derive(Clone, Copy, Debug)]
pub struct TableInNote<'a> {
    /// The text of the nearest `#` heading above it.
    pub heading: Option<&'a str>,
    /// The table, cut out of the whole note.
    pub table: Table<'a>,
}

/// Finds every table of a note, in order; frontmatter and code hold none.
pub fn tables(text: &str) -> Vec<TableInNote<'_>> {
    let bom = text.len() - text.trim_start_matches('\u{feff}').len();
    let (_, body) = Frontmatter::split(&text[bom..]);
    let mut start = text.len() - body.len();
    let mut heading = None;
    let mut found = Vec::new();
    while let Some(table) = Table::find(&text[start..], |_| true) {
        heading = last_heading(table.before).or(heading);
        let before = start + table.before.len();
        let after = text.len() - table.after.len();
        found.push(TableInNote {
            heading,
            table: Table {
                before: &text[..before],
                ..table
            },
        });
        start = after;
    }
    found
}

fn last_heading(text: &str) -> Option<&str> {
    let mut lines_shown = ShownLines::default();
    let lines = text.lines();
    lines
        .filter(|line| lines_shown.takes(line))
        .filter_map(heading)
        .last()
}

/// Reads an ATX heading (CommonMark 0.31, 4.2).
fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_one = (1..=6).contains(&level) && (text.is_empty() || text.starts_with([' ', '\t']));
    let bare = text.trim_end_matches('#');
    let text = match bare.is_empty() || bare.ends_with([' ', '\t']) {
        true => bare,
        false => text,
    };
    is_one.then_some(text.trim())
}

#[cfg(test)]
mod tests {
    use super::{heading, tables};

    #[test]
    fn tables_stand_under_the_nearest_heading() {
        let text = "---\na: b | c\n---\n| a |\n|---|\n| 1 |\n\n# One\n```\n# no\n| x |\n|---|\n```\n\
                    | b |\n|---|\ntext\n\n| c |\n|---|\n## Two ##\n\n| d |\n|---|\n| 1 |";
        let found = tables(text);
        let seen: Vec<_> = found
            .iter()
            .map(|placed| (placed.heading, placed.table.header))
            .collect();
        assert_eq!(
            seen,
            [
                (None, "| a |\n"),
                (Some("One"), "| b |\n"),
                (Some("One"), "| c |\n"),
                (Some("Two"), "| d |\n"),
            ]
        );
        for placed in found {
            let table = placed.table;
            let parts = [
                table.before,
                table.header,
                table.delimiter,
                table.body,
                table.after,
            ];
            assert_eq!(parts.concat(), text);
        }
    }

    #[test]
    fn a_heading_is_read_as_commonmark_does() {
        assert_eq!(heading("# a"), Some("a"));
        assert_eq!(heading("  ### a b ###  "), Some("a b"));
        assert_eq!(heading("# a#"), Some("a#"));
        assert_eq!(heading("#"), Some(""));
        assert_eq!(heading("#tag"), None);
        assert_eq!(heading("####### a"), None);
    }
}
