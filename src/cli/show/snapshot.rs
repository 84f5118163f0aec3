//! The board at one moment: read, refused or taken, selected.

use super::cell::width as cell_width;
use super::selection::Selection;
use super::session::Session;
use super::state::{Counts, State};
use crate::Timestamp;
use crate::board::{Board, Field, Row};
use crate::cli::context::Context;
use crate::cli::outcome::Failure;
use crate::commit::CommitError;
use crate::config::{self, vault::BoardPlace};
use crate::duration::ago;
use crate::edit::refusal;
use crate::lock::{Host, Judged, inspect, normalise};
use crate::printable::printable;
use crate::session::first_seen;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The board and the sessions of this host, as they were read.
pub struct Snapshot {
    path: PathBuf,
    home: Option<PathBuf>,
    text: String,
    sessions: Vec<Session>,
    lock: Option<Judged>,
    /// When the heartbeats that are ahead of the clock were first seen.
    first_seen: BTreeMap<String, Timestamp>,
    now: Timestamp,
}

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

/// A row, and the sessions that run in its folder.
pub struct Item<'a> {
    pub row: Row<'a>,
    pub state: State,
    /// Those that run, or else the last one; who needs its person first.
    pub sessions: Vec<&'a Session>,
}

impl Snapshot {
    /// Reads the board at `place`, who holds its lock, and the sessions of this host.
    pub fn take(context: &Context, place: &BoardPlace, now: Timestamp) -> Result<Self, Failure> {
        let path = &place.board;
        let contents = place.read().map_err(|source| {
            let path = path.clone();
            Failure::of(CommitError::Unreadable { path, source })
        })?;
        let Some(contents) = contents else {
            return Err(missing(place));
        };
        if let Some(refusal) = refusal(&contents.bytes) {
            return Err(Failure::Error(refusal.note(path)));
        }
        let text = String::from_utf8_lossy(&contents.bytes).into_owned();
        Ok(Self {
            first_seen: first_seen_in(context, place, &text, now),
            text,
            lock: lock(context, place),
            ..Self::of_sessions(context, place, now)
        })
    }

    /// Reads the sessions of this host only.
    pub fn of_sessions(context: &Context, place: &BoardPlace, now: Timestamp) -> Self {
        Self {
            path: place.board.clone(),
            home: context.home(),
            text: String::new(),
            sessions: Session::of_board(context, place, now),
            lock: None,
            first_seen: BTreeMap::new(),
            now,
        }
    }

    /// Selects what is shown.
    pub fn view(&self, selection: &Selection) -> View<'_> {
        let mut board = Board::parse(&self.text);
        let mut sessions: Vec<&Session> = self.sessions.iter().collect();
        sessions.sort_by_key(|session| (session.state, Reverse(session.seen)));
        let host = (board.is_shared() && !sessions.is_empty()).then(|| Host::current().id);
        let mut items: Vec<Item> = std::mem::take(&mut board.rows)
            .into_iter()
            .map(|row| {
                let is_ours =
                    host.is_none() || row.get(Field::Host).map(|it| normalise(&it)) == host;
                let is_its =
                    |it: &&Session| is_ours && row.get(Field::Key).as_deref() == Some(&*it.key);
                let (its, others) = sessions.iter().partition(|session| is_its(session));
                sessions = others;
                let first_seen = ahead(&row, self.now).and_then(|it| self.first_seen.get(&it));
                Item::new(row, its, first_seen.copied(), self.now)
            })
            .collect();
        // The next update of this host will write their rows.
        let is_news = |it: &&Session| it.is_live() || it.state == State::Died && !it.is_settled;
        for session in sessions.into_iter().filter(is_news) {
            match items.iter_mut().find(|item| item.is_new_row_of(session)) {
                Some(item) => item.sessions.push(session),
                None => items.push(Item::new(session.row(), vec![session], None, self.now)),
            }
        }
        let total = items.len();
        selection.apply(&mut items, self.now);
        View {
            board,
            path: &self.path,
            home: self.home.as_deref(),
            lock: self.lock.as_ref(),
            now: self.now,
            items,
            total,
            troubles: troubles(&self.sessions),
        }
    }
}

