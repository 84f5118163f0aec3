//! Text made fit for a table cell: one line, no controls, no live markup.

use std::borrow::Cow;

/// Stands for an absent cell.
pub const ABSENT: &str = "—";

/// The most characters that a cell of ours holds.
pub const MAX_CELL_CHARS: usize = 256;

/// Makes any text one line, fit for a cell.
///
/// A line break becomes one space, other control characters and the bidi
/// controls that reorder what follows are removed, and the ends are trimmed.
pub fn clean(text: &str) -> Cow<'_, str> {
    // Most text is plain, which is found out many bytes at a time.
    let trimmed = text.trim_ascii();
    let plain = |plain, byte: u8| plain & matches!(byte, b' '..=b'~');
    let is_plain = |text: &str| text.bytes().fold(true, plain);
    if trimmed.split(ABSENT).all(is_plain) {
        return Cow::Borrowed(trimmed);
    }
    let trimmed = text.trim();
    if !trimmed.chars().any(|c| is_break(c) || is_banned(c)) {
        return Cow::Borrowed(trimmed);
    }
    let one_line: String = text
        .replace("\r\n", "\n")
        .chars()
        .map(|c| if is_break(c) { ' ' } else { c })
        .filter(|&c| !is_banned(c))
        .collect();
    Cow::Owned(one_line.trim().to_owned())
}

/// Returns what a cell of ours shows of a text: one line, cut to [`MAX_CELL_CHARS`].
pub fn cell_text(text: &str) -> String {
    cut(&clean(text)).into_owned()
}

/// Cuts a text to [`MAX_CELL_CHARS`] characters; what is cut ends in `…`.
fn cut(text: &str) -> Cow<'_, str> {
    if text.char_indices().nth(MAX_CELL_CHARS).is_none() {
        return Cow::Borrowed(text);
    }
    let mut short: String = text.chars().take(MAX_CELL_CHARS - 1).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    Cow::Owned(short)
}

/// Returns the text of a cell, or `None` where it is empty or a dash.
pub(super) fn present(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    (!text.is_empty() && text != ABSENT).then_some(text)
}

/// Writes each `|` as `\|`.
pub fn escape(text: &str) -> Cow<'_, str> {
    if text.contains('|') {
        Cow::Owned(text.replace('|', "\\|"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Reads each `\|` as `|`; a backslash before anything else is itself.
pub fn unescape(text: &str) -> Cow<'_, str> {
    if text.contains("\\|") {
        Cow::Owned(text.replace("\\|", "|"))
    } else {
        Cow::Borrowed(text)
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_banned(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::{MAX_CELL_CHARS, clean, cut, escape, unescape};

    #[test]
    fn a_cell_is_one_line_without_controls() {
        assert_eq!(clean("a\r\nb\nc\u{2028}d"), "a b c d");
        assert_eq!(clean("\u{1b}[31mred\u{7f}\t\u{85}x"), "[31mred x");
        assert_eq!(clean("evil\u{202e}txt\u{2066}"), "eviltxt");
        assert_eq!(clean(" \n "), "");
        assert_eq!(clean("\u{0} padded \u{0}"), "padded");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let whole = "ä".repeat(MAX_CELL_CHARS);
        assert_eq!(cut(&whole), whole);
        let short = cut(&(whole + "b")).into_owned();
        assert_eq!(short.chars().count(), MAX_CELL_CHARS);
        assert!(short.ends_with("ä…"));
        assert_eq!(cut(&short), short);
    }

    #[test]
    fn pipes_round_trip_behind_any_backslashes() {
        for text in ["|", "\\|", "\\\\|", "a\\", "||\\|\\", "\\n|"] {
            assert_eq!(unescape(&escape(text)), text);
        }
    }
}
