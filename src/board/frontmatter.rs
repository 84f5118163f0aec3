//! The frontmatter: four lines of ours among any number of others.

mod merge;

use super::origin::GENERATOR;
use super::scalar::{unquote, value_of};
use super::table::ending;
use crate::Timestamp;
use std::borrow::Cow;
use std::ops::Range;

/// Is the block between two `---` at the start of a note, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Frontmatter<'a> {
    /// With their endings, the two `---` included; none if there is no block.
    lines: Vec<Cow<'a, str>>,
}

impl<'a> Frontmatter<'a> {
    /// Splits a text (without a BOM) into its frontmatter and the rest.
    pub(super) fn split(text: &'a str) -> (Self, &'a str) {
        let mut lines = text.split_inclusive('\n');
        if lines.next().is_none_or(|line| line.trim_end() != "---") {
            return (Self::default(), text);
        }
        let Some(inner) = lines.position(|line| line.trim_end() == "---") else {
            return (Self::default(), text);
        };
        let lines = text.split_inclusive('\n').take(inner + 2);
        let lines: Vec<_> = lines.map(Cow::Borrowed).collect();
        let end = lines.iter().map(|line| line.len()).sum();
        (Self { lines }, &text[end..])
    }

    /// Makes the block of a new board.
    pub(super) fn new(created: Timestamp) -> Self {
        let mut block = Self::default();
        block.lines.push(Cow::Borrowed("---\n"));
        block
            .lines
            .push(Cow::Owned(format!("_generator: {GENERATOR}\n")));
        block.lines.push(Cow::Borrowed("---\n"));
        block.complete(created, created);
        block
    }

    pub(super) fn first_line(&self) -> Option<&str> {
        self.lines.first().map(|line| &**line)
    }

    pub(super) fn lines(&self) -> &[Cow<'a, str>] {
        &self.lines
    }

    /// Gives the value of a top-level key, without quotes and comment.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        let (at, range) = self.find(key)?;
        Some(unquote(&self.lines[at][range]))
    }

    /// Replaces the value of a top-level key, if it is there.
    pub(super) fn set(&mut self, key: &str, value: &str) -> bool {
        let Some((at, range)) = self.find(key) else {
            return false;
        };
        let line = &self.lines[at];
        if line[range.clone()] != *value {
            let space = if range.start == key.len() + 1 {
                " "
            } else {
                ""
            };
            let (before, after) = (&line[..range.start], &line[range.end..]);
            self.lines[at] = Cow::Owned(format!("{before}{space}{value}{after}"));
        }
        true
    }

    /// Sets `updated`, and appends what a board must have and this one lacks.
    pub(super) fn complete(&mut self, created: Timestamp, updated: Timestamp) {
        let Some(closing) = self.lines.len().checked_sub(1) else {
            return;
        };
        self.set("updated", &updated.to_string());
        let needed = [
            ("id", "active-sessions".to_owned()),
            ("type", "board".to_owned()),
            ("created", created.to_string()),
            ("updated", updated.to_string()),
        ];
        let eol = ending(&self.lines[0]);
        let missing: Vec<_> = needed
            .into_iter()
            .filter(|(key, _)| self.find(key).is_none())
            .map(|(key, value)| Cow::Owned(format!("{key}: {value}{eol}")))
            .collect();
        self.lines.splice(closing..closing, missing);
    }

    fn find(&self, key: &str) -> Option<(usize, Range<usize>)> {
        let inner = self.lines.len().saturating_sub(1);
        (1..inner).find_map(|at| Some((at, value_of(&self.lines[at], key)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::Frontmatter;

    fn value(line: &str) -> Option<String> {
        let text = format!("---\n{line}\n---\n");
        let (block, rest) = Frontmatter::split(&text);
        assert_eq!(rest, "");
        block.value("key").map(str::to_owned)
    }

    #[test]
    fn values_are_read_without_quotes_and_comments() {
        assert_eq!(value("key: a@1").as_deref(), Some("a@1"));
        assert_eq!(value("key:\t'a@1'  # why").as_deref(), Some("a@1"));
        assert_eq!(value("key: \"a # b\" # why\r").as_deref(), Some("a # b"));
        assert_eq!(value("key: a#b").as_deref(), Some("a#b"));
        assert_eq!(value("key:").as_deref(), Some(""));
        assert_eq!(value("key: # nothing").as_deref(), Some(""));
        assert_eq!(value("  key: nested"), None);
        assert_eq!(value("keys: other"), None);
        assert_eq!(value("key:other"), None);
    }

    #[test]
    fn setting_a_value_keeps_the_rest_of_its_line() {
        for (line, set) in [
            ("key:   old   # why", "key:   new   # why"),
            ("key: 'old'\r", "key: new\r"),
            ("key:", "key: new"),
            ("key: # why", "key: new # why"),
        ] {
            let text = format!("---\n{line}\n---\n");
            let (mut block, _) = Frontmatter::split(&text);
            assert!(block.set("key", "new"));
            assert_eq!(block.lines.concat(), format!("---\n{set}\n---\n"));
        }
    }

    #[test]
    fn an_unclosed_block_is_none() {
        let (block, rest) = Frontmatter::split("---\nkey: a\n");
        assert_eq!(block, Frontmatter::default());
        assert_eq!(rest, "---\nkey: a\n");
    }
}
