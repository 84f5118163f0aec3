//! The board for programs.

use super::item::Item;
use super::session::Session;
use super::state::State;
use super::view::View;
use crate::Timestamp;
use crate::board::Field;
use serde_json::{Value, json};
use std::path::Path;

/// Returns the board as one object: all rows that are shown, with all their cells.
pub fn object(view: &View) -> Value {
    json!({
        "path": path(view.path),
        "created": view.board.created().map(time),
        "updated": view.board.updated().map(time),
        "rows": view.items.iter().map(|item| object_of(view, item)).collect::<Vec<_>>(),
        "troubles": view.troubles,
    })
}

fn object_of(view: &View, item: &Item) -> Value {
    // Titles may be missing, empty or twice the same, so this is no object.
    let row = &item.row;
    let mut titles = view.board.extra_titles();
    let extra: Vec<Value> = row
        .extra()
        .iter()
        .map(|text| json!({ "title": titles.next(), "text": text }))
        .collect();
    let mut object = json!({
        "path": item.path().map(path), "activity": activity(item.state), "state": item.state.word(),
        "since": item.since().map(time), "silent": item.state == State::Silent,
        "sessions": item.sessions.iter().map(|it| session(it)).collect::<Vec<_>>(),
        "extra": extra,
    });
    for field in Field::ALL {
        object[field.word()] = json!(item.cell(field));
    }
    object
}

fn session(session: &Session) -> Value {
    json!({
        "session_id": session.id, "agent": session.agent, "title": session.title,
        "path": path(&session.path), "branch": session.branch,
        "activity": activity(session.state), "state": session.state.word(),
        "since": time(session.since), "seen": time(session.seen), "terminal": session.terminal,
    })
}

/// Returns what a session does, where that is known.
fn activity(state: State) -> Option<&'static str> {
    State::of_activity(Some(state.word())).map(State::word)
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn time(time: Timestamp) -> String {
    time.to_string()
}
