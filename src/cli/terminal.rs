//! What stdout is: a terminal of some size, with or without colours, or none.

use crate::config::Env;
use std::io::IsTerminal;
use terminal_size::{Height, Width, terminal_size_of};

/// Describes the terminal that stdout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    pub width: usize,
    pub height: usize,
    pub colour: bool,
    /// Whether it can move its cursor and show another screen.
    pub able: bool,
}

/// Is what a text means, to be shown by its colour too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    Strong,
    Title,
    Faint,
    Good,
    Warning,
    Bad,
}

impl Terminal {
    /// Looks at stdout; `None` if it is no terminal.
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
        })
    }

    /// Gives `text` in the colour of `style`, if there are colours.
    pub fn paint(&self, style: Style, text: &str) -> String {
        let code = match style {
            Style::Plain => "",
            Style::Strong => "1",
            Style::Title => "1;36",
            Style::Faint => "2",
            Style::Good => "32",
            Style::Warning => "33",
            Style::Bad => "31",
        };
        if self.colour && !code.is_empty() && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}
