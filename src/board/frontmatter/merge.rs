//! Two frontmatters become one, in which each key stands once.

use super::Frontmatter;
use crate::Timestamp;
use crate::board::prose;
use std::borrow::Cow;
use std::collections::HashMap;
use std::iter;

impl Frontmatter<'_> {
    /// Merges two edits of a block; `updated` is the later, `created` the earlier.
    pub(in crate::board) fn three_way(&self, one: &Self, other: &Self, eol: &str) -> Self {
        let mut sides = [self, one, other].map(|side| side.ended(eol));
        settle_times(&mut sides);
        let [base, one, other] = &sides;
        let inner = prose::three_way(&base.inner(), &one.inner(), &other.inner());
        Self::enclose(&inner, one, other)
    }

    /// Merges two blocks of unknown ancestry, keeping the lines of both.
    pub(in crate::board) fn union(&self, other: &Self, eol: &str) -> Self {
        let mut sides = [self, other].map(|side| side.ended(eol));
        settle_times(&mut sides);
        let [one, other] = &sides;
        Self::enclose(&prose::union(&one.inner(), &other.inner()), one, other)
    }

    /// Puts lines between the two `---` of the first block that has them.
    fn enclose(inner: &[&str], one: &Self, other: &Self) -> Self {
        let (one, other) = if one <= other {
            (other, one)
        } else {
            (one, other)
        };
        let block = if one.lines.is_empty() { other } else { one };
        let [opening, .., closing] = &*block.lines else {
            return Self::default();
        };
        let inner = without_twins(inner);
        let lines = iter::once(opening.clone())
            .chain(inner)
            .chain(iter::once(closing.clone()));
        Self {
            lines: lines.collect(),
        }
    }

    /// Returns the block with the ending `eol` on every line.
    fn ended(&self, eol: &str) -> Self {
        let line = |line: &Cow<str>| Cow::Owned(prose::ended(line, eol));
        Self {
            lines: self.lines.iter().map(line).collect(),
        }
    }

    /// Returns the one value that a time has, or would have of its several.
    fn settled(&self, key: &str) -> Option<String> {
        let first = self.value(key)?;
        let time = self.time(key).map(|time| time.to_string());
        match self.entries(key).count() {
            1 => Some(first.into_owned()),
            _ => time.or(Some(first.into_owned())),
        }
    }

    fn inner(&self) -> Vec<&str> {
        let inner = self.lines.len().saturating_sub(1);
        self.lines
            .iter()
            .take(inner)
            .skip(1)
            .map(|line| &**line)
            .collect()
    }
}

/// Makes comments of all but the first of different lines for one key.
///
/// Both sides' values are kept, but YAML allows a key only once, and editors
/// show a block that breaks this as plain text.
fn without_twins<'a>(lines: &[&str]) -> Vec<Cow<'a, str>> {
    let mut first: HashMap<&str, &str> = HashMap::new();
    let mut is_twin = false;
    let mut kept = Vec::with_capacity(lines.len());
    for line in lines {
        let key = line.split_once(':').map(|(key, _)| key);
        let nested = line.starts_with([' ', '\t', '-', '#']);
        if !nested {
            is_twin = key.is_some_and(|key| *first.entry(key).or_insert(line) != *line);
        }
        kept.push(match is_twin {
            true => Cow::Owned(format!("# {line}")),
            false => Cow::Owned((*line).to_owned()),
        });
    }
    kept
}

/// Makes the times of all sides equal, so that no line differs for them.
fn settle_times(sides: &mut [Frontmatter<'_>]) {
    let time = |text: &String| (Timestamp::parse(text), text.clone());
    for key in ["updated", "created"] {
        let values = sides.iter().filter_map(|side| side.settled(key));
        let settled = match key {
            "updated" => values.max_by_key(time),
            _ => values.min_by_key(time),
        };
        if let Some(settled) = settled {
            for side in &mut *sides {
                side.set(key, &settled);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Frontmatter;

    #[test]
    fn merged_blocks_have_each_key_once() {
        let [base, one, other] =
            ["a: 1\n", "a: 2\n", "a: 3\nb: 1\n"].map(|inner| format!("---\n{inner}---\n"));
        let [base, one, other] = [&base, &one, &other].map(|text| Frontmatter::split(text).0);
        let merged = "---\na: 2\n# a: 3\nb: 1\n---\n";
        assert_eq!(base.three_way(&one, &other, "\n").lines.concat(), merged);
        assert_eq!(base.three_way(&other, &one, "\n").lines.concat(), merged);
    }

    #[test]
    fn an_ending_is_no_difference() {
        let [one, other] = ["---\na: 1\n---\n", "---\r\na: 1\r\n---\r\n"];
        let [unix, dos] = [one, other].map(|text| Frontmatter::split(text).0);
        assert_eq!(unix.union(&dos, "\n").lines.concat(), one);
        assert_eq!(dos.union(&unix, "\r\n").lines.concat(), other);
    }
}
