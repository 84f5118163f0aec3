//! `boardsync hook`: what a coding agent's hooks call; it never gets in their way.
//!
//! It exits 0 whatever happens, prints nothing on stdout and at most one line
//! on stderr, and ends by its own deadline. Most calls are heartbeats that
//! change nothing: those read the event and the board, and are gone before
//! the command line's parser would have been built.

mod visit;

use super::context::{Context, millis};
use super::global::Global;
use super::outcome::{Exit, Failure, warn, warn_once};
use super::stdin;
use super::watchdog::Watchdog;
use crate::agent::{Event, Kind};
use clap::Args;
use std::io::IsTerminal;
use std::panic;
use std::time::{Duration, Instant};
use visit::Visit;

/// All SessionEnd hooks of Claude Code together have about 1.5 s.
const END_LIMIT: Duration = Duration::from_millis(700);
const OTHER_LIMIT: Duration = Duration::from_secs(2);
/// What is kept of the limit for the commit, once the lock is not to be had.
const FOR_THE_COMMIT: Duration = Duration::from_millis(250);
/// What the commit may wait of that: without the latch it loses nothing.
const FOR_THE_LATCH: Duration = Duration::from_millis(125);

/// The arguments of `hook`, which reads stdin.
#[derive(Debug, Default, Args)]
#[command(after_help = "Example, in the settings of Claude Code:
  {\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"boardsync hook\"}]}],
             \"SessionEnd\":   [{\"hooks\": [{\"type\": \"command\", \"command\": \"boardsync hook\"}]}]}}

Reads one JSON object in the format of Claude Code's hooks on stdin; agents that
send the same fields (`hook_event_name`, `session_id`, `cwd`) may call it too.
SessionStart sets the row of the repository to in-progress, SessionEnd to closed;
any other event refreshes it, at most once a minute. A row belongs to the session
that it shows: the late end of another changes nothing, and another session takes
it by starting, or once it has been quiet for 15 minutes.

Always exits 0, prints nothing on stdout and at most one line on stderr, and ends
within 2 s, for SessionEnd within 0.7 s: $BOARDSYNC_HOOK_TIMEOUT_MS and
$BOARDSYNC_HOOK_END_TIMEOUT_MS change that.")]
pub struct HookArgs {}

/// Runs `boardsync hook`.
pub fn run(global: Global, _args: &HookArgs) -> Exit {
    let started = Instant::now();
    warn_once();
    panic::set_hook(Box::new(|what| warn(&format!("internal error: {what}"))));
    let done = panic::catch_unwind(|| act(global, started));
    if let Ok(Err(Failure::Usage(message) | Failure::Error(message))) = done {
        warn(&message);
    }
    Exit::Success
}

/// Reports a wrong `boardsync hook` with success: exit 2 would be a veto, which
/// keeps a session from ending.
pub fn excuse(usage_error: &str) -> Exit {
    warn(&format!("{usage_error}; nothing was done"));
    Exit::Success
}

fn act(global: Global, started: Instant) -> Result<(), Failure> {
    let tolerate = |failure| {
        if let Failure::Usage(message) = failure {
            warn(&format!("{message}; the default is used"));
        }
        Ok(())
    };
    let context = Context::read(global, tolerate)?;
    let limit = |name, default| {
        millis(&context.env, name, default, 1)
            .or_else(|failure| tolerate(failure).map(|()| default))
    };
    let end_limit = limit("BOARDSYNC_HOOK_END_TIMEOUT_MS", END_LIMIT)?;
    let other_limit = limit("BOARDSYNC_HOOK_TIMEOUT_MS", OTHER_LIMIT)?;
    if std::io::stdin().is_terminal() {
        return Err(Failure::Error(
            "stdin is a terminal: a coding agent calls this, with JSON on stdin; see `boardsync hook --help`"
                .to_owned(),
        ));
    }
    // Until it is read, the event may be the end of a session.
    let read_limit = end_limit.min(other_limit);
    let guard = cfg!(not(unix)).then(|| Watchdog::start(started, read_limit));
    let event = Event::read(stdin::until(started, read_limit)).map_err(Failure::of)?;
    drop(guard);
    let limit = match event.kind {
        Kind::End => end_limit,
        Kind::Start | Kind::Beat => other_limit,
    };
    let _guard = Watchdog::start(started, limit);
    let Some(visit) = Visit::of(&context, event)? else {
        return Ok(());
    };
    let for_the_lock = limit.saturating_sub(started.elapsed() + FOR_THE_COMMIT);
    visit.update(for_the_lock, FOR_THE_LATCH.min(limit / 4), started)
}
