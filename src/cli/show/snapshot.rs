//! The board at one moment: read, refused or taken, selected.

use super::item::Item;
use super::selection::Selection;
use super::session::Session;
use super::state::State;
use super::view::View;
use crate::Timestamp;
use crate::board::{Board, Field, Row};
use crate::cli::context::Context;
use crate::cli::outcome::Failure;
use crate::commit::CommitError;
use crate::config::{self, vault::BoardPlace};
use crate::edit::refusal;
use crate::lock::{Host, Judged, inspect, normalise};
use crate::session::first_seen;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::PathBuf;

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
        let is_news = |it: &&Session| it.is_live() || it.state == State::Died;
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
