//! `boardsync update`: one update, one line.

use super::context::{Chosen, Context};
use super::edit::edit;
use super::ledger::record;
use super::outcome::{Exit, Failure, warn};
use super::report::{disabled, report};
use crate::Timestamp;
use crate::board::Status;
use crate::config;
use crate::edit::{DryRun, RepoSources, Update};
use crate::session::{Explicit, Registry, Repo};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;
use std::time::Instant;

/// The arguments of `update`.
#[derive(Debug, Default, Args)]
#[command(
    after_help = "Examples:\n  boardsync update --repo . --status in-progress\n  boardsync update --repo ~/src/app --repo ~/src/lib\n\nWithout --status the row is derived from the repository's session lock and the\nhost's registry. Exits 0 even if it failed open: the output says what happened."
)]
pub struct UpdateArgs {
    #[command(flatten)]
    pub repos: RepoArgs,
    /// The status
    #[arg(long, value_name = "STATUS", value_parser = status_words())]
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
    /// Print what would be done, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// The repositories that a command is about.
#[derive(Debug, Default, Args)]
pub struct RepoArgs {
    /// The repositories
    #[arg(long, required_unless_present = "folder", num_args = 1.., value_name = "DIR")]
    repo: Vec<PathBuf>,
    /// What is typed without --repo, to be named in the error.
    #[arg(hide = true, value_name = "DIR")]
    folder: Vec<PathBuf>,
}

impl RepoArgs {
    /// Returns the repositories, or says how they are named.
    pub fn named(&self, command: &str) -> Result<&[PathBuf], Failure> {
        match self.folder.first() {
            None => Ok(&self.repo),
            Some(folder) => Err(Failure::Usage(format!(
                "unexpected argument `{0}`; name repositories with --repo: `boardsync {command} --repo {0}`",
                folder.display()
            ))),
        }
    }
}

/// Reads a status; a shell completes its words.
fn status_words() -> impl TypedValueParser<Value = Status> {
    let all = [
        Status::InProgress,
        Status::ForceClosed,
        Status::Closed,
        Status::Frei,
    ];
    PossibleValuesParser::new(all.map(Status::word)).try_map(|word| word.parse::<Status>())
}

/// Reads a time, or says how one is written.
pub fn parse_heartbeat(text: &str) -> Result<String, String> {
    match Timestamp::parse(text) {
        Some(_) => Ok(text.trim().to_owned()),
        None => Err("expected an RFC 3339 time, like 2026-11-30T07:00:00Z".to_owned()),
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
    let repos = args.repos.named("update")?;
    run_for(context, repos, &explicit, args.dry_run.into())
}

/// Updates the rows of `repos`, all with what `explicit` says.
///
/// A folder that is gone can only have a row to close. Without one it is reported
/// as a mistake, and the others are updated all the same.
pub fn run_for(
    context: &Context,
    repos: &[PathBuf],
    explicit: &Explicit,
    dry_run: DryRun,
) -> Result<Exit, Failure> {
    let repos = repos.iter().map(|path| context.repo(path));
    let (mut repos, gone): (Vec<Repo>, Vec<Repo>) = repos.partition(|repo| repo.path.is_dir());
    let mut unknown: Vec<PathBuf> = Vec::new();
    if explicit.status.is_some() {
        repos.extend(gone.iter().cloned());
    } else {
        unknown.extend(gone.iter().map(|repo| repo.path.clone()));
    }
    let Some(first) = repos.first() else {
        return Err(no_folder(&unknown));
    };
    let place = match context.choose(Some(&first.path))? {
        Chosen::Board(place) => place,
        Chosen::Disabled { reason } => return skip(context, &repos, reason, dry_run),
    };
    let registry = config::registry_dir(&context.env).map(|folder| Registry::at(&folder));
    let read = |repo| RepoSources::read(repo, registry.as_ref());
    let subjects: Vec<RepoSources> = repos.into_iter().map(read).collect();
    for warning in subjects
        .iter()
        .flat_map(|subject| &subject.sources.warnings)
    {
        warn(warning);
    }
    let started = Instant::now();
    let mut update = Update::new(&subjects, explicit).only_known(&gone);
    let done = edit(context, &place, &mut update, |options| {
        options.dry_run = dry_run;
    })?;
    for repo in update.unknown() {
        if !unknown.contains(&repo.path) {
            unknown.push(repo.path.clone());
        }
    }
    if unknown.len() == gone.len() && gone.len() >= subjects.len() && !unknown.is_empty() {
        return Err(no_folder(&unknown));
    }
    if dry_run == DryRun::No {
        let written = subjects
            .iter()
            .filter(|subject| !unknown.contains(&subject.repo.path));
        for subject in written {
            record(context, subject, &done, started, None);
        }
    }
    report(context, &done)?;
    if unknown.is_empty() {
        return Ok(Exit::Success);
    }
    warn(&no_folder(&unknown).to_string());
    Ok(Exit::Error)
}

/// Reports, and enters in the ledgers, that no vault is enabled.
fn skip(
    context: &Context,
    repos: &[Repo],
    reason: String,
    dry_run: DryRun,
) -> Result<Exit, Failure> {
    let done = disabled(context, reason);
    if dry_run == DryRun::No {
        for repo in repos {
            let subject = RepoSources::read(repo.clone(), None);
            record(context, &subject, &done, Instant::now(), None);
        }
    }
    report(context, &done)
}

fn no_folder(paths: &[PathBuf]) -> Failure {
    let paths: Vec<String> = paths
        .iter()
        .map(|path| format!("`{}`", path.display()))
        .collect();
    Failure::Error(format!(
        "no repository folder at {}, and no row of it to close: correct --repo",
        paths.join(", ")
    ))
}
