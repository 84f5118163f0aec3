//! `boardsync init`: sets up what keeps a board up to date, and takes it away again.

mod board;

use super::context::Context;
use super::outcome::{Exit, Failure, print, print_json, warn};
use crate::config::{self, Choice};
use crate::printable::printable;
use crate::setup::{
    Change, Direction, Events, Scope, Setup, SetupError, agent_names, make, plan_config,
    plan_hooks, plan_ignored, plan_merge_driver,
};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};

/// The arguments of `init`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  boardsync init --dry-run\n  boardsync init --yes\n  boardsync init --agent claude-code --agent codex\n  boardsync --vault ~/notes init --git --shared\n  boardsync init --undo\n\nSets up every agent that has a folder in your home folder, for all repositories;\nwith --project, Claude Code in .claude/settings.local.json of the current one.\nPrints what it will do and asks. Doing it twice does nothing more. What a file\nof settings held before stays beside it as `….before-boardsync`: --undo gives\nthat back, or, where the file has been edited since, takes out its own part\nalone and leaves the copy."
)]
pub struct InitArgs {
    #[arg(
        long = "agent", value_name = "NAME", num_args = 1.., conflicts_with = "project",
        value_parser = PossibleValuesParser::new(agent_names()), hide_possible_values = true,
        help = format!(
            "The agents to set up: {} [default: those that are installed]",
            agent_names().join(", ")
        )
    )]
    agents: Vec<String>,
    /// Put the hooks into the settings of the current repository, on this host
    #[arg(long)]
    project: bool,
    /// Call boardsync at the start and end of sessions only
    #[arg(long, conflicts_with = "undo")]
    only_start_and_end: bool,
    /// Have git merge the board with `boardsync merge`
    #[arg(long)]
    git: bool,
    /// Record in each row which host it comes from, for a vault of several hosts
    #[arg(long, conflicts_with = "undo")]
    shared: bool,
    /// Remove what was set up; with --project, from the repository only
    #[arg(long)]
    undo: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Print what would be done, and change nothing
    #[arg(long)]
    dry_run: bool,
}

impl From<SetupError> for Failure {
    fn from(error: SetupError) -> Self {
        Self::of(error)
    }
}

/// Runs `boardsync init`.
pub fn run(context: &Context, args: &InitArgs) -> Result<Exit, Failure> {
    let setup = setup(context, args)?;
    let changes = plan(context, args, &setup)?;
    if changes.is_empty() {
        return show(context, "nothing-to-do", &[], "nothing to do\n");
    }
    let items: Vec<Value> = changes.iter().map(item).collect();
    let text: String = changes.iter().map(line).collect();
    if args.dry_run {
        return show(context, "dry-run", &items, &text);
    }
    if !args.yes {
        if !std::io::stdin().is_terminal() {
            show(context, "planned", &items, &text)?;
            warn("nothing was done: no terminal to ask at; pass --yes");
            return Ok(Exit::Error);
        }
        if !is_confirmed(&text)? {
            return show(context, "declined", &items, "nothing was done\n").map(|_| Exit::Error);
        }
    }
    make(changes)?;
    let project = if args.project { " --project" } else { "" };
    let (word, advice) = match setup.direction {
        Direction::SetUp => (
            "done",
            format!(
                "check it with `boardsync doctor`; undo it with `boardsync init --undo{project}`"
            ),
        ),
        Direction::Undo => {
            let kept = match args.project || !args.agents.is_empty() {
                true => None,
                false => board::kept(context, &setup),
            };
            let kept = kept.map_or_else(String::new, |board| {
                format!("the board `{}` stays; ", board.display())
            });
            let advice = format!("{kept}set up again with `boardsync init{project}`");
            ("undone", advice)
        }
    };
    let text = if args.yes { text } else { String::new() };
    show(context, word, &items, &format!("{text}{word}: {advice}\n"))
}

fn setup<'a>(context: &'a Context, args: &'a InitArgs) -> Result<Setup<'a>, Failure> {
    let flag = context.global.vault.as_deref();
    let choose = |repo| config::choose_vault(flag, &context.env, repo, &context.cwd);
    let mut choice = choose(Some(&context.cwd)).map_err(Failure::of)?;
    if args.undo && matches!(choice, Choice::Disabled { .. }) {
        // The set-up is the user's: no repository may keep it from being removed.
        choice = choose(None).map_err(Failure::of)?;
    }
    let vault = match choice {
        Choice::Vault(vault) => vault,
        Choice::Disabled { reason } => return Err(Failure::Error(reason)),
    };
    for warning in &vault.warnings {
        warn(warning);
    }
    Ok(Setup {
        env: &context.env,
        cwd: &context.cwd,
        vault,
        board: context.global.board(),
        direction: if args.undo {
            Direction::Undo
        } else {
            Direction::SetUp
        },
        scope: if args.project {
            Scope::Project
        } else {
            Scope::User
        },
        agents: &args.agents,
        events: match args.only_start_and_end {
            true => Events::StartAndEnd,
            false => Events::All,
        },
        with_git: args.git,
    })
}

/// Plans everything, before any of it is done.
///
/// Taking away from a project, or from some agents, leaves the rest.
fn plan<'a>(
    context: &'a Context,
    args: &'a InitArgs,
    setup: &'a Setup,
) -> Result<Vec<Change<'a>>, Failure> {
    let is_undo = setup.direction == Direction::Undo;
    if is_undo && (args.project || !args.agents.is_empty()) {
        return Ok(plan_hooks(setup)?);
    }
    let mut changes = plan_config(setup)?;
    changes.extend(board::plan(context, setup)?);
    if args.shared {
        changes.extend(board::plan_shared(context, setup)?);
    }
    changes.extend(plan_ignored(setup)?);
    changes.extend(plan_merge_driver(setup)?);
    changes.extend(plan_hooks(setup)?);
    if is_undo {
        changes.reverse();
    }
    Ok(changes)
}

fn item(change: &Change) -> Value {
    json!({ "id": change.id, "what": change.what, "path": change.path.to_string_lossy() })
}

fn line(change: &Change) -> String {
    let path = change.path.to_string_lossy();
    let (what, path) = (printable(&change.what, 300), printable(&path, 300));
    format!("{what}: `{path}`\n")
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
