//! `watch --exec`: a command for each session that needs its person.

use crate::board::Field;
use crate::cli::show::{State, View};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// The command, and the states that it knows of.
pub struct Alarm<'a> {
    command: &'a str,
    /// `None` before the first look, which only learns.
    known: Option<HashMap<String, State>>,
}

/// One session, or a row of which no session is known.
struct Subject<'v> {
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
        let subjects: Vec<Subject> = subjects(view).collect();
        if let Some(known) = &self.known {
            for subject in &subjects {
                let is_new = known.get(&subject.id) != Some(&subject.state);
                if is_new && matches!(subject.state, State::Waiting | State::Silent | State::Died) {
                    self.run(subject);
                }
            }
        }
        let states = subjects.into_iter().map(|it| (it.id, it.state));
        self.known = Some(states.collect());
    }

    fn run(&self, subject: &Subject) {
        let mut command = if cfg!(windows) {
            let mut command = Command::new("cmd");
            command.arg("/C");
            command
        } else {
            let mut command = Command::new("sh");
            command.arg("-c");
            command
        };
        let path = subject.path.map_or(OsStr::new(""), Path::as_os_str);
        let child = command
            .arg(self.command)
            .env("BOARDSYNC_REPO", &*subject.repo)
            .env("BOARDSYNC_PATH", path)
            .env("BOARDSYNC_TITLE", &*subject.title)
            .env("BOARDSYNC_ACTIVITY", subject.state.word())
            // The screen is not its.
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        // Without a shell there is nothing to run, and no place to say so.
        if let Ok(mut child) = child {
            std::thread::spawn(move || child.wait());
        }
    }
}

fn subjects<'v>(view: &'v View) -> impl Iterator<Item = Subject<'v>> {
    view.items.iter().flat_map(|item| {
        let sessions = item.sessions.iter().map(|session| Subject {
            id: format!("session {} {}", session.id, session.path.display()),
            state: session.state,
            repo: item.row.repo(),
            path: Some(&session.path),
            title: session.title.as_deref().unwrap_or(&session.cell).into(),
        });
        let row = item.sessions.is_empty().then(|| Subject {
            id: format!("row {:?}", view.board.slot_of(&item.row)),
            state: item.state,
            repo: item.row.repo(),
            path: None,
            title: item.row.get(Field::Session).unwrap_or_default(),
        });
        sessions.chain(row)
    })
}
