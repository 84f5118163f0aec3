//! What is shown of a board, and its summary in one line.

use super::cell::width as cell_width;
use super::item::Item;
use super::session::Session;
use super::state::{Counts, State};
use crate::Timestamp;
use crate::board::Board;
use crate::duration::ago;
use crate::lock::Judged;
use crate::printable::printable;
use std::path::Path;

/// The part of a snapshot that is shown.
pub struct View<'a> {
    pub board: Board<'a>,
    pub path: &'a Path,
    pub home: Option<&'a Path>,
    pub lock: Option<&'a Judged>,
    pub now: Timestamp,
    pub items: Vec<Item<'a>>,
    /// How many there are, shown or not.
    pub total: usize,
    /// What hooks met, and no agent showed.
    pub troubles: Vec<String>,
}

impl View<'_> {
    /// Summarises what is shown and what the board says of itself: as many parts as
    /// fit `width`, none of them cut.
    pub fn summary(&self, width: usize) -> String {
        let mut parts: Vec<String> = self.counts().parts().map(|(_, part)| part).collect();
        let shown = self.items.len();
        let rows = match self.total {
            1 => "1 row".to_owned(),
            total => format!("{total} rows"),
        };
        parts.push(match shown == self.total {
            true => rows,
            false => format!("{shown} of {rows}"),
        });
        if let Some(updated) = self.board.updated() {
            parts.push(format!("written {}", ago(updated, self.now)));
        }
        parts.push(self.with_tilde(self.path));
        let mut summary = String::new();
        for part in parts.iter().map(|part| printable(part, 2_000)) {
            let separator = if summary.is_empty() { "" } else { " · " };
            let longer = format!("{summary}{separator}{part}");
            if !summary.is_empty() && cell_width(&longer) > width {
                break;
            }
            summary = longer;
        }
        summary
    }

    /// Lists what runs: each session, or a row without a known session.
    pub fn states(&self) -> impl Iterator<Item = (State, &Item<'_>, Option<&Session>)> {
        self.items.iter().flat_map(|item| {
            let live = item.sessions.iter().filter(|session| session.is_live());
            let sessions = live.map(move |session| (session.state, item, Some(*session)));
            let has_none = !item.sessions.iter().any(|session| session.is_live());
            sessions.chain(has_none.then_some((item.state, item, None)))
        })
    }

    /// Counts what runs.
    pub fn counts(&self) -> Counts {
        Counts::of(self.states().map(|(state, ..)| state))
    }

    /// Shortens a path below the home folder.
    pub fn with_tilde(&self, path: &Path) -> String {
        let below = self.home.and_then(|home| path.strip_prefix(home).ok());
        match below {
            Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
            Some(below) => format!("~/{}", below.display()),
            None => path.display().to_string(),
        }
    }
}
