//! `boardsync sweep`: every busy repository of the host, in one update.

use super::context::{Chosen, Context};
use super::edit::edit;
use super::ledger::record;
use super::outcome::{Exit, Failure, warn};
use super::report::{disabled, report};
use super::update::subjects;
use crate::config;
use crate::edit::Update;
use crate::session::{Explicit, Registry, Repo, enumerate};
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;

/// What `sweep` takes.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  boardsync sweep\n  boardsync sweep --root ~/src --root ~/work\n\nSearches two levels below each root (default: ~/Projects and the `roots` of the\nconfig file) and adds the repository of the current folder."
)]
pub struct SweepArgs {
    /// The folders to search for repositories
    #[arg(long, num_args = 1.., value_name = "DIR")]
    pub root: Vec<PathBuf>,
    /// The repository that asks
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Runs `boardsync sweep`.
pub fn run(context: &Context, args: &SweepArgs) -> Result<Exit, Failure> {
    let started = Instant::now();
    let own = Repo::at(&args.repo, &context.cwd);
    let place = match context.choose(Some(&own.path))? {
        Chosen::Place(place) => place,
        Chosen::Disabled { reason } => return report(context, &disabled(context, reason)),
    };
    let registry = config::registry_dir(&context.env).map(|folder| Registry::indexed(&folder));
    let roots = match args.root.as_slice() {
        [] => config::sweep_roots(&context.env).map_err(Failure::of)?,
        named => named.to_vec(),
    };
    let sweep = enumerate(&roots, &context.cwd, registry.as_ref(), context.now);
    if let Some(warning) = &sweep.warning {
        warn(warning);
    }
    let mut repos = sweep.repos;
    let is_repository = own.path.join(".git").exists() || own.path.join(".orchestrator").is_dir();
    if is_repository && !repos.contains(&own) {
        repos.push(own.clone());
    }
    let subjects = subjects(repos, registry.as_ref());
    let explicit = Explicit::default();
    let mut update = Update::new(&subjects, &explicit);
    let done = edit(context, &place, &mut update, |options| {
        options.dry_run = args.dry_run.into();
    })?;
    let own = subjects.iter().find(|subject| subject.repo == own);
    if let Some(own) = own.filter(|_| !args.dry_run) {
        record(context, own, &done, started, Some(sweep.seen));
    }
    report(context, &done)
}
