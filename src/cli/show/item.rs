//! One row as it is shown, with the sessions that run in its folder.

use super::session::Session;
use super::state::State;
use crate::Timestamp;
use crate::board::{Field, Row};
use std::borrow::Cow;
use std::path::Path;

/// A row, and the sessions that run in its folder.
pub struct Item<'a> {
    pub row: Row<'a>,
    pub state: State,
    /// Those that run, or else the last one; who needs its person first.
    pub sessions: Vec<&'a Session>,
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

    /// Returns whether this is a row of the folder of `session` that no board has yet.
    pub fn is_new_row_of(&self, session: &Session) -> bool {
        self.row.line().is_none() && self.row.get(Field::Key).as_deref() == Some(&session.key)
    }
}
