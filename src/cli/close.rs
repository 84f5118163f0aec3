//! `boardsync close`: an update that says `closed`.

use super::context::Context;
use super::outcome::{Exit, Failure};
use super::update;
use crate::board::Status;
use crate::session::Explicit;
use clap::Args;
use std::path::PathBuf;

/// Is what `close` takes.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  boardsync close --repo ~/src/app\n\nThe folder need not exist any more."
)]
pub struct CloseArgs {
    /// The repositories
    #[arg(long, required = true, num_args = 1.., value_name = "DIR")]
    pub repo: Vec<PathBuf>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Runs `boardsync close`.
pub fn run(context: &Context, args: &CloseArgs) -> Result<Exit, Failure> {
    let explicit = Explicit {
        status: Some(Status::Closed),
        ..Explicit::default()
    };
    update::run_for(context, &args.repo, &explicit, args.dry_run)
}
