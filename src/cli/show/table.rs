//! The board for people: a table that fits the terminal, coloured by status.

use super::cell::{cut, shown, width};
use super::fit::{GAP, Wish, fit};
use super::snapshot::View;
use crate::board::{ABSENT, Field, Row, Status};
use crate::cli::lock::word;
use crate::cli::terminal::{Style, Terminal};
use crate::duration::ago;
use crate::lock::Judged;
use crate::{Timestamp, printable};

/// Is a column: its title, what it shows, and how it gives way.
struct Column {
    title: String,
    source: Source,
    least: usize,
    rank: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Cell(Field),
    Seen,
    Extra(usize),
}

/// Gives the lines of the table, none wider than the terminal.
pub fn lines(view: &View, terminal: &Terminal) -> Vec<String> {
    let room = terminal.width;
    let plain = |text: &str| cut(&printable(text, 2_000), room).into_owned();
    let mut lines = vec![terminal.paint(Style::Faint, &plain(&view.summary()))];
    if let Some(lock) = view.lock {
        let line = plain(&lock_line(lock, view.now));
        lines.push(terminal.paint(Style::Warning, &line));
    }
    lines.push(String::new());
    let columns = columns(view);
    let rows: Vec<(&Row, Vec<String>)> = view
        .rows()
        .map(|row| (row, columns.iter().map(|it| it.text(view, row)).collect()))
        .collect();
    if rows.is_empty() {
        lines.push(plain(match view.board.rows.is_empty() {
            true => "No session has been here yet",
            false => "No row matches",
        }));
        return lines;
    }
    let widths = fit(&wishes(&columns, &rows), room);
    let titles: Vec<String> = columns.iter().map(|column| column.title.clone()).collect();
    lines.push(line(&titles, &widths, |_, text| {
        terminal.paint(Style::Strong, text)
    }));
    let mut host = None;
    for (row, cells) in &rows {
        if view.board.is_shared() && host != Some(row.host.as_deref()) {
            host = Some(row.host.as_deref());
            let name = plain(row.host.as_deref().unwrap_or("no host"));
            lines.push(String::new());
            lines.push(terminal.paint(Style::Title, &name));
        }
        let style = style(view, row);
        lines.push(line(cells, &widths, |at, text| match columns[at].source {
            Source::Cell(Field::Status) | Source::Seen => terminal.paint(style, text),
            Source::Cell(Field::Key) => terminal.paint(Style::Faint, text),
            _ if style == Style::Faint => terminal.paint(style, text),
            _ => text.to_owned(),
        }));
    }
    lines
}

/// Says in one line who holds the lock.
pub fn lock_line(lock: &Judged, now: Timestamp) -> String {
    let mut text = format!("lock {}", word(&lock.verdict));
    let Some(holder) = &lock.holder else {
        return text + ": `boardsync lock status` says more";
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

fn columns(view: &View) -> Vec<Column> {
    let column = |title: &str, source, least, rank| Column {
        title: title.to_owned(),
        source,
        least,
        rank,
    };
    let mut columns = vec![
        column("Repo", Source::Cell(Field::Repo), 12, 0),
        column("Status", Source::Cell(Field::Status), 12, 1),
        column("Seen", Source::Seen, usize::MAX, 2),
        column("Session", Source::Cell(Field::Session), 12, 3),
        column("Branch", Source::Cell(Field::Branch), 10, 4),
        column("Mode", Source::Cell(Field::Mode), 6, 5),
    ];
    let extra = view.board.extra_titles().enumerate();
    columns
        .extend(extra.map(|(at, title)| column(&shown(Some(title)), Source::Extra(at), 8, 6 + at)));
    let key = Source::Cell(Field::Key);
    columns.push(column("Key", key, usize::MAX, usize::MAX));
    columns
}

impl Column {
    fn text(&self, view: &View, row: &Row) -> String {
        match self.source {
            Source::Cell(field) => shown(row.get(field)),
            Source::Extra(at) => shown(row.extra.get(at).map(|cell| &**cell)),
            Source::Seen => match row.beat() {
                // What is no time may be of any length, and this column does not yield.
                None => printable(row.heartbeat.as_deref().unwrap_or(ABSENT), 16),
                Some(then) if view.is_silent(row) => format!("{}, silent", ago(then, view.now)),
                Some(then) => ago(then, view.now),
            },
        }
    }
}

fn wishes(columns: &[Column], rows: &[(&Row, Vec<String>)]) -> Vec<Wish> {
    let wish = |(at, column): (usize, &Column)| {
        let cells = rows.iter().map(|(_, cells)| width(&cells[at]));
        Wish {
            natural: cells.max().unwrap_or(0).max(width(&column.title)),
            least: column.least,
            rank: column.rank,
            spare: column.source == Source::Cell(Field::Key),
        }
    };
    columns.iter().enumerate().map(wish).collect()
}

fn style(view: &View, row: &Row) -> Style {
    match row.status() {
        Some(Status::InProgress) if view.is_silent(row) => Style::Warning,
        Some(Status::InProgress) => Style::Good,
        Some(Status::ForceClosed) => Style::Bad,
        Some(Status::Closed | Status::Frei) => Style::Faint,
        None => Style::Plain,
    }
}

/// Lays out one line; nothing follows its last cell.
fn line(cells: &[String], widths: &[usize], paint: impl Fn(usize, &str) -> String) -> String {
    let mut line = String::new();
    let mut blanks = 0;
    for (at, cell) in cells.iter().enumerate().filter(|(at, _)| widths[*at] > 0) {
        line.extend(std::iter::repeat_n(' ', blanks));
        let cell = cut(cell, widths[at]);
        line.push_str(&paint(at, &cell));
        blanks = widths[at].saturating_sub(width(&cell)) + GAP;
    }
    line
}
