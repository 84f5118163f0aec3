//! What a line `key: value # comment` of a frontmatter says.
//!
//! As much of YAML 1.2 as a flat block of short values needs: a comment starts
//! at a `#` after white space (6.6), quotes end where they are closed (7.3).

use std::ops::Range;

/// Finds the value of `key: value # comment`; the key may be quoted.
pub(super) fn value_of(line: &str, key: &str) -> Option<Range<usize>> {
    let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''));
    let after_key = match quote {
        Some(quote) => line[1..].strip_prefix(key)?.strip_prefix(quote)?,
        None => line.strip_prefix(key)?,
    };
    let rest = after_key.strip_prefix(':')?;
    if !rest.is_empty() && !rest.starts_with([' ', '\t', '\r', '\n']) {
        return None;
    }
    let text = rest.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let closing = quote.and_then(|quote| text[1..].find(quote));
    let end = match closing {
        Some(closing) => closing + 2,
        None => comment(text).unwrap_or(text.len()),
    };
    let value = text[..end].trim_end();
    let start = match value.is_empty() {
        // Not behind the line's ending, where the trimming went.
        true => line.len() - rest.len(),
        false => line.len() - text.len(),
    };
    Some(start..start + value.len())
}

fn comment(text: &str) -> Option<usize> {
    let starts = |(at, _): &(usize, &str)| *at == 0 || text[..*at].ends_with([' ', '\t']);
    text.match_indices('#').find(starts).map(|(at, _)| at)
}

/// Takes the quotes off a value.
pub(super) fn unquote(value: &str) -> &str {
    let inner = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

/// Returns whether a value only announces that a block of lines follows (8.1).
pub(super) fn is_block_header(value: &str) -> bool {
    let is_sign = |c: char| c == '+' || c == '-' || c.is_ascii_digit();
    value
        .strip_prefix(['>', '|'])
        .is_some_and(|signs| signs.chars().all(is_sign))
}

#[cfg(test)]
mod tests {
    use super::{is_block_header, unquote, value_of};

    #[test]
    fn a_value_ends_at_its_comment() {
        let value = |line: &'static str| value_of(line, "key").map(|range| unquote(&line[range]));
        assert_eq!(value("key: a#b # c"), Some("a#b"));
        assert_eq!(value("key: '# a' # c"), Some("# a"));
        assert_eq!(value("key: \"open # c"), Some("\"open"));
        assert_eq!(value("key:\r\n"), Some(""));
        assert_eq!(value("key : a"), None);
    }

    #[test]
    fn a_key_may_be_quoted() {
        let value = |line: &'static str| value_of(line, "key").map(|range| &line[range]);
        assert_eq!(value("\"key\": a # b"), Some("a"));
        assert_eq!(value("'key':"), Some(""));
        assert_eq!(value("\"key: a"), None);
        assert_eq!(value("'keys': a"), None);
    }

    #[test]
    fn a_block_is_announced_by_one_sign() {
        assert!([">", "|", ">-", "|2+"].into_iter().all(is_block_header));
        assert!(!["", "a", ">a", "2026"].into_iter().any(is_block_header));
    }
}
