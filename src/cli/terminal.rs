//! The terminal on stdout, if there is one: its size and its colours.

use crate::config::Env;
use std::io::IsTerminal;
use terminal_size::{Height, Width, terminal_size_of};
use unicode_width::UnicodeWidthChar;

/// The terminal that stdout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    pub width: usize,
    pub height: usize,
    pub colour: bool,
    /// Whether it can move its cursor and show an alternate screen.
    pub able: bool,
    /// Whether it shows more than ASCII.
    pub unicode: bool,
}

/// The meaning of a text, which its colour shows too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    Strong,
    Faint,
    Good,
    Attention,
    Warning,
    Bad,
}

impl Terminal {
    /// Looks at stdout; `None` if it is not a terminal.
    pub fn of_stdout(env: &Env) -> Option<Self> {
        let stdout = std::io::stdout();
        if !stdout.is_terminal() {
            return None;
        }
        let size = terminal_size_of(&stdout)
            .map(|(Width(width), Height(height))| (usize::from(width), usize::from(height)))
            .filter(|&(width, height)| width > 0 && height > 0);
        let named = |name| env.text(name).and_then(|text| text.parse().ok());
        let (width, height) =
            size.unwrap_or_else(|| (named("COLUMNS").unwrap_or(80), named("LINES").unwrap_or(24)));
        // Windows' old console knows no escape codes; its new one names itself.
        let able = match env.text("TERM") {
            Some(term) => term != "dumb",
            None => cfg!(unix) || env.get("WT_SESSION").is_some(),
        };
        Some(Self {
            width: width.max(1),
            height: height.max(1),
            colour: able && env.get("NO_COLOR").is_none(),
            able,
            unicode: shows_unicode(env),
        })
    }

    /// Returns `text` in the colour of `style`, if there are colours.
    pub fn paint(&self, style: Style, text: &str) -> String {
        let code = match style {
            Style::Plain => "",
            Style::Strong => "1",
            Style::Faint => "2",
            Style::Good => "32",
            Style::Attention => "1;33",
            Style::Warning => "33",
            Style::Bad => "31",
        };
        if self.colour && !code.is_empty() && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// Returns `line` in what the terminal can show, as wide as before.
    pub fn encode(&self, line: &str) -> String {
        if self.unicode || line.is_ascii() {
            return line.to_owned();
        }
        let mut ascii = String::with_capacity(line.len());
        for character in line.chars() {
            match character {
                character if character.is_ascii() => ascii.push(character),
                '…' => ascii.push('~'),
                '—' => ascii.push('-'),
                '·' => ascii.push('|'),
                '└' => ascii.push('`'),
                other => ascii.extend(std::iter::repeat_n('?', other.width().unwrap_or(0))),
            }
        }
        ascii
    }
}

/// Reads the locale as the C library does; Windows and macOS have no other encoding.
fn shows_unicode(env: &Env) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| env.text(name));
    match locale {
        Some(locale) => {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
        None => cfg!(any(windows, target_os = "macos")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_gives_the_encoding() {
        for (variables, unicode) in [
            (&[("LANG", "de_DE.UTF-8")][..], true),
            (&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "C")], false),
            (&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "")], true),
            (&[("LC_CTYPE", "C.utf8")], true),
            (&[("LANG", "de_DE")], false),
        ] {
            let env = variables.iter().copied().collect();
            assert_eq!(shows_unicode(&env), unicode, "{variables:?}");
        }
    }

    #[test]
    fn what_a_terminal_cannot_show_keeps_its_width() {
        let terminal = Terminal {
            width: 80,
            height: 24,
            colour: false,
            able: true,
            unicode: false,
        };
        assert_eq!(terminal.encode("└ 日本… — e\u{301}"), "` ????~ - e");
        let unicode = Terminal {
            unicode: true,
            ..terminal
        };
        assert_eq!(unicode.encode("└ 日本…"), "└ 日本…");
    }
}
