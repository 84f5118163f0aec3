//! `boardsync hook`: what a coding agent's hooks call; it never gets in their way.
//!
//! It exits 0 whatever happens, prints nothing on stdout and at most one line
//! on stderr, and ends by its own deadline. Most calls are heartbeats that
//! change nothing: those read the event and the board, and are gone before
//! the command line's parser would have been built.

use super::args::{Cli, Global};
use super::context::{Chosen, Context, Sync, millis};
use super::outcome::{Exit, Failure, warn, warn_once};
use super::stdin;
use super::update::record;
use super::watchdog::Watchdog;
use boardsync::board::{Board, Origin, Row, Slot, clean};
use boardsync::commit::LIMIT;
use boardsync::config;
use boardsync::disk::{Patience, read_regular};
use boardsync::hook::{Event, Kind, Verdict, Whereabouts, decide, locate};
use boardsync::lock::{Host, LockOptions, Unlocked};
use boardsync::session::{
    Explicit, Registry, RegistryEntry, Repo, SessionLock, Sources, git, resolve,
};
use boardsync::update::{Action, OnlyWhere, Request, Subject, update};
use boardsync::vault::Place;
use clap::{Args, Parser};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::panic;
use std::time::{Duration, Instant};

/// All SessionEnd hooks of Claude Code together have about 1.5 s.
const END_LIMIT: Duration = Duration::from_millis(700);
const OTHER_LIMIT: Duration = Duration::from_secs(2);
/// What is kept of the limit for the commit, once the lock is not to be had.
const FOR_THE_COMMIT: Duration = Duration::from_millis(250);

/// Is what `hook` takes: nothing but stdin.
#[derive(Debug, Args)]
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

/// Says whether a command line asks for the hook, without a parser: a usage
/// error there must not exit 2, which would keep a session from ending.
pub fn is_meant(args: &[OsString]) -> bool {
    let mut args = args.iter().skip(1);
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--vault" | "--board" | "--holder") => drop(args.next()),
            Some(option) if option.starts_with('-') => {}
            _ => return arg == "hook",
        }
    }
    false
}

/// Runs `boardsync hook`.
pub fn run(args: &[OsString]) -> Exit {
    let started = Instant::now();
    warn_once();
    panic::set_hook(Box::new(|what| warn(&format!("internal error: {what}"))));
    let done = panic::catch_unwind(|| match global(args) {
        Some(global) => act(global, started),
        None => Ok(()),
    });
    if let Ok(Err(Failure::Usage(message) | Failure::Error(message))) = done {
        warn(&message);
    }
    Exit::Success
}

/// Gives the options; `None` if there is no more to do.
fn global(args: &[OsString]) -> Option<Global> {
    if args.len() == 2 {
        return Some(Global::default());
    }
    match Cli::try_parse_from(args) {
        Ok(cli) => Some(cli.global),
        Err(error) if error.use_stderr() => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            warn(&format!(
                "{}; nothing was done, see `boardsync hook --help`",
                first.strip_prefix("error: ").unwrap_or(first)
            ));
            None
        }
        // A person asked for help.
        Err(help) => {
            let _ = help.print();
            None
        }
    }
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
    // A thread costs more than all that a heartbeat without a change does, and
    // that only looks: the agent's own timeout is enough for it.
    let guard = |is_wanted: bool| is_wanted.then(|| Watchdog::start(started, limit));
    let _looking = guard(event.kind != Kind::Beat);
    let Some(visit) = Visit::of(&context, event)? else {
        return Ok(());
    };
    let _writing = guard(visit.event.kind == Kind::Beat);
    let for_the_lock = limit.saturating_sub(started.elapsed() + FOR_THE_COMMIT);
    visit.update(for_the_lock, started)
}

/// Is an event that changes a row, as far as could be seen without the lock.
struct Visit<'a> {
    context: &'a Context,
    event: Event,
    place: Place,
    subject: Subject,
    /// All names of the session.
    names: Vec<String>,
}