/// Returns when this host first saw the heartbeats of `text` that are ahead.
fn first_seen_in(
    context: &Context,
    place: &BoardPlace,
    text: &str,
    now: Timestamp,
) -> BTreeMap<String, Timestamp> {
    let Some(state_dir) = config::state_dir(&context.env) else {
        return BTreeMap::new();
    };
    let board = Board::parse(text);
    let ahead = board.rows.iter().filter_map(|row| ahead(row, now));
    first_seen(&state_dir, &place.target, ahead.collect(), now)
}

/// Names a row with a heartbeat that is ahead of the clock, and that heartbeat.
fn ahead(row: &Row<'_>, now: Timestamp) -> Option<String> {
    let heartbeat = row.heartbeat().filter(|beat| beat.is_ahead_of(now))?;
    let host = row.get(Field::Host).unwrap_or_default();
    let key = row.get(Field::Key).unwrap_or_else(|| row.repo());
    Some(format!("{host} {key} {heartbeat}"))
}

/// Names each trouble once, with its repository.
fn troubles(sessions: &[Session]) -> Vec<String> {
    let troubled = sessions.iter().filter_map(|session| {
        let trouble = session.trouble.as_deref()?;
        Some(format!(
            "the hook of `{}` reported: {trouble}",
            session.repo
        ))
    });
    let mut troubles: Vec<String> = troubled.collect();
    troubles.sort();
    troubles.dedup();
    troubles
}

impl<'a> Item<'a> {
    /// Makes the item of `row` from all `sessions` of its folder; `first_seen` is
    /// when this host first saw its heartbeat, if that is ahead of the clock.
    pub fn new(
        row: Row<'a>,
        mut sessions: Vec<&'a Session>,
        first_seen: Option<Timestamp>,
        now: Timestamp,
    ) -> Self {
        if sessions.iter().any(|session| session.is_live()) {
            sessions.retain(|session| session.is_live());
        } else {
            let last = sessions.into_iter().max_by_key(|session| session.seen);
            sessions = last.into_iter().collect();
        }
        let state = State::of(&row, &sessions, first_seen, now);
        Self {
            row,
            state,
            sessions,
        }
    }

    /// Returns the session that gives the row its state.
    pub fn session(&self) -> Option<&'a Session> {
        let first = self.sessions.first().copied();
        let is_its = |it: &&Session| it.is_live() || it.is_meant_by(&self.row);
        first.filter(|it| it.state == self.state).filter(is_its)
    }

    /// Returns a cell of the row as the session that gives it its state has it, else
    /// as the board has it: the board may not have been written yet.
    pub fn cell(&self, field: Field) -> Option<Cow<'_, str>> {
        let cell = self.row.get(field);
        let Some(session) = self.session() else {
            return cell;
        };
        match field {
            Field::Session => Some((&*session.cell).into()),
            Field::Branch => session.branch.as_deref().map(Cow::from).or(cell),
            Field::Mode if State::of_activity(cell.as_deref()).is_some() => {
                Some(session.activity.word().into())
            }
            _ => cell,
        }
    }

    /// Returns since when the row is in its state, as far as is known.
    pub fn since(&self) -> Option<Timestamp> {
        self.session()
            .map_or_else(|| self.row.heartbeat(), |session| Some(session.since))
    }

    /// Returns when the row was last heard of.
    pub fn seen(&self) -> Option<Timestamp> {
        let session = self.sessions.iter().map(|session| session.seen).max();
        self.row.heartbeat().max(session)
    }

    /// Returns the folder that the row is of, if this host knows it.
    pub fn path(&self) -> Option<&'a Path> {
        self.sessions.first().map(|it| it.path.as_path())
    }

    fn is_new_row_of(&self, session: &Session) -> bool {
        self.row.line().is_none() && self.row.get(Field::Key).as_deref() == Some(&session.key)
    }
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

fn missing(place: &BoardPlace) -> Failure {
    if place.placeholder().exists() {
        return Failure::of(CommitError::NotDownloaded(place.board.clone()));
    }
    Failure::Error(format!(
        "no board at `{}` yet; set up your agents with `boardsync init`, or add this folder with \
         `boardsync update --repo . --status in-progress`",
        place.board.display()
    ))
}

/// Judges the lock; looks only for its name where nobody holds it.
fn lock(context: &Context, place: &BoardPlace) -> Option<Judged> {
    let inspection = inspect(&place.lock(), &context.lock_options(place));
    inspection.ok()?.lock
}
