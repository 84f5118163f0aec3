//! The table of a board for people: it fits the terminal, and is coloured by state.

use super::cell::{cut, cut_start, shown, width};
use super::fit::{GAP, Wish, fit};
use super::item::Item;
use super::session::Session;
use super::state::State;
use super::view::View;
use crate::board::{ABSENT, Field};
use crate::cli::terminal::{Style, Terminal};
use crate::duration::ago;
use crate::printable::printable;

/// The widths of a column that is never narrowed.
const WHOLE: (usize, usize) = (usize::MAX, usize::MAX);

/// A column: its title, what it shows, and how it gives way.
struct ShownColumn {
    title: String,
    source: Source,
    good: usize,
    least: usize,
    rank: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Cell(Field),
    State,
    Since,
    Path,
    Extra(usize),
}

/// A line of the table: a row, or another session in its folder.
enum ShownLine<'a> {
    Row(&'a Item<'a>),
    Session(&'a Session),
}

/// Returns the line of titles, and the lines below it.
pub fn table(view: &View, terminal: &Terminal) -> (String, Vec<String>) {
    let mut lines = Vec::new();
    for item in &view.items {
        lines.push(ShownLine::Row(item));
        // The row itself names the first.
        let others = item.sessions.iter().skip(1);
        lines.extend(others.map(|session| ShownLine::Session(session)));
    }
    let mut columns = columns(view);
    columns.retain(|column| {
        let is_there = |line| !matches!(&*column.text(view, line), "" | ABSENT);
        column.rank < 2 || lines.iter().any(is_there)
    });
    let lines: Vec<(Style, Vec<String>)> = lines
        .iter()
        .map(|line| {
            let cells = columns.iter().map(|column| column.text(view, line));
            (line.state().style(), cells.collect())
        })
        .collect();
    let widths = fit(&wishes(&columns, &lines), terminal.width);
    let titles: Vec<String> = columns.iter().map(|column| column.title.clone()).collect();
    let titles = laid_out(&titles, &widths, |_, text| {
        terminal.paint(Style::Strong, text)
    });
    let painted = |(style, cells): &(Style, Vec<String>)| {
        laid_out(cells, &widths, |at, text| match columns[at].source {
            Source::State | Source::Since => terminal.paint(*style, text),
            Source::Path | Source::Cell(Field::Key) => terminal.paint(Style::Faint, text),
            _ if *style == Style::Faint => terminal.paint(*style, text),
            _ => text.to_owned(),
        })
    };
    (titles, lines.iter().map(painted).collect())
}

fn columns(view: &View) -> Vec<ShownColumn> {
    let column = |title: &str, source, (good, least), rank| ShownColumn {
        title: title.to_owned(),
        source,
        good,
        least,
        rank,
    };
    let mut columns = vec![
        column("Repo", Source::Cell(Field::Repo), (20, 12), 0),
        column("State", Source::State, (12, 12), 1),
        column("Since", Source::Since, WHOLE, 2),
        column("Host", Source::Cell(Field::Host), (10, 6), 4),
        column("Session", Source::Cell(Field::Session), (24, 12), 3),
        column("Branch", Source::Cell(Field::Branch), (12, 8), 6),
        column("Path", Source::Path, (20, 12), 5),
        column("Mode", Source::Cell(Field::Mode), (10, 6), 7),
    ];
    let extra = view.board.extra_titles().enumerate();
    columns.extend(
        extra.map(|(at, title)| column(&shown(Some(title)), Source::Extra(at), (8, 8), 8 + at)),
    );
    let key = Source::Cell(Field::Key);
    columns.push(column("Key", key, WHOLE, usize::MAX));
    columns
}

impl ShownColumn {
    fn text(&self, view: &View, line: &ShownLine) -> String {
        match line {
            ShownLine::Row(item) => self.text_of_row(view, item),
            ShownLine::Session(session) => self.text_of_session(view, session),
        }
    }

    fn text_of_row(&self, view: &View, item: &Item) -> String {
        let row = &item.row;
        match self.source {
            // The state says it better.
            Source::Cell(Field::Mode)
                if State::of_activity(row.get(Field::Mode).as_deref()).is_some() =>
            {
                ABSENT.to_owned()
            }
            Source::Cell(field) => shown(item.cell(field).as_deref()),
            Source::State if item.state == State::Unknown => {
                shown(row.get(Field::Status).as_deref())
            }
            Source::State => item.state.word().to_owned(),
            Source::Since => match item.since() {
                Some(since) => ago(since, view.now),
                // A text that is not a time may be of any length, and this column does not shrink.
                None => printable(row.get(Field::Heartbeat).as_deref().unwrap_or(ABSENT), 16),
            },
            Source::Path => match item.path() {
                Some(path) => printable(&view.with_tilde(path), 500),
                None => ABSENT.to_owned(),
            },
            Source::Extra(at) => shown(row.extra().get(at).map(|cell| &**cell)),
        }
    }

    fn text_of_session(&self, view: &View, session: &Session) -> String {
        match self.source {
            Source::Cell(Field::Repo) => "└".to_owned(),
            Source::State => session.state.word().to_owned(),
            Source::Since => ago(session.since, view.now),
            Source::Cell(Field::Session) => shown(Some(&session.cell)),
            Source::Cell(Field::Branch) => shown(session.branch.as_deref()),
            Source::Path => printable(&view.with_tilde(&session.path), 500),
            Source::Cell(_) | Source::Extra(_) => String::new(),
        }
    }
}

impl ShownLine<'_> {
    fn state(&self) -> State {
        match self {
            Self::Row(item) => item.state,
            Self::Session(session) => session.state,
        }
    }
}

fn wishes(columns: &[ShownColumn], lines: &[(Style, Vec<String>)]) -> Vec<Wish> {
    let wish = |(at, column): (usize, &ShownColumn)| {
        let cells = lines.iter().map(|(_, cells)| width(&cells[at]));
        Wish {
            natural: cells.max().unwrap_or(0).max(width(&column.title)),
            good: column.good,
            least: column.least,
            rank: column.rank,
            // A path cut to a few columns says no more than the repository.
            spare: matches!(
                column.source,
                Source::Path | Source::Cell(Field::Key | Field::Mode)
            ),
        }
    };
    columns.iter().enumerate().map(wish).collect()
}

/// Lays out one line; nothing follows its last cell.
fn laid_out(cells: &[String], widths: &[usize], paint: impl Fn(usize, &str) -> String) -> String {
    let mut line = String::new();
    let mut blanks = 0;
    for (at, cell) in cells.iter().enumerate().filter(|(at, _)| widths[*at] > 0) {
        line.extend(std::iter::repeat_n(' ', blanks));
        let cell = match cell.starts_with(['/', '~']) {
            // The end of a path says more than its beginning.
            true => cut_start(cell, widths[at]),
            false => cut(cell, widths[at]),
        };
        line.push_str(&paint(at, &cell));
        blanks = widths[at].saturating_sub(width(&cell)) + GAP;
    }
    line.truncate(line.trim_end().len());
    line
}