impl<'a> Visit<'a> {
    /// Looks at the board, without lock or latch; `None` if nothing changes.
    fn of(context: &'a Context, event: Event) -> Result<Option<Self>, Failure> {
        let project = context.env.path("CLAUDE_PROJECT_DIR");
        let cwd = event.cwd.as_ref().or(project.as_ref());
        let cwd = resolve(cwd.unwrap_or(&context.cwd), &context.cwd);
        let (lost, around) = match locate(&cwd, project.as_deref()) {
            Whereabouts::Repo(path) => (Vec::new(), Some(path)),
            Whereabouts::Gone { lost, around } => (lost, around),
        };
        let place = match context.choose(Some(around.as_ref().unwrap_or(&cwd)))? {
            Chosen::Place(place) => place,
            Chosen::Disabled { .. } => return Ok(None),
        };
        // Whatever is wrong with the board, the update says so.
        let read = read_regular(&place.target, LIMIT).ok().flatten();
        let bytes = read.map_or_else(Vec::new, |read| read.bytes);
        let board = Board::parse(std::str::from_utf8(&bytes).unwrap_or_default());
        if event.kind == Kind::Beat && !bytes.is_empty() && board.origin() != Origin::Ours {
            // That it does so at each start and end is often enough.
            return Ok(None);
        }

        let is_gone = !lost.is_empty();
        let mut lost = lost.iter().map(|path| Repo::at(path, &cwd));
        let known = lost.find(|repo| row_of(&board, repo).is_some());
        let may_be_anothers = is_gone && known.is_none();
        let around = around.map(|path| Repo::at(&path, &cwd));
        let Some(repo) = known.or(around) else {
            return Ok(None);
        };
        let row = row_of(&board, &repo);

        let is_own = |id: &str| id == event.session_id;
        let lock = SessionLock::read(&repo.path).ok().flatten();
        let lock = lock.filter(|lock| is_own(&lock.session_id));
        let mut names = vec![event.session_id.clone()];
        names.extend(lock.iter().map(|lock| lock.shown_session().to_owned()));
        let verdict = |names: &[String]| {
            let row = row.map(|row| &**row);
            decide(
                event.kind,
                row,
                |shown| is_one_of(names, shown),
                context.now,
            )
        };
        if matches!(verdict(&names), Verdict::Fresh | Verdict::Outdated) {
            return Ok(None);
        }

        let registry = config::registry_dir(&context.env).map(|folder| Registry::at(&folder));
        let mut entries = registry.map_or_else(Vec::new, |registry| {
            registry.entries_of(&repo, Some(&event.session_id))
        });
        entries.retain(|entry| is_own(&entry.session_id));
        names.extend(entries.iter().map(|entry| entry.shown_session().to_owned()));
        let shows_it = row
            .and_then(|row| row.session.as_deref())
            .is_some_and(|shown| is_one_of(&names, shown));
        if verdict(&names) != Verdict::Write || may_be_anothers && !shows_it {
            return Ok(None);
        }
        let sources = Sources {
            branch: git::branch(&repo.path),
            lock,
            entries,
            warnings: Vec::new(),
        };
        Ok(Some(Self {
            context,
            event,
            place,
            subject: Subject { repo, sources },
            names,
        }))
    }

    /// Writes the row, unless the board has changed meanwhile so that it must not.
    fn update(&self, for_the_lock: Duration, started: Instant) -> Result<(), Failure> {
        let Self { context, event, .. } = self;
        let Sources { lock, entries, .. } = &self.subject.sources;
        let named = lock.as_ref().map(SessionLock::shown_session);
        let named = named.or(entries.first().map(RegistryEntry::shown_session));
        let explicit = Explicit {
            status: Some(event.kind.status()),
            session: Some(named.unwrap_or(&event.session_id).to_owned()),
            heartbeat: Some(context.now.to_string()),
            ..Explicit::default()
        };
        let only_where = |row: Option<&Row<'_>>| {
            let is_ours = |shown: &str| is_one_of(&self.names, shown);
            let row = row.map(|row| &**row);
            decide(event.kind, row, is_ours, context.now) == Verdict::Write
        };
        let told = |unlocked: &Unlocked| {
            warn(&format!(
                "{unlocked}; the board is written without the lock"
            ));
        };
        let options = context.lock_options(&self.place);
        let request = Request {
            place: &self.place,
            subjects: std::slice::from_ref(&self.subject),
            explicit: &explicit,
            now: context.now,
            only_where: Some(OnlyWhere(&only_where)),
            lock: LockOptions {
                patience: match options.patience {
                    Patience::TryOnce => Patience::TryOnce,
                    Patience::For(time) => time.min(for_the_lock).into(),
                },
                warn: &told,
                ..options
            },
            sync: context.sync != Sync::None,
            dry_run: false,
            host: None,
        };
        let report = update(request).map_err(Failure::of)?;
        record(context, &self.subject, &report, started, None);
        match (report.action, &report.note) {
            (Action::SkippedOutdated, _) | (_, None) => {}
            (_, Some(note)) => warn(note),
        }
        Ok(())
    }
}

fn row_of<'b>(board: &'b Board<'b>, repo: &Repo) -> Option<&'b Row<'b>> {
    let host = board.is_shared().then(Host::current);
    board.prior(&Slot::keyed(&repo.key).on(host.as_ref().map(|host| host.id.as_str())))
}

fn is_one_of(names: &[String], shown: &str) -> bool {
    names.iter().any(|name| clean(name) == shown)
}
