//! Makes text from files fit for a terminal.

/// Returns `text` without anything that a terminal would act on, at most `limit` characters.
///
/// Control characters and the bidirectional overrides that can make one line
/// read as another are shown as `·`; what is cut ends in `…`.
pub fn printable(text: &str, limit: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(limit * 4));
    for (count, character) in text.chars().enumerate() {
        if count == limit {
            shown.push('…');
            break;
        }
        shown.push(if is_acted_on(character) {
            '·'
        } else {
            character
        });
    }
    shown
}

/// Quotes a text for a shell, in a command that a person is told to run: names
/// that others chose must not become commands.
pub fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns whether a terminal acts on `character` instead of showing it.
pub fn is_acted_on(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}'
            | '\u{061C}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
            && character != '\u{200D}'
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn nothing_that_a_terminal_acts_on_passes() {
        assert_eq!(
            printable("a\x1b[31mb\u{202E}c\r\nd\u{9b}", 80),
            "a·[31mb·c··d·"
        );
        assert_eq!(printable("日本 👩\u{200D}💻", 80), "日本 👩\u{200D}💻");
        assert_eq!(printable("abcdef", 3), "abc…");
        assert_eq!(printable("abc", 3), "abc");
    }
}
