//! `boardsync update`: one update, one line.

use super::context::{Chosen, Context, Sync};
use super::outcome::{Exit, Failure, trace, warn};
use super::report::{disabled, report};
use super::signals;
use super::untold::Untold;
use crate::Timestamp;
use crate::board::{Status, UnknownStatus};
use crate::commit::LATCH_PATIENCE;
use crate::config;
use crate::edit::{Action, Report, Request, Subject, update};
use crate::ledger;
use crate::lock::{LockOptions, Unlocked};
use crate::session::{Explicit, Registry, Repo};
use crate::vault::Place;
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Is what `update` takes.
#[derive(Debug, Default, Args)]
#[command(
    after_help = "Examples:\n  boardsync update --repo . --status in-progress\n  boardsync update --repo ~/src/app --repo ~/src/lib\n\nWithout --status the row is derived from the repository's session lock and the\nhost's registry. Exits 0 also when it failed open: the line says what happened."
)]
pub struct UpdateArgs {
    /// The repositories
    #[arg(long, required = true, num_args = 1.., value_name = "DIR")]
    pub repo: Vec<PathBuf>,
    /// The status: in-progress, force-closed, closed or frei
    #[arg(long, value_name = "STATUS", value_parser = parse_status)]
    pub status: Option<Status>,
    /// The session's name
    #[arg(long, value_name = "NAME")]
    pub session: Option<String>,
    /// The branch
    #[arg(long, value_name = "NAME")]
    pub branch: Option<String>,
    /// The session's mode
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// The time of the event, RFC 3339 (2026-11-30T07:00:00Z)
    #[arg(long, value_name = "TIME", value_parser = parse_heartbeat)]
    pub heartbeat: Option<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Reads a status, or says what it should be.
pub fn parse_status(text: &str) -> Result<Status, UnknownStatus> {
    text.parse()
}

/// Reads a time, or says how one is written.
pub fn parse_heartbeat(text: &str) -> Result<String, String> {
    match Timestamp::parse(text) {
        Some(_) => Ok(text.trim().to_owned()),
        None => Err("it is no RFC 3339 time, like 2026-11-30T07:00:00Z".to_owned()),
    }
}

/// Runs `boardsync update`.
pub fn run(context: &Context, args: &UpdateArgs) -> Result<Exit, Failure> {
    let explicit = Explicit {
        status: args.status,
        session: args.session.clone(),
        branch: args.branch.clone(),
        mode: args.mode.clone(),
        heartbeat: args.heartbeat.clone(),
    };
    run_for(context, &args.repo, &explicit, args.dry_run)
}

/// Updates the rows of `repos`, all with what `explicit` says.
pub fn run_for(
    context: &Context,
    repos: &[PathBuf],
    explicit: &Explicit,
    dry_run: bool,
) -> Result<Exit, Failure> {
    let started = Instant::now();
    let (repos, missing): (Vec<Repo>, Vec<Repo>) = repos
        .iter()
        .map(|path| context.repo(path))
        .partition(|repo| explicit.status.is_some() || repo.path.is_dir());
    let missing = missing.first().map(|repo| {
        format!(
            "no repository folder at `{}`: correct --repo, or close its row with `boardsync close --repo`",
            repo.path.display()
        )
    });
    // The others are not to blame for one that is missing.
    let done = match (repos.first().map(|repo| repo.path.clone()), &missing) {
        (None, Some(missing)) => return Err(Failure::Error(missing.clone())),
        (first, _) => update_all(context, first.as_deref(), repos, explicit, dry_run, started)?,
    };
    let exit = report(context, &done)?;
    Ok(match missing {
        Some(missing) => {
            warn(&missing);
            Exit::Error
        }
        None => exit,
    })
}

fn update_all(
    context: &Context,
    first: Option<&Path>,
    repos: Vec<Repo>,
    explicit: &Explicit,
    dry_run: bool,
    started: Instant,
) -> Result<Report, Failure> {
    let (place, reason) = match context.choose(first)? {
        Chosen::Place(place) => (Some(place), String::new()),
        Chosen::Disabled { reason } => (None, reason),
    };
    let registry = config::registry_dir(&context.env).map(|folder| Registry::at(&folder));
    let subjects: Vec<Subject> = repos
        .into_iter()
        .map(|repo| Subject::read(repo, registry.as_ref()))
        .collect();
    for warning in subjects
        .iter()
        .flat_map(|subject| &subject.sources.warnings)
    {
        warn(warning);
    }
    let done = match place {
        Some(place) => perform(context, &place, &subjects, explicit, dry_run)?,
        None => disabled(context, reason),
    };
    for subject in &subjects {
        record(context, subject, &done, started, None);
    }
    Ok(done)
}

/// Does one update of the board at `place`.
pub fn perform(
    context: &Context,
    place: &Place,
    subjects: &[Subject],
    explicit: &Explicit,
    dry_run: bool,
) -> Result<Report, Failure> {
    let interrupt = signals::flag();
    let trace = trace(Instant::now());
    let untold = Untold::default();
    let told = |unlocked: &Unlocked| untold.keep(unlocked);
    let request = Request {
        place,
        subjects,
        explicit,
        now: context.now,
        only_where: None,
        lock: LockOptions {
            interrupt: Some(&interrupt),
            warn: &told,
            trace: if context.global.verbose {
                Some(&trace)
            } else {
                None
            },
            ..context.lock_options(place)
        },
        sync: context.sync != Sync::None,
        latch: LATCH_PATIENCE,
        dry_run,
        host: None,
    };
    untold.tell_with(update(request).map_err(Failure::from))
}

/// Enters an update in the ledger of a repository; never fails it.
pub fn record(
    context: &Context,
    subject: &Subject,
    report: &Report,
    started: Instant,
    repos_swept: Option<usize>,
) {
    let lock = subject.sources.lock.as_ref();
    let mut stale_override = String::new();
    let name = report.path.file_name().map(|name| name.to_string_lossy());
    // Nobody looked for a board where there is to be none.
    let name = name.filter(|_| report.action != Action::SkippedVaultDisabled);
    let entry = ledger::Entry {
        now: context.now,
        action: report.action.word(),
        caller: if repos_swept.is_some() {
            "sweepBoard"
        } else {
            "mirrorBoard"
        },
        path_tail: name.as_deref(),
        rows: report.rows,
        repos_swept,
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        lock: report
            .lock
            .as_ref()
            .map(|lock| lock.note(&mut stale_override)),
        session_id: lock.map(|lock| lock.session_id.as_str()),
        semantic_session_id: lock
            .and_then(|lock| lock.semantic_session_id.as_deref())
            .filter(|id| !id.trim().is_empty()),
    };
    if let Err(error) = ledger::append(&subject.repo.path, &entry)
        && context.global.verbose
    {
        warn(&format!(
            "no ledger entry in `{}`: {error}",
            subject.repo.path.display()
        ));
    }
}
