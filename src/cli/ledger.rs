//! `boardsync ledger`: the outcomes of a repository's updates, counted.

use super::context::Context;
use super::outcome::{Exit, Failure, print, print_json, warn};
use crate::Timestamp;
use crate::edit::{Action, RepoSources, Report};
use crate::ledger::{LEDGER, LedgerEntry, Summary, append, summarise};
use crate::printable::printable;
use crate::session::Repo;
use clap::Args;
use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The arguments of `ledger`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  boardsync ledger --since 7d\n  boardsync ledger --repo ~/src/app --json"
)]
pub struct LedgerArgs {
    /// The repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    repo: PathBuf,
    /// Count only updates younger than this, like 30m, 12h or 7d
    #[arg(long, value_name = "AGE", value_parser = crate::duration::parse)]
    since: Option<Duration>,
}

/// Runs `boardsync ledger`.
pub fn run(context: &Context, args: &LedgerArgs) -> Result<Exit, Failure> {
    let repo = Repo::at(&args.repo, &context.cwd);
    if !repo.path.is_dir() {
        return Err(Failure::Error(format!(
            "no repository folder at `{}`: correct --repo",
            repo.path.display()
        )));
    }
    let since = args.since.map(|age| context.now.minus(age));
    let summary = read(&repo, since)?;
    if context.global.json {
        let mut object = serde_json::to_value(&summary).map_err(Failure::of)?;
        object["advice"] = summary.advice().into();
        print_json(&object)?;
    } else if !context.global.quiet {
        print(&text(&summary))?;
    }
    Ok(Exit::Success)
}

/// Counts the entries of a repository's ledger; a missing ledger is empty.
pub fn read(repo: &Repo, since: Option<Timestamp>) -> Result<Summary, Failure> {
    let path = repo.path.join(LEDGER);
    let is_file = std::fs::metadata(&path).map(|meta| meta.is_file());
    match is_file.and_then(|is_file| {
        if is_file {
            File::open(&path)
        } else {
            Err(ErrorKind::InvalidInput.into())
        }
    }) {
        Ok(file) => Ok(summarise(BufReader::new(file), since)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Summary::default()),
        Err(error) => Err(Failure::Error(format!(
            "cannot read the ledger `{}`: {error}",
            path.display()
        ))),
    }
}

/// Adds an update to the ledger of a repository; a failure never fails the update.
pub fn record(
    context: &Context,
    subject: &RepoSources,
    report: &Report,
    started: Instant,
    repos_swept: Option<usize>,
) {
    let lock = subject.sources.lock.as_ref();
    let mut stale_override = String::new();
    let name = report.path.file_name().map(|name| name.to_string_lossy());
    let is_disabled = report.action == Action::SkippedVaultDisabled;
    let entry = LedgerEntry {
        now: context.now,
        action: report.action.word(),
        caller: if repos_swept.is_some() {
            "sweepBoard"
        } else {
            "mirrorBoard"
        },
        path_tail: name.as_deref().filter(|_| !is_disabled),
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
    if let Err(error) = append(&subject.repo.path, &entry)
        && context.global.verbose
    {
        warn(&format!(
            "no ledger entry in `{}`: {error}",
            subject.repo.path.display()
        ));
    }
}

fn text(summary: &Summary) -> String {
    let mut text = format!("updates          {}\n", summary.updates);
    for (action, count) in &summary.actions {
        let action = printable(action, 60);
        text.push_str(&format!("  {action:<22} {count}\n"));
    }
    text.push_str(&format!("under the lock   {}\n", summary.locked));
    for (reason, count) in &summary.unlocked {
        let reason = printable(reason, 60);
        text.push_str(&format!("  without: {reason:<13} {count}\n"));
    }
    text.push_str(&format!("stale overrides  {}\n", summary.stale_overrides));
    if let Some(waits) = &summary.waits {
        let (p50, p95, max) = (waits.p50_ms, waits.p95_ms, waits.max_ms);
        text.push_str(&format!(
            "waits            p50 {p50} ms, p95 {p95} ms, max {max} ms\n"
        ));
    }
    for advice in summary.advice() {
        text.push_str(&format!("note: {advice}\n"));
    }
    text
}
