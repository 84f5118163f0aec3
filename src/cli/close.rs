//! `boardsync close`: an update with the status `closed`.

use super::context::Context;
use super::outcome::{Exit, Failure};
use super::update::{RepoArgs, run_for};
use crate::board::Status;
use crate::session::Explicit;
use clap::Args;

/// The arguments of `close`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  boardsync close --repo ~/src/app\n\nThe folder need not exist if the board has its row."
)]
pub struct CloseArgs {
    #[command(flatten)]
    pub repos: RepoArgs,
    /// Print what would be done, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Runs `boardsync close`.
pub fn run(context: &Context, args: &CloseArgs) -> Result<Exit, Failure> {
    let explicit = Explicit {
        status: Some(Status::Closed),
        ..Explicit::default()
    };
    run_for(
        context,
        args.repos.named("close")?,
        &explicit,
        args.dry_run.into(),
    )
}
