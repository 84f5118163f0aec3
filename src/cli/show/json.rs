//! The board for programs.

use super::snapshot::View;
use crate::Timestamp;
use crate::board::Row;
use serde_json::{Value, json};

/// Gives the board as one object: all rows that are shown, with all their cells.
pub fn object(view: &View) -> Value {
    let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
    json!({
        "path": view.path.to_string_lossy(),
        "created": time(view.board.created()),
        "updated": time(view.board.updated()),
        "rows": view.rows().map(|row| entry(view, row)).collect::<Vec<_>>(),
    })
}

fn entry(view: &View, row: &Row) -> Value {
    // Titles may be missing, empty or twice the same, so this is no object.
    let mut titles = view.board.extra_titles();
    let extra: Vec<Value> = row
        .extra
        .iter()
        .map(|text| json!({ "title": titles.next(), "text": text }))
        .collect();
    json!({
        "repo": row.repo, "status": row.status, "session": row.session, "branch": row.branch,
        "mode": row.mode, "heartbeat": row.heartbeat, "key": row.key, "host": row.host,
        "silent": view.is_silent(row), "extra": extra,
    })
}
