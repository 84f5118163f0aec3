//! `boardsync hook`: what a coding agent's hooks call; it never gets in their way.
//!
//! It exits 0 whatever happens, prints nothing on stdout and at most one line
//! on stderr, and ends by its own deadline. Most calls are heartbeats that
//! change nothing: those read the event, renew the lease, and are gone before the
//! command line's parser would have been built.

mod board;
mod note;
mod notice;

use super::context::{Context, OnSignal};
use super::global::Global;
use super::outcome::{Exit, Failure, last_warning, warn, warn_once};
use super::signals;
use super::stdin;
use super::variables::Reader;
use super::watchdog::Watchdog;
use crate::agent::{Meaning, Payload};
use crate::config;
use crate::edit::ActivityCell;
use crate::session::lease::{EventKind, Lease, Leases, Processes, Voice};
use board::{Budget, bring_up_to_date};
use clap::Args;
use note::note;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::panic;
use std::time::{Duration, Instant};

/// All SessionEnd hooks of Claude Code together have about 1.5 s.
const END_LIMIT: Duration = Duration::from_millis(700);
const OTHER_LIMIT: Duration = Duration::from_secs(2);
/// What is kept of the limit for the commit, once the lock cannot be acquired.
const FOR_THE_COMMIT: Duration = Duration::from_millis(250);
/// How much of that the commit may wait for the latch: without it nothing is lost.
const FOR_THE_LATCH: Duration = Duration::from_millis(125);

/// The arguments of `hook`, which reads stdin.
#[derive(Debug, Default, Args)]
#[command(after_help = "Example, in the settings of Claude Code:
  {\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"boardsync hook\"}]}],
             \"SessionEnd\":   [{\"hooks\": [{\"type\": \"command\", \"command\": \"boardsync hook\"}]}]}}

Reads one JSON object on stdin, as coding agents give it to their hooks, and
keeps a lease of the session in the folder for state. The row of a repository is
in-progress while any of its sessions lives, closed once the last one has ended,
force-closed once its process is gone. The board is written only if it would
show something new: a start, an end, another folder, a session that begins or
ceases to wait for its person or begins to work, at most once a minute one that
is idle.

Always exits 0, prints at most one line on stderr, and on stdout nothing but, at
a start of an agent that shows it to the person, one `systemMessage`. It ends
within 2 s, for the end of a session within 0.7 s: $BOARDSYNC_HOOK_TIMEOUT_MS and
$BOARDSYNC_HOOK_END_TIMEOUT_MS change that.")]
pub struct HookArgs {
    /// The coding agent that calls, like `claude-code` or `codex`.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The name of the event, if stdin does not contain it.
    #[arg(long, value_name = "NAME")]
    pub event: Option<String>,
}

impl HookArgs {
    /// Reads a plain `hook [--agent NAME] [--event NAME]`; anything else is for
    /// clap, which takes longer than most hooks.
    pub fn plain(args: &[OsString]) -> Option<Self> {
        let mut read = Self::default();
        let mut words = args.iter().skip(1);
        if words.next()? != "hook" {
            return None;
        }
        while let Some(word) = words.next() {
            let slot = match word.to_str()? {
                "--agent" => &mut read.agent,
                "--event" => &mut read.event,
                _ => return None,
            };
            let value = words.next()?.to_str()?;
            if slot.is_some() || value.is_empty() || value.starts_with('-') {
                return None;
            }
            *slot = Some(value.to_owned());
        }
        Some(read)
    }
}

/// Runs `boardsync hook`.
pub fn run(global: Global, args: &HookArgs) -> Exit {
    let started = Instant::now();
    // A closed terminal or a stopped agent must not cut a hook off.
    signals::outlive();
    warn_once();
    panic::set_hook(Box::new(|what| warn(&format!("internal error: {what}"))));
    let done = panic::catch_unwind(|| act(global, args, started));
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

fn act(global: Global, args: &HookArgs, started: Instant) -> Result<(), Failure> {
    let tolerate = |failure| {
        if let Failure::Usage(message) = failure {
            warn(&format!("{message}; the default is used"));
        }
        Ok(())
    };
    let context = Context::read(global, OnSignal::Finish, tolerate)?;
    let mut reader = Reader {
        env: &context.env,
        on_mistake: tolerate,
    };
    let end_limit = reader.millis("BOARDSYNC_HOOK_END_TIMEOUT_MS", END_LIMIT, 1)?;
    let other_limit = reader.millis("BOARDSYNC_HOOK_TIMEOUT_MS", OTHER_LIMIT, 1)?;
    if std::io::stdin().is_terminal() {
        return Err(Failure::Error(
            "stdin is a terminal: a coding agent calls this, with JSON on stdin; see `boardsync hook --help`"
                .to_owned(),
        ));
    }
    // Until it is read, the event may be the end of a session.
    let read_limit = end_limit.min(other_limit);
    let guard = cfg!(not(unix)).then(|| Watchdog::start(started, read_limit, |_| {}));
    let stdin = stdin::until(started, read_limit);
    let payload = Payload::read(stdin, args.event.as_deref()).map_err(Failure::of)?;
    drop(guard);

    let state = config::state_dir(&context.env)
        .ok_or_else(|| Failure::Error("the home folder is not known; set `HOME`".to_owned()))?;
    let leases = Leases::at(&state);
    let session_id = payload.session_id.clone();
    let processes = Processes::system();
    let limit = |meaning| match meaning {
        Meaning::Known(EventKind::End) => end_limit,
        _ => other_limit,
    };
    let watch = |meaning| {
        let (leases, session_id) = (leases.clone(), session_id.clone());
        Watchdog::start(started, limit(meaning), move |trouble| {
            notice::keep_trouble(&leases, &session_id, trouble);
        })
    };
    // A sign of life touches nothing but the user's folder for state: most
    // hooks are over before a thread would have started.
    let mut watchdog = None;
    let noted = note(
        &context,
        payload,
        args.agent.as_deref(),
        &leases,
        &processes,
        |meaning| watchdog = Some(watch(meaning)),
    );
    let is_start = noted.meaning == Meaning::Known(EventKind::Start);
    let own = noted
        .changed
        .iter()
        .rev()
        .find(|lease| lease.session_id == session_id);
    if let Some(own) = own.filter(|_| is_start) {
        notice::print(&noted, own, &leases, &processes, context.now)?;
    }
    let is_own_start = is_start && noted.voice == Voice::Session;
    let shows_activity = || context.activity_cell() == ActivityCell::On;
    let is_news = |lease: &&Lease| is_own_start || lease.is_news(shows_activity, context.now);
    let done = match noted.changed.iter().rev().find(is_news) {
        None => Ok(()),
        Some(lease) => {
            let _watchdog = watchdog.unwrap_or_else(|| watch(noted.meaning));
            let limit = limit(noted.meaning);
            let budget = Budget {
                started,
                for_the_lock: limit.saturating_sub(started.elapsed() + FOR_THE_COMMIT),
                for_the_latch: FOR_THE_LATCH.min(limit / 4),
            };
            bring_up_to_date(&context, lease, &leases, &budget)
        }
    };
    let done = noted.trouble.map_or(done, Err);
    let trouble = match &done {
        Err(failure) => Some(failure.to_string()),
        Ok(()) => last_warning(),
    };
    if let Some(trouble) = trouble {
        notice::keep_trouble(&leases, &session_id, &trouble);
    }
    done
}
