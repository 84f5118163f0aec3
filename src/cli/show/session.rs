//! The sessions of this host, as they are shown.

use super::state::State;
use crate::Timestamp;
use crate::board::{Field, Row, Status};
use crate::cli::context::Context;
use crate::config;
use crate::config::vault::BoardPlace;
use crate::session::Repo;
use crate::session::lease::{Activity, EndKind, Lease, Leases, Life, Processes};
use std::path::PathBuf;

/// How long a session may work, in ms, without an event before it counts as
/// silent: tools that take longer are rare.
const SILENT_AFTER_MS: i64 = 30 * 60 * 1000;

/// One session, as far as this host knows it.
#[derive(Clone, Debug)]
pub struct Session {
    pub id: String,
    pub agent: String,
    pub title: Option<String>,
    /// The text of the board's cell.
    pub cell: String,
    /// The repository's name.
    pub repo: String,
    /// The key of the repository's row.
    pub key: String,
    /// The folder that it runs in.
    pub path: PathBuf,
    pub branch: Option<String>,
    pub activity: Activity,
    pub state: State,
    /// Since when it is in that state.
    pub since: Timestamp,
    /// When it was last heard of.
    pub seen: Timestamp,
    /// The pane of tmux, or the terminal.
    pub terminal: Option<String>,
    /// What its hook met, and no agent showed.
    pub trouble: Option<String>,
}

impl Session {
    /// Reads the sessions that keep rows of the board at `place`.
    pub fn of_board(context: &Context, place: &BoardPlace, now: Timestamp) -> Vec<Self> {
        let Some(state_dir) = config::state_dir(&context.env) else {
            return Vec::new();
        };
        let leases = Leases::at(&state_dir).of_board(&place.board);
        if leases.is_empty() {
            return Vec::new();
        }
        let processes = Processes::system();
        leases
            .into_iter()
            .map(|lease| Self::of(lease, context, &processes, now))
            .collect()
    }

    fn of(lease: Lease, context: &Context, processes: &Processes, now: Timestamp) -> Self {
        let seen = lease.seen_by(now);
        let over = lease.over.map(|over| (over, over.at.min(now)));
        let (state, since) = match (over, lease.life(processes, now), lease.activity) {
            (Some((over, at)), ..) if over.how != EndKind::Died => (State::Closed, at),
            (Some((over, at)), ..) if over.on_board => (State::ForceClosed, at),
            (Some((_, at)), ..) => (State::Died, at),
            (None, Life::Dead, _) => (State::Died, seen),
            (None, _, Activity::Working) if now.since(seen) >= SILENT_AFTER_MS => {
                (State::Silent, seen)
            }
            (None, _, Activity::Waiting) => (State::Waiting, lease.since.min(now)),
            (None, _, Activity::Working) => (State::Working, lease.since.min(now)),
            (None, _, Activity::Idle) => (State::Idle, lease.since.min(now)),
        };
        Self {
            cell: lease.session_cell(),
            key: Repo::at(&lease.repo, &context.cwd).key,
            id: lease.session_id,
            agent: lease.agent,
            title: lease.title,
            repo: lease.name,
            path: lease.folder,
            branch: lease.branch,
            activity: lease.activity,
            state,
            since,
            seen,
            terminal: lease.terminal,
            trouble: lease.trouble,
        }
    }

    /// Returns the folder that changes when a session reports something.
    pub fn folder(context: &Context) -> Option<PathBuf> {
        let state_dir = config::state_dir(&context.env)?;
        Some(Leases::at(&state_dir).folder().to_owned())
    }

    /// Returns the row that the session would have.
    pub fn row(&self) -> Row<'static> {
        Row::new(&self.repo, Status::InProgress)
            .with(Field::Session, &self.cell)
            .with(Field::Branch, self.branch.as_deref().unwrap_or_default())
            .with(Field::Heartbeat, &self.seen.to_string())
            .with(Field::Key, &self.key)
    }

    /// Returns whether the session runs, as far as is known.
    pub fn is_live(&self) -> bool {
        self.state < State::Died
    }

    /// Returns whether `row` shows this session, or nothing newer.
    pub fn is_meant_by(&self, row: &Row) -> bool {
        row.get(Field::Session).as_deref() == Some(&self.cell)
            || !row.is_later_than(Some(self.seen))
    }
}

#[cfg(test)]
impl Session {
    pub fn example() -> Self {
        let then = Timestamp::from_millis(0);
        Self {
            id: "s1".to_owned(),
            agent: "claude".to_owned(),
            title: None,
            cell: "s1".to_owned(),
            repo: "app".to_owned(),
            key: "1f2e3d4c".to_owned(),
            path: PathBuf::from("/src/app"),
            branch: None,
            activity: Activity::Working,
            state: State::Working,
            since: then,
            seen: then,
            terminal: None,
            trouble: None,
        }
    }
}
