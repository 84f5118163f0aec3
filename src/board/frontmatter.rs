//! The frontmatter: four lines of ours among any number of others.

mod merge;
mod value;

use super::table::ending;
use crate::Timestamp;
use std::borrow::Cow;
use std::ops::Range;
use value::{is_block_header, unquote, value_of};

/// Marks a board that a generator may rewrite.
pub const GENERATOR: &str = "session-orchestrator-active-sessions@1";

/// The key that declares a board shared by several hosts.
const SHARED: &str = "boardsync-shared";

/// The block between two `---` at the start of a note, line by line.
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

    /// Returns the value of a top-level key, without quotes and comment.
    pub(super) fn value(&self, key: &str) -> Option<Cow<'_, str>> {
        self.entries(key).next().map(|entry| self.text(&entry))
    }

    /// Returns the time that a key has; of several, as `merge=union` of git leaves
    /// them, the latest.
    pub(super) fn time(&self, key: &str) -> Option<Timestamp> {
        let times = self.entries(key);
        times
            .filter_map(|entry| Timestamp::parse(&self.text(&entry)))
            .max()
    }

    /// Returns whether somebody declared that several hosts share the board.
    pub(super) fn is_shared(&self) -> bool {
        self.value(SHARED).as_deref() == Some("true")
    }

    /// Declares that several hosts share the board; a block is needed for that.
    pub(super) fn declare_shared(&mut self) {
        if !self.set(SHARED, "true") {
            self.append(SHARED, "true");
        }
    }

    /// Returns this block, declared shared if the other one is.
    pub(super) fn sharing_like(&self, other: &Self) -> Self {
        let mut block = self.clone();
        if other.is_shared() && !block.is_shared() {
            block.declare_shared();
        }
        block
    }

    /// Replaces the value of a top-level key, if it is there, and removes what
    /// else says something for this key: YAML allows it only once.
    pub(super) fn set(&mut self, key: &str, value: &str) -> bool {
        let entries: Vec<KeyLines> = self.entries(key).collect();
        let Some((first, others)) = entries.split_first() else {
            return false;
        };
        for entry in others.iter().rev() {
            self.lines.drain(entry.lines.clone());
        }
        let line = &self.lines[first.lines.start];
        if line[first.value.clone()] != *value {
            let is_bare = line[..first.value.start].ends_with(':');
            let space = if is_bare { " " } else { "" };
            let (before, after) = (&line[..first.value.start], &line[first.value.end..]);
            self.lines[first.lines.start] = Cow::Owned(format!("{before}{space}{value}{after}"));
        }
        self.lines.drain(first.lines.start + 1..first.lines.end);
        true
    }

    /// Sets `updated`, and appends what a board must have and this one lacks.
    pub(super) fn complete(&mut self, created: Timestamp, updated: Timestamp) {
        if self.lines.is_empty() {
            return;
        }
        let updated = updated.to_string();
        let created = created.to_string();
        self.set("updated", &updated);
        for (key, value) in [
            ("id", "active-sessions"),
            ("type", "board"),
            ("created", &created),
            ("updated", &updated),
        ] {
            if self.entries(key).next().is_none() {
                self.append(key, value);
            }
        }
    }

    fn append(&mut self, key: &str, value: &str) {
        if let Some(closing) = self.lines.len().checked_sub(1) {
            let eol = ending(&self.lines[0]);
            let line = Cow::Owned(format!("{key}: {value}{eol}"));
            self.lines.insert(closing, line);
        }
    }

    /// Finds what the block says for a top-level key.
    fn entries(&self, key: &str) -> impl Iterator<Item = KeyLines> {
        let closing = self.lines.len().saturating_sub(1);
        (1..closing).filter_map(move |at| {
            let value = value_of(&self.lines[at], key)?;
            let header = &self.lines[at][value.clone()];
            let mut end = at + 1;
            if header.is_empty() || is_block_header(header) {
                let inner = &self.lines[end..closing];
                end += inner.iter().take_while(|line| is_nested(line)).count();
            }
            let lines = at..end;
            Some(KeyLines { lines, value })
        })
    }

    fn text(&self, entry: &KeyLines) -> Cow<'_, str> {
        let [first, more @ ..] = &self.lines[entry.lines.clone()] else {
            return Cow::default();
        };
        if more.is_empty() {
            return Cow::Borrowed(unquote(&first[entry.value.clone()]));
        }
        let folded: Vec<&str> = more.iter().map(|line| line.trim()).collect();
        Cow::Owned(folded.join(" ").trim().to_owned())
    }
}

/// The lines of a frontmatter block for one key.
struct KeyLines {
    /// Its lines: the key's, and the nested ones that hold its value.
    lines: Range<usize>,
    /// The value within the first line.
    value: Range<usize>,
}

fn is_nested(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with([' ', '\t'])
}

#[cfg(test)]
mod tests;
