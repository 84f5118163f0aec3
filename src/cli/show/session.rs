//! The sessions of this host, as they are shown.

use super::state::State;
use crate::Timestamp;
use crate::board::{Field, Row, Status};
use crate::cli::context::Context;
use crate::vault::Place;
use std::path::PathBuf;

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
    pub fn of_board(_context: &Context, _place: &Place, _now: Timestamp) -> Vec<Self> {
        Vec::new()
    }

    /// Returns the folder that changes when a session reports something.
    pub fn folder(_context: &Context) -> Option<PathBuf> {
        None
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
        row.session.as_deref() == Some(&self.cell) || row.beat().is_none_or(|it| it <= self.seen)
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
            state: State::Working,
            since: then,
            seen: then,
            terminal: None,
            trouble: None,
        }
    }
}
