//! `boardsync sweep`: every busy repository of the host, in one update.

use super::context::{Chosen, Context};
use super::edit::edit;
use super::ledger::record;
use super::outcome::{Exit, Failure, warn};
use super::report::{disabled, report};
use crate::config;
use crate::edit::{RepoSources, Update};
use crate::session::{Explicit, Registry, enumerate};
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;

/// The arguments of `sweep`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  boardsync sweep\n  boardsync sweep --root ~/src --root ~/work\n\nSearches two levels below each root (default: ~/Projects and the `roots` of the\nconfig file) for repositories with a session lock, and adds those that\n`cross-repo.projects` names, and the repository of the current folder."
)]
pub struct SweepArgs {
    /// The folders to search for repositories
    #[arg(long, num_args = 1.., value_name = "DIR")]
    pub root: Vec<PathBuf>,
    /// The repository that asks
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// Print what would be done, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Runs `boardsync sweep`.
pub fn run(context: &Context, args: &SweepArgs) -> Result<Exit, Failure> {
    let started = Instant::now();
    let own = context.repo(&args.repo);
    let roots = match args.root.as_slice() {
        [] => config::sweep_roots(&context.env).map_err(Failure::of)?,
        named => named.to_vec(),
    };
    let declared = config::cross_repo_projects(&own.path, &context.env);
    let sweep = enumerate(&roots, &declared, &context.cwd);
    if let Some(warning) = &sweep.warning {
        warn(warning);
    }
    let place = match context.choose(Some(&own.path))? {
        Chosen::Board(place) => place,
        Chosen::Disabled { reason } => {
            let done = disabled(context, reason);
            if !args.dry_run {
                record(
                    context,
                    &RepoSources::read(own, None),
                    &done,
                    started,
                    Some(sweep.seen),
                );
            }
            return report(context, &done);
        }
    };
    let registry = config::registry_dir(&context.env).map(|folder| Registry::indexed(&folder));
    let mut repos = sweep.repos;
    repos.retain(|repo| repo.path != own.path);
    if own.path.join(".git").exists() || own.path.join(".orchestrator").is_dir() {
        repos.push(own.clone());
    }
    let subjects: Vec<RepoSources> = repos
        .into_iter()
        .map(|repo| RepoSources::read(repo, registry.as_ref()))
        .collect();
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
