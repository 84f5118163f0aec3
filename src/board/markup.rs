//! Text that Obsidian and GFM show instead of acting on it.
//!
//! Characters that start markup become character references (CommonMark 0.31,
//! 2.5): a renderer shows them, and programs that search the note's bytes for
//! `<%`, `[[` or `%%` (Templater, Dataview, Obsidian's index) find none. With
//! backslashes they would.

use std::borrow::Cow;

/// The references that are written, and read back.
const REFERENCES: [(char, &str); 7] = [
    ('&', "&amp;"),
    ('<', "&lt;"),
    ('`', "&#96;"),
    ('[', "&#91;"),
    (']', "&#93;"),
    ('%', "&#37;"),
    ('$', "&#36;"),
];

/// Writes a text without live markup; [`plain`] reads it back.
pub(super) fn defuse(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', '`', '[', ']', '%', '$', '&']) {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len() + 16);
    let mut before = None;
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        match reference(c).filter(|_| is_live(before, c, rest)) {
            Some(reference) => written.push_str(reference),
            None => written.push(c),
        }
        before = Some(c);
    }
    match written == text {
        true => Cow::Borrowed(text),
        false => Cow::Owned(written),
    }
}

/// Reads a text as it is shown: each reference of ours as its character.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut read = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        read.push_str(&rest[..at]);
        rest = &rest[at..];
        let (c, length) = leading_reference(rest).unwrap_or(('&', 1));
        read.push(c);
        rest = &rest[length..];
    }
    read.push_str(rest);
    Cow::Owned(read)
}

fn reference(c: char) -> Option<&'static str> {
    let (_, reference) = REFERENCES.into_iter().find(|(own, _)| *own == c)?;
    Some(reference)
}

fn leading_reference(text: &str) -> Option<(char, usize)> {
    let (c, reference) = REFERENCES
        .into_iter()
        .find(|(_, reference)| text.starts_with(reference))?;
    Some((c, reference.len()))
}

/// Returns whether a character between these neighbours starts or is markup.
fn is_live(before: Option<char>, c: char, rest: &str) -> bool {
    match c {
        '<' | '`' => true,
        '[' => matches!(before, Some('[' | '!')) || rest.starts_with('['),
        ']' => rest.starts_with('('),
        '%' => before == Some('%') || rest.starts_with('%'),
        '$' => rest.starts_with('='),
        '&' => is_reference(rest),
        _ => false,
    }
}

/// Returns whether a renderer would show what follows a `&` as another character.
fn is_reference(rest: &str) -> bool {
    rest.find(';').is_some_and(|end| {
        let name = rest[..end].strip_prefix('#').unwrap_or(&rest[..end]);
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::{defuse, plain};

    #[test]
    fn live_markup_is_shown_and_read_back() {
        for (text, written) in [
            ("<img src=x>", "&lt;img src=x>"),
            ("![[Secret]]", "!&#91;&#91;Secret]]"),
            ("[x](obsidian://y)", "[x&#93;(obsidian://y)"),
            ("![x](y)", "!&#91;x&#93;(y)"),
            ("`$= 1`", "&#96;&#36;= 1&#96;"),
            ("<% a %>", "&lt;% a %>"),
            ("%%a%%", "&#37;&#37;a&#37;&#37;"),
            ("&lt;", "&amp;lt;"),
            ("&amp;lt;", "&amp;amp;lt;"),
            ("&nbsp;&#x3c;", "&amp;nbsp;&amp;#x3c;"),
        ] {
            assert_eq!(defuse(text), written);
            assert_eq!(plain(written), text);
        }
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in [
            "a[1]", "50%", "$HOME", "AT&T", "a & b", "C:\\x", "a*b_c", "&;",
        ] {
            assert_eq!(defuse(text), text);
            assert_eq!(plain(text), text);
        }
    }
}
