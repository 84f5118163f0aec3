//! `boardsync init`: sets up what keeps a board up to date, and takes it away again.
//!
//! Each thing that is set up is a *step*: a function that looks, and plans what
//! is left to do or to undo. All plans are made, and shown, before any is done.

mod board;
mod git;
pub mod git_driver;
pub mod gitignore;
pub mod hook_command;
mod hook_entry;
pub mod hooks;
mod own_config;
pub mod settings;
mod shared;
pub mod text_file;

use super::context::Context;
use super::outcome::{Exit, Failure, print, print_json, warn};
use crate::config::{self, Choice, VaultChoice};
use crate::printable;
use clap::Args;
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

/// Is what `init` takes.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  boardsync init --dry-run\n  boardsync init --yes\n  boardsync init --project --yes\n  boardsync --vault ~/notes init --git --shared\n  boardsync init --undo\n\nHooks go into your own settings ($CLAUDE_CONFIG_DIR or ~/.claude), so that one\nset-up serves all repositories; with --project they go into .claude/settings.json\nof the current repository, and only it is kept track of. Shows what it will do\nand asks. Doing it twice does nothing more. What a file held before stays beside\nit as `….before-boardsync`: --undo gives that back, or, where the file has been\nedited since, takes out its own part alone and leaves the copy."
)]
pub struct InitArgs {
    /// Put the hooks into your own settings: the default
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Put the hooks into the settings of the current repository
    #[arg(long)]
    project: bool,
    /// Hook into prompts, tool uses and stops too, so that heartbeats are fresher
    #[arg(long)]
    heartbeats: bool,
    /// Have git merge the board with `boardsync merge`
    #[arg(long)]
    git: bool,
    /// Let rows say which host they come from, for a vault of several hosts
    #[arg(long, conflicts_with = "undo")]
    shared: bool,
    /// Take away what was set up: with --project from the repository
    #[arg(long)]
    undo: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

/// Says whether something is to be set up or taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Set it up.
    Do,
    /// Take it away.
    Undo,
}

/// Is what a step has left to do.
pub struct Plan<'a> {
    /// Names the step, for programs.
    pub id: &'static str,
    /// Says what is to be done, for people.
    pub what: String,
    /// The file that changes.
    pub path: PathBuf,
    /// Does it.
    pub act: Box<dyn FnOnce() -> Result<(), Failure> + 'a>,
}

/// Is what the steps depend on.
pub struct Setup<'a> {
    /// The command's own context.
    pub context: &'a Context,
    /// What was asked for.
    pub args: &'a InitArgs,
    /// The vault, which need not exist yet if it is the default one.
    pub vault: VaultChoice,
}

/// Is one thing that can be set up: plans what is left to do, if anything is.
type Step = for<'a> fn(&'a Setup<'a>, Way) -> Result<Option<Plan<'a>>, Failure>;

/// What is set up, in this order, and taken away in the other.
const STEPS: [Step; 6] = [
    own_config::plan,
    board::plan,
    shared::plan,
    gitignore::plan,
    git::plan,
    hooks::plan,
];

/// Runs `boardsync init`.
pub fn run(context: &Context, args: &InitArgs) -> Result<Exit, Failure> {
    let flag = context.global.vault.as_deref();
    let choice = config::choose_vault(flag, &context.env, Some(&context.cwd), &context.cwd);
    let vault = match choice.map_err(Failure::of)? {
        Choice::Vault(vault) => vault,
        Choice::Disabled { reason } => return Err(Failure::Error(reason)),
    };
    for warning in &vault.warnings {
        warn(warning);
    }
    let setup = Setup {
        context,
        args,
        vault,
    };
    let way = if args.undo { Way::Undo } else { Way::Do };
    let planned = STEPS.iter().map(|step| step(&setup, way));
    let mut plans: Vec<Plan> = planned
        .filter_map(Result::transpose)
        .collect::<Result<_, _>>()?;
    if way == Way::Undo {
        plans.reverse();
    }
    if plans.is_empty() {
        return show(context, "nothing-to-do", &[], "nothing to do\n");
    }
    let items: Vec<Value> = plans.iter().map(item).collect();
    let text: String = plans.iter().map(line).collect();
    if args.dry_run {
        return show(context, "dry-run", &items, &text);
    }
    if !args.yes {
        if !std::io::stdin().is_terminal() {
            show(context, "planned", &items, &text)?;
            warn("nothing was done, for there is no terminal to ask at: pass --yes");
            return Ok(Exit::Error);
        }
        if !is_confirmed(&text)? {
            return show(context, "declined", &items, "nothing was done\n").map(|_| Exit::Error);
        }
    }
    for plan in plans {
        (plan.act)()?;
    }
    let word = match way {
        Way::Do => "done",
        Way::Undo => "undone",
    };
    let advice = match (way, args.project) {
        (Way::Do, false) => {
            "look it over with `boardsync doctor`; take it away with `boardsync init --undo`"
        }
        (Way::Do, true) => {
            "look it over with `boardsync doctor`; take it away with `boardsync init --undo --project`"
        }
        (Way::Undo, _) => "set up again with `boardsync init`",
    };
    let text = if args.yes { text } else { String::new() };
    show(context, word, &items, &format!("{text}{word}: {advice}\n"))
}

fn item(plan: &Plan) -> Value {
    json!({ "id": plan.id, "what": plan.what, "path": plan.path.to_string_lossy() })
}

fn line(plan: &Plan) -> String {
    let path = plan.path.to_string_lossy();
    format!(
        "{}: `{}`\n",
        printable(&plan.what, 300),
        printable(&path, 300)
    )
}

fn show(context: &Context, action: &str, items: &[Value], text: &str) -> Result<Exit, Failure> {
    if context.global.json {
        print_json(&json!({ "action": action, "steps": items }))?;
    } else if !context.global.quiet {
        print(text)?;
    }
    Ok(Exit::Success)
}

/// Asks on stderr, where a question is seen even if stdout goes elsewhere.
fn is_confirmed(text: &str) -> Result<bool, Failure> {
    let failed = |error| Failure::Error(format!("cannot ask: {error}; pass --yes"));
    let mut stderr = std::io::stderr().lock();
    write!(stderr, "{text}go ahead? [y/N] ").map_err(failed)?;
    stderr.flush().map_err(failed)?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(failed)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
