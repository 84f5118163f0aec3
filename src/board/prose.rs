//! Merging the lines around a table so that nobody's line is lost.
//!
//! There are no conflict markers: a board must stay readable for everyone, and
//! a git merge driver that leaves markers makes the next update refuse it.

use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::HashMap;

/// Merges two edits of a text, line by line.
///
/// A line that either side added is in, a line that either side deleted is
/// out. Where both added lines at one place, both stay, in an order that
/// depends on what they say and not on whose they are.
pub(super) fn three_way<'t>(base: &[&'t str], one: &[&'t str], other: &[&'t str]) -> Vec<&'t str> {
    let (one, other) = (LineEdit::of(base, one), LineEdit::of(base, other));
    let mut merged = Vec::new();
    for at in 0..=base.len() {
        merged.extend(union(&one.added[at], &other.added[at]));
        if at < base.len() && one.kept[at] && other.kept[at] {
            merged.push(base[at]);
        }
    }
    merged
}

/// Merges two texts of unknown ancestry: common lines once, all others kept.
///
/// A line that stands elsewhere in the first is not repeated, or else texts
/// that several hosts have merged in different orders would grow for ever.
pub(super) fn union<'t>(one: &[&'t str], other: &[&'t str]) -> Vec<&'t str> {
    let (one, other) = if one <= other {
        (one, other)
    } else {
        (other, one)
    };
    let mut surplus: HashMap<&str, isize> = HashMap::new();
    other
        .iter()
        .for_each(|line| *surplus.entry(line).or_default() += 1);
    one.iter()
        .for_each(|line| *surplus.entry(line).or_default() -= 1);
    let mut merged = Vec::new();
    for change in capture_diff_slices(Algorithm::Myers, one, other) {
        let (tag, old, new) = change.as_tag_tuple();
        merged.extend(&one[old]);
        if tag != DiffTag::Equal {
            let is_new = |line: &&&'t str| {
                let left = surplus.entry(line).or_default();
                *left -= 1;
                *left >= 0 || !says_something(line)
            };
            merged.extend(other[new].iter().filter(is_new));
        }
    }
    merged
}

/// Distinguishes a line with words from one that only separates others.
fn says_something(line: &str) -> bool {
    let line = line.trim_start();
    !line.starts_with(['`', '~']) && line.contains(char::is_alphanumeric)
}

/// Merges whole texts by [`three_way`]; every line gets the ending `eol`,
/// unless only one side did anything.
pub(super) fn three_way_texts(base: &str, one: &str, other: &str, eol: &str) -> String {
    if one == base || one == other {
        return with_last_ended(other, eol);
    }
    if other == base {
        return with_last_ended(one, eol);
    }
    let [base, one, other] = [base, one, other].map(|text| ended(text, eol));
    three_way(&lines(&base), &lines(&one), &lines(&other)).concat()
}

/// Merges whole texts by [`union`]; every line gets the ending `eol`, unless
/// they are the same: a tool that changes the endings adds no lines.
pub(super) fn union_texts(one: &str, other: &str, eol: &str) -> String {
    if one == other {
        return with_last_ended(one, eol);
    }
    let [one, other] = [one, other].map(|text| ended(text, eol));
    union(&lines(&one), &lines(&other)).concat()
}

/// One side's changes: lines added before each line of the base (and after
/// the last), and which lines of the base it kept.
struct LineEdit<'t> {
    added: Vec<Vec<&'t str>>,
    kept: Vec<bool>,
}

impl<'t> LineEdit<'t> {
    fn of(base: &[&'t str], side: &[&'t str]) -> Self {
        let mut edit = Self {
            added: vec![Vec::new(); base.len() + 1],
            kept: vec![true; base.len()],
        };
        for change in capture_diff_slices(Algorithm::Myers, base, side) {
            let (tag, old, new) = change.as_tag_tuple();
            if tag != DiffTag::Equal {
                edit.added[old.start].extend(&side[new]);
                edit.kept[old].fill(false);
            }
        }
        edit
    }
}

/// Returns a text whose lines all end in `eol`.
pub(super) fn ended(text: &str, eol: &str) -> String {
    let mut uniform = text.replace("\r\n", "\n");
    if eol != "\n" {
        uniform = uniform.replace('\n', eol);
    }
    with_last_ended(&uniform, eol)
}

fn with_last_ended(text: &str, eol: &str) -> String {
    match text.is_empty() || text.ends_with('\n') {
        true => text.to_owned(),
        false => format!("{text}{eol}"),
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::{three_way_texts, union_texts};

    fn merge(base: &str, one: &str, other: &str) -> String {
        let merged = three_way_texts(base, one, other, "\n");
        let swapped = three_way_texts(base, other, one, "\n");
        assert_eq!(merged, swapped, "sides must not matter");
        merged
    }

    #[test]
    fn what_either_side_did_is_done() {
        assert_eq!(
            merge("a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\nd\n"),
            "a\nB\nc\nd\n"
        );
        assert_eq!(merge("a\nb\n", "b\n", "a\n"), "");
        assert_eq!(merge("a\nb\n", "A\nb\n", "a\nB\n"), "A\nB\n");
    }

    #[test]
    fn what_both_sides_did_differently_stays_twice() {
        assert_eq!(merge("a\n", "b\n", "c\n"), "b\nc\n");
        assert_eq!(merge("", "x\nb\n", "x\nc\n"), "x\nb\nc\n");
        assert_eq!(merge("a\n", "b\n", "b"), "b\n");
    }

    #[test]
    fn without_an_ancestor_all_lines_stay() {
        assert_eq!(union_texts("a\nx\nc", "a\ny\nc\n", "\n"), "a\nx\ny\nc\n");
        assert_eq!(union_texts("", "a\n", "\n"), "a\n");
        assert_eq!(union_texts("a\nb\n", "b\na\n", "\n"), "a\nb\n");
        assert_eq!(union_texts("a\nb\n", "b\na\na\n", "\n"), "a\na\nb\n");
        // What only separates lines does so on both sides.
        assert_eq!(union_texts("\na\nb\n", "a\nb\n\n", "\n"), "\na\nb\n\n");
        assert_eq!(
            union_texts("```\na\nb\n", "a\nb\n```\n", "\n"),
            "```\na\nb\n```\n"
        );
    }

    #[test]
    fn an_ending_is_no_difference() {
        for eol in ["\n", "\r\n"] {
            let (one, other) = ("a\r\n\r\nb\r\n", "a\n\nb\nc");
            let merged = "a\n\nb\nc\n".replace('\n', eol);
            assert_eq!(union_texts(one, other, eol), merged);
            assert_eq!(union_texts(other, one, eol), merged);
            assert_eq!(three_way_texts("a\n\n", one, other, eol), merged);
        }
        let mixed = "a\r\nb\n";
        assert_eq!(union_texts(mixed, mixed, "\n"), mixed);
        assert_eq!(three_way_texts("a\n", "a\n", mixed, "\n"), mixed);
    }
}
