//! The board on a terminal: what stays on the screen, and what scrolls.

use super::cell::cut;
use super::item::Item;
use super::state::State;
use super::table::table;
use super::view::View;
use crate::Timestamp;
use crate::cli::lock::word;
use crate::cli::terminal::{Style, Terminal};
use crate::duration::ago;
use crate::lock::Judged;
use crate::printable::printable;

/// The lines of a table: those that stay on the screen, and those that scroll.
pub struct Page {
    pub head: Vec<String>,
    pub body: Vec<String>,
}

/// Returns the table, no line of it wider than the terminal.
pub fn page(view: &View, terminal: &Terminal) -> Page {
    let fitted = |text: &str| cut(&printable(text, 2_000), terminal.width).into_owned();
    let mut head = vec![terminal.paint(Style::Faint, &fitted(&view.summary(terminal.width)))];
    let lock = view.lock.map(|lock| lock_line(lock, view.now));
    for warning in lock.iter().chain(&view.troubles) {
        head.push(terminal.paint(Style::Warning, &fitted(warning)));
    }
    head.push(String::new());
    let mut body = Vec::new();
    if view.items.is_empty() {
        head.push(fitted(match view.total {
            0 => "No session yet",
            _ => "No row matches",
        }));
    } else {
        let (titles, lines) = table(view, terminal);
        head.push(titles);
        body = lines;
    }
    let encode = |lines: Vec<String>| lines.iter().map(|line| terminal.encode(line)).collect();
    Page {
        head: encode(head),
        body: encode(body),
    }
}

impl Page {
    /// Leaves out the last rows of `view` that are over, as far as the terminal is too
    /// low: who waits is not to scroll off its top.
    pub fn without_ended(mut self, view: &View, terminal: &Terminal) -> Self {
        let is_over = |item: &&Item| item.state >= State::ForceClosed;
        let over = view.items.iter().rev().take_while(is_over).count();
        // One line for the prompt, one for what is said instead.
        let room = terminal.height.saturating_sub(self.head.len() + 2);
        let extra = self.body.len().saturating_sub(room).min(over);
        if extra > 1 {
            self.body.truncate(self.body.len() - extra);
            let more = format!("+{extra} closed: `boardsync show --sort seen`");
            let more = terminal.encode(&cut(&more, terminal.width));
            self.body.push(terminal.paint(Style::Faint, &more));
        }
        self
    }
}

/// Describes in one line who holds the lock.
pub fn lock_line(lock: &Judged, now: Timestamp) -> String {
    let mut text = format!("lock {}", word(&lock.verdict));
    let Some(holder) = &lock.holder else {
        return text + "; see `boardsync lock status`";
    };
    text.push_str(&format!(": pid {} on `{}`", holder.pid, holder.host));
    match holder.running {
        Some(true) => text.push_str(", running"),
        Some(false) => text.push_str(", not running"),
        None => {}
    }
    if let Some(since) = holder.acquired_at.as_deref().and_then(Timestamp::parse) {
        text.push_str(&format!(", taken {}", ago(since, now)));
    }
    if let Some(what) = holder.cmd.as_ref().or(holder.holder.as_ref()) {
        text.push_str(&format!(" (`{what}`)"));
    }
    text
}
