//! `boardsync status`: one line for a prompt, for tmux, or for an agent's status line.

use super::context::{Chosen, Context};
use super::outcome::{Exit, Failure, print, print_json};
use super::show::{Counts, Selection, Session, Snapshot, State};
use super::stdin;
use crate::printable::printable;
use clap::{Args, ValueEnum};
use serde::Deserialize;
use serde_json::json;
use std::borrow::Cow;
use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long an agent may take to write its JSON; it does so at once.
const INPUT_LIMIT: Duration = Duration::from_millis(100);
/// How many bytes of it are read.
const MAX_INPUT_BYTES: u64 = 1 << 20;
/// How many waiting repositories are named.
const NAMED: usize = 3;

/// The arguments of `status`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  PS1='$(boardsync status) \\$ '
  set -g status-right '#(boardsync status --format tmux)'
  {\"statusLine\": {\"type\": \"command\", \"command\": \"boardsync status\"}}

Counts the sessions that are waiting for you, silent, working or idle, and leaves out
zeros. The last example belongs in the settings of Claude Code: given its JSON on
stdin, status leaves out that session and names the repositories that wait. A board
that cannot be read counts as empty; `boardsync show` says why.")]
pub struct StatusArgs {
    /// Format of the line
    #[arg(long, value_name = "FORMAT", default_value = "plain")]
    format: OutputFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// Text only
    Plain,
    /// With the colours of tmux
    Tmux,
}

/// The JSON that Claude Code writes to the stdin of its status line (2.1).
#[derive(Debug, Deserialize)]
struct StatusLine {
    session_id: String,
    cwd: Option<PathBuf>,
}

/// Runs `boardsync status`.
pub fn run(context: &Context, args: &StatusArgs) -> Result<Exit, Failure> {
    let asking = status_line();
    let folder = asking.as_ref().and_then(|asking| asking.cwd.as_deref());
    let place = match context.choose(Some(folder.unwrap_or(&context.cwd)))? {
        Chosen::Board(place) => place,
        Chosen::Disabled { .. } => return Ok(Exit::Success),
    };
    let snapshot = Snapshot::take(context, &place, context.now)
        .unwrap_or_else(|_| Snapshot::of_sessions(context, &place, context.now));
    let view = snapshot.view(&Selection::default());
    let asks = |session: Option<&Session>| match (&asking, session) {
        (Some(asking), Some(session)) => asking.session_id == session.id,
        _ => false,
    };
    let others: Vec<(State, Cow<str>)> = view
        .states()
        .filter(|(_, _, session)| !asks(*session))
        .map(|(state, item, _)| (state, item.row.repo()))
        .collect();
    let counts = Counts::of(others.iter().map(|(state, _)| *state));
    if context.global.json {
        print_json(&json!({
            "waiting": counts.waiting, "silent": counts.silent,
            "working": counts.working, "idle": counts.idle,
        }))?;
    } else if !context.global.quiet {
        let parts = counts
            .parts()
            .map(|(state, part)| match (state, args.format) {
                (State::Waiting, OutputFormat::Plain) if asking.is_some() => {
                    format!("{part}: {}", waiting(&others))
                }
                (State::Waiting, OutputFormat::Tmux) => {
                    format!("#[fg=yellow,bold]{part}#[default]")
                }
                (State::Silent, OutputFormat::Tmux) => format!("#[fg=yellow]{part}#[default]"),
                _ => part,
            });
        print(&(parts.collect::<Vec<_>>().join(" · ") + "\n"))?;
    }
    Ok(Exit::Success)
}

/// Names the repositories that wait, as many as fit a line.
fn waiting(states: &[(State, Cow<str>)]) -> String {
    let waiting = states.iter().filter(|(state, _)| *state == State::Waiting);
    let mut names: Vec<String> = waiting.map(|(_, repo)| printable(repo, 30)).collect();
    names.dedup();
    if names.len() > NAMED {
        names.truncate(NAMED);
        names.push("…".to_owned());
    }
    names.join(", ")
}

/// Reads what Claude Code writes to stdin; ignores a terminal and anything else.
fn status_line() -> Option<StatusLine> {
    if std::io::stdin().is_terminal() {
        return None;
    }
    let mut json = Vec::new();
    stdin::until(Instant::now(), INPUT_LIMIT)
        .take(MAX_INPUT_BYTES)
        .read_to_end(&mut json)
        .ok()?;
    serde_json::from_slice(&json).ok()
}
