//! A cell on a terminal: what it shows, how wide it is, where it is cut.

use crate::board::ABSENT;
use crate::printable::printable;
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The longest cell that is shown on a terminal, in characters.
const MAX_CHARS: usize = 500;

/// Returns a cell of the file as it may be shown.
pub fn shown(cell: Option<&str>) -> String {
    printable(cell.unwrap_or(ABSENT), MAX_CHARS)
}

/// Returns how many columns of a terminal a printable `text` takes.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.width()
    }
}

/// Cuts a printable `text` to at most `limit` columns, `…` in its place.
///
/// Between graphemes only: half an emoji is another one, or none.
pub fn cut(text: &str, limit: usize) -> Cow<'_, str> {
    if width(text) <= limit {
        return Cow::Borrowed(text);
    }
    let mut used = 1;
    let mut kept = String::with_capacity(limit * 4);
    for grapheme in text.graphemes(true) {
        used += width(grapheme);
        if used > limit {
            break;
        }
        kept.push_str(grapheme);
    }
    if limit > 0 {
        kept.push('…');
    }
    Cow::Owned(kept)
}

/// Cuts the beginning of a printable `text`, as [`cut`] does its end.
pub fn cut_start(text: &str, limit: usize) -> Cow<'_, str> {
    if width(text) <= limit {
        return Cow::Borrowed(text);
    }
    let mut used = 1;
    let mut from = text.len();
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used += width(grapheme);
        if used > limit {
            break;
        }
        from = at;
    }
    let mark = if limit > 0 { "…" } else { "" };
    Cow::Owned(format!("{mark}{}", &text[from..]))
}

#[cfg(test)]
mod tests {
    use super::{cut, cut_start, width};

    #[test]
    fn a_cut_text_never_takes_more_than_its_columns() {
        let texts = [
            "plain",
            "日本語のリポジトリ",
            "e\u{301}e\u{301}e\u{301}e\u{301}",
            "👩\u{200D}💻👩\u{200D}💻x",
            "🇩🇪🇫🇷🇯🇵",
            "✌🏽✌🏽",
        ];
        for text in texts {
            for limit in 0..=width(text) + 1 {
                let cut = cut(text, limit);
                assert!(width(&cut) <= limit, "{cut} in {limit}");
                assert_eq!(cut == text, width(text) <= limit, "{cut} in {limit}");
                assert!(width(&cut_start(text, limit)) <= limit, "{text} in {limit}");
            }
        }
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut_start("日本語", 5), "…本語");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("👩\u{200D}💻👩\u{200D}💻", 3), "👩\u{200D}💻…");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
    }
}
