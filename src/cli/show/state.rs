//! The state of a row or a session: how it is shown, and in which order.

use super::session::Session;
use crate::Timestamp;
use crate::board::{self, Field, Row, SILENCE_LIMIT_MS, Status};
use crate::cli::terminal::Style;

/// The state of a row or a session, in the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It waits for its person.
    Waiting,
    /// It should be running, but has not reported for long.
    Silent,
    /// It works.
    Working,
    /// It runs; more is not known.
    InProgress,
    /// It has done what it was asked for.
    Idle,
    /// It runs no more, and the board does not say so yet.
    Died,
    /// The session ended without reporting it.
    ForceClosed,
    /// It has ended.
    Closed,
    /// Nobody works there.
    Free,
    /// The board has a status that boardsync does not know.
    Unknown,
}

impl State {
    /// The states that have a word of their own.
    pub const NAMED: [Self; 9] = [
        Self::Waiting,
        Self::Silent,
        Self::Working,
        Self::InProgress,
        Self::Idle,
        Self::Died,
        Self::ForceClosed,
        Self::Closed,
        Self::Free,
    ];

    /// Returns the state of `row`, given the sessions of its folder: those that
    /// live, or else the last one. A heartbeat that is ahead of the clock is as old
    /// as the time since it was `first_seen`.
    pub fn of(
        row: &Row,
        sessions: &[&Session],
        first_seen: Option<Timestamp>,
        now: Timestamp,
    ) -> Self {
        let live = sessions.iter().filter(|session| session.is_live());
        if let Some(state) = live.map(|session| session.state).min() {
            return state;
        }
        match row.status() {
            Some(Status::InProgress) => {
                let ended = sessions.iter().find(|session| session.is_meant_by(row));
                match ended {
                    Some(session) => session.state,
                    None if is_silent(row, first_seen, now) => Self::Silent,
                    None => Self::of_activity(row.get(Field::Mode).as_deref())
                        .unwrap_or(Self::InProgress),
                }
            }
            Some(Status::ForceClosed) => Self::ForceClosed,
            Some(Status::Closed) => Self::Closed,
            Some(Status::Frei) => Self::Free,
            None => Self::Unknown,
        }
    }

    /// Reads the activity that a board may show in the cell `Mode`.
    pub fn of_activity(mode: Option<&str>) -> Option<Self> {
        let activities = [Self::Waiting, Self::Working, Self::Idle];
        activities
            .into_iter()
            .find(|state| mode == Some(state.word()))
    }

    /// Returns the word that a person reads.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Silent => "silent",
            Self::Working => "working",
            Self::InProgress => Status::InProgress.word(),
            Self::Idle => "idle",
            Self::Died => "died",
            Self::ForceClosed => Status::ForceClosed.word(),
            Self::Closed => Status::Closed.word(),
            Self::Free => Status::Frei.word(),
            Self::Unknown => "unknown",
        }
    }

    /// Returns how the state looks on a terminal.
    pub const fn style(self) -> Style {
        match self {
            Self::Waiting => Style::Attention,
            Self::Silent => Style::Warning,
            Self::Working | Self::InProgress => Style::Good,
            Self::Died | Self::ForceClosed => Style::Bad,
            Self::Closed | Self::Free => Style::Faint,
            Self::Idle | Self::Unknown => Style::Plain,
        }
    }
}

fn is_silent(row: &Row, first_seen: Option<Timestamp>, now: Timestamp) -> bool {
    let is_long = |since: Timestamp| now.since(since) >= SILENCE_LIMIT_MS;
    board::has_gone_silent(row, now) || first_seen.is_some_and(is_long)
}

/// The numbers of rows in the states of running sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub waiting: usize,
    pub silent: usize,
    /// Working, or running where more is not known.
    pub working: usize,
    pub idle: usize,
}

impl Counts {
    /// Counts `states`.
    pub fn of(states: impl Iterator<Item = State>) -> Self {
        let mut counts = Self::default();
        for state in states {
            match state {
                State::Waiting => counts.waiting += 1,
                State::Silent => counts.silent += 1,
                State::Working | State::InProgress => counts.working += 1,
                State::Idle => counts.idle += 1,
                _ => {}
            }
        }
        counts
    }

    /// Lists the counts that are not zero: `2 waiting`, `7 working`.
    pub fn parts(&self) -> impl Iterator<Item = (State, String)> {
        [
            (State::Waiting, self.waiting),
            (State::Silent, self.silent),
            (State::Working, self.working),
            (State::Idle, self.idle),
        ]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(state, count)| (state, format!("{count} {}", state.word())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Field;

    fn session(state: State, cell: &str, seen: i64) -> Session {
        Session {
            state,
            cell: cell.to_owned(),
            seen: Timestamp::from_millis(seen),
            ..Session::example()
        }
    }

    #[test]
    fn a_row_shows_what_is_true_now() {
        use State::{Closed, Died, ForceClosed, Idle, InProgress, Silent, Waiting, Working};
        let hour = 60 * 60 * 1000;
        let now = Timestamp::from_millis(100 * hour);
        let row = |status, mode: &str, age: i64| {
            let beat = Timestamp::from_millis(100 * hour - age).to_string();
            Row::new("app", status)
                .with(Field::Session, "s1")
                .with(Field::Mode, mode)
                .with(Field::Heartbeat, &beat)
        };
        let at = |age: i64| 100 * hour - age;
        for (what, row, sessions, expected) in [
            (
                "no session",
                row(Status::InProgress, "deep", hour),
                vec![],
                InProgress,
            ),
            (
                "another host's activity",
                row(Status::InProgress, "waiting", hour),
                vec![],
                Waiting,
            ),
            (
                "hours of silence",
                row(Status::InProgress, "waiting", 5 * hour),
                vec![],
                Silent,
            ),
            (
                "hours of silence, but alive",
                row(Status::InProgress, "", 5 * hour),
                vec![session(Idle, "s1", at(5 * hour))],
                Idle,
            ),
            (
                "who waits goes first",
                row(Status::InProgress, "", 0),
                vec![session(Working, "s1", at(0)), session(Waiting, "s2", at(9))],
                Waiting,
            ),
            (
                "alive, though the board has not heard of it",
                row(Status::Closed, "", hour),
                vec![session(Working, "s2", at(0))],
                Working,
            ),
            (
                "killed, though the board has not heard of it",
                row(Status::InProgress, "", hour),
                vec![session(Died, "s1", at(2 * hour))],
                Died,
            ),
            (
                "another one is running since",
                row(Status::InProgress, "", hour),
                vec![session(Died, "s0", at(2 * hour))],
                InProgress,
            ),
            (
                "the board knows",
                row(Status::ForceClosed, "", hour),
                vec![session(Died, "s1", at(2 * hour))],
                ForceClosed,
            ),
            ("ended", row(Status::Closed, "idle", 0), vec![], Closed),
        ] {
            let sessions: Vec<&Session> = sessions.iter().collect();
            assert_eq!(State::of(&row, &sessions, None, now), expected, "{what}");
        }
    }
}
