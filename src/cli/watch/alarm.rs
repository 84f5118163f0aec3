//! `watch --exec`: a command for each session that needs its person.

use crate::board::Field;
use crate::cli::show::{State, View};
use crate::printable::printable;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// The longest text that the command gets, in characters: anybody who writes
/// on the board may have written it.
const MAX_CHARS: usize = 300;

/// The command, and the states that it knows of.
pub struct Alarm<'a> {
    command: &'a str,
    /// `None` before the first look, which only collects.
    known: Option<HashMap<String, State>>,
}

/// One session, or a row of which no session is known.
struct Alert<'v> {
    id: String,
    state: State,
    repo: Cow<'v, str>,
    path: Option<&'v Path>,
    title: Cow<'v, str>,
}

impl<'a> Alarm<'a> {
    pub fn new(command: &'a str) -> Self {
        Self {
            command,
            known: None,
        }
    }

    /// Runs the command for what has begun to wait, fallen silent or died since
    /// the last look.
    pub fn look(&mut self, view: &View) {
        let alerts: Vec<Alert> = alerts(view).collect();
        if let Some(known) = &self.known {
            for alert in &alerts {
                let is_new = known.get(&alert.id) != Some(&alert.state);
                if is_new && matches!(alert.state, State::Waiting | State::Silent | State::Died) {
                    self.run(alert);
                }
            }
        }
        let states = alerts.into_iter().map(|it| (it.id, it.state));
        self.known = Some(states.collect());
    }

    fn run(&self, alert: &Alert) {
        let mut command = if cfg!(windows) {
            let mut command = Command::new("cmd");
            command.arg("/C");
            command
        } else {
            let mut command = Command::new("sh");
            command.arg("-c");
            command
        };
        let path = alert.path.map_or(OsStr::new(""), Path::as_os_str);
        let child = command
            .arg(self.command)
            .env("BOARDSYNC_REPO", printable(&alert.repo, MAX_CHARS))
            .env("BOARDSYNC_PATH", path)
            .env("BOARDSYNC_TITLE", printable(&alert.title, MAX_CHARS))
            .env("BOARDSYNC_ACTIVITY", alert.state.word())
            // The screen is not its.
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        // Without a shell nothing can be run, and there is nowhere to report it.
        if let Ok(mut child) = child {
            std::thread::spawn(move || child.wait());
        }
    }
}

fn alerts<'v>(view: &'v View) -> impl Iterator<Item = Alert<'v>> {
    view.items.iter().flat_map(|item| {
        let sessions = item.sessions.iter().map(|session| Alert {
            id: format!("session {} {}", session.id, session.path.display()),
            state: session.state,
            repo: item.row.repo(),
            path: Some(&session.path),
            title: session.title.as_deref().unwrap_or(&session.cell).into(),
        });
        let row = item.sessions.is_empty().then(|| Alert {
            id: format!("row {:?}", view.board.slot_of(&item.row)),
            state: item.state,
            repo: item.row.repo(),
            path: None,
            title: item.row.get(Field::Session).unwrap_or_default(),
        });
        sessions.chain(row)
    })
}
