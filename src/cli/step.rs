//! `boardsync step`: one step of `init` by itself.

use super::context::Context;
use super::init_git::GitDriver;
use super::init_shared::Shared;
use super::outcome::{Exit, Failure, print};
use clap::{Args, ValueEnum};

/// Is what `step` takes.
#[derive(Debug, Args)]
pub struct StepArgs {
    /// The step
    step: Step,
    /// Undo it
    #[arg(long)]
    undo: bool,
    /// Only say what it does, and whether it is done
    #[arg(long, conflicts_with = "undo")]
    check: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Step {
    /// Register the merge driver in the git repository of the vault
    Git,
    /// Let the rows say which host they come from
    Shared,
}

/// Runs `boardsync step`.
pub fn run(context: &Context, args: &StepArgs) -> Result<Exit, Failure> {
    match args.step {
        Step::Git => {
            let step = GitDriver::of(context)?;
            match (args.check, args.undo) {
                (true, _) => say(&step.describe(), step.is_done()?)?,
                (_, true) => step.undo()?,
                (_, false) => step.apply()?,
            }
        }
        Step::Shared => {
            let step = Shared::of(context)?;
            match (args.check, args.undo) {
                (true, _) => say(&step.describe(), step.is_done()?)?,
                (_, true) => step.undo()?,
                (_, false) => step.apply()?,
            }
        }
    }
    Ok(Exit::Success)
}

fn say(what: &str, is_done: bool) -> Result<(), Failure> {
    let done = if is_done { "done" } else { "to do" };
    print(&format!("{done}: {what}\n"))
}
