//! `boardsync show`: the board, for people and for programs.

use super::ago::ago;
use super::context::Context;
use super::outcome::{Exit, Failure, print, print_json};
use boardsync::board::{Board, Row};
use boardsync::commit::LIMIT;
use boardsync::disk::read_regular;
use boardsync::{Timestamp, printable};
use clap::Args;
use serde_json::{Value, json};

/// Is what `show` takes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  boardsync show\n  boardsync show --json")]
pub struct ShowArgs {}

/// Runs `boardsync show`.
pub fn run(context: &Context, _args: &ShowArgs) -> Result<Exit, Failure> {
    let place = context.place()?;
    let path = place.board.display();
    let contents = read_regular(&place.target, LIMIT)
        .map_err(|error| Failure::Error(format!("cannot read the board `{path}`: {error}")))?
        .ok_or_else(|| {
            Failure::Error(format!(
                "no board at `{path}` yet: `boardsync update --repo . --status in-progress` makes it"
            ))
        })?;
    let text = std::str::from_utf8(&contents.bytes)
        .map_err(|error| Failure::Error(format!("the board `{path}` is not UTF-8: {error}")))?;
    let board = Board::parse(text);
    if context.global.json {
        let rows: Vec<Value> = board.rows.iter().map(object).collect();
        print_json(&json!({ "path": place.board.to_string_lossy(), "rows": rows }))?;
    } else {
        let mut text = format!("{path}\n");
        for row in &board.rows {
            text.push_str(&line(row, context.now));
        }
        print(&text)?;
    }
    Ok(Exit::Success)
}

fn object(row: &Row) -> Value {
    json!({
        "repo": row.repo, "status": row.status, "session": row.session, "branch": row.branch,
        "mode": row.mode, "heartbeat": row.heartbeat, "key": row.key,
    })
}

fn line(row: &Row, now: Timestamp) -> String {
    let shown = |cell: Option<&str>| printable(cell.unwrap_or("—"), 40);
    let beat = row
        .beat()
        .map_or_else(|| shown(row.heartbeat.as_deref()), |then| ago(then, now));
    format!(
        "{:<20} {:<12} {:<24} {:<16} {:<8} {beat}\n",
        shown(Some(&row.repo)),
        shown(Some(&row.status)),
        shown(row.session.as_deref()),
        shown(row.branch.as_deref()),
        shown(row.mode.as_deref()),
    )
}
