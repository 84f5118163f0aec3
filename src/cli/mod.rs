//! The command line: one file a command, and the only place that knows a terminal.

mod args;
mod child;
mod close;
mod completions;
mod context;
mod doctor;
mod edit;
mod exec;
mod global;
mod hook;
mod init;
mod ledger;
mod lock;
mod man;
mod merge;
mod outcome;
mod prune;
mod repair;
mod report;
mod row;
mod show;
mod signals;
mod status;
mod stdin;
mod sweep;
mod terminal;
mod update;
mod variables;
mod watch;
mod watchdog;

use args::{Cli, Command};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use context::Context;
use global::Global;
use hook::HookArgs;
use outcome::{Exit, Failure};
use std::ffi::OsString;

/// Runs one command line, the program's name first.
pub fn run(args: impl Iterator<Item = OsString>) -> Exit {
    signals::let_writes_fail();
    let args: Vec<OsString> = args.collect();
    // It runs on every event of a session, and clap takes longer than most of them.
    if let Some(hook) = HookArgs::plain(&args) {
        return hook::run(Global::default(), &hook);
    }
    // Never dropped: that takes a tenth of a millisecond, and the process ends soon.
    let command = Box::leak(Box::new(Cli::command()));
    let parsed = command.try_get_matches_from_mut(&args);
    let parsed = parsed.and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed {
        Ok(cli) => run_command(cli),
        Err(error) => report(&error.format(command), &args),
    }
}

fn run_command(Cli { global, command }: Cli) -> Exit {
    if let Command::Hook(args) = &command {
        return hook::run(global, args);
    }
    let json = global.json;
    let context = match Context::new(global) {
        Ok(context) => context,
        Err(failure) => return failure.report(json),
    };
    let done = match command {
        Command::Update(args) => update::run(&context, &args),
        Command::Close(args) => close::run(&context, &args),
        Command::Sweep(args) => sweep::run(&context, &args),
        Command::Hook(args) => Ok(hook::run(context.global, &args)),
        Command::Exec(args) => exec::run(&context, &args),
        Command::Show(args) => show::run(&context, &args),
        Command::Status(args) => status::run(&context, &args),
        Command::Lock(args) => lock::run(&context, &args),
        Command::Ledger(args) => ledger::run(&context, &args),
        Command::Watch(args) => watch::run(&context, &args),
        Command::Completions(args) => completions::run(Cli::command(), &args),
        Command::Man(args) => man::run(Cli::command(), &args),
        Command::Doctor(args) => doctor::run(&context, &args),
        Command::Init(args) => init::run(&context, &args),
        Command::Prune(args) => prune::run(&context, &args),
        Command::Merge(args) => merge::run(&context, &args),
        Command::Row(args) => row::run(&context, &args),
    };
    done.unwrap_or_else(|failure: Failure| failure.report(json))
}

/// Prints clap's message about a command line that is not run.
fn report(error: &clap::Error, args: &[OsString]) -> Exit {
    // Help and version are errors to clap, and go to stdout.
    if !error.use_stderr() {
        let _ = error.print();
        return Exit::Success;
    }
    let command = command_of(args);
    // No command was named: the whole help is worth more than a line.
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
        return Exit::Usage;
    }
    let message = match meant(error) {
        Some(meant) => format!("{}; use `{meant}`", in_one_line(error)),
        None => format!("{}; see `{command} --help`", in_one_line(error)),
    };
    let has = |word: &str| args.iter().any(|arg| arg == word);
    // Where a mistake hides the command, the word alone decides.
    if command == "boardsync hook" || command == "boardsync" && has("hook") {
        return hook::excuse(&message);
    }
    Failure::Usage(message).report(has("--json"))
}

/// Joins the lines of an error of clap's into one.
fn in_one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .filter(|line| !line.is_empty())
        .collect();
    let message = lines.join(" ").replace(" tip: ", "; ");
    message
        .strip_prefix("error: ")
        .unwrap_or(&message)
        .to_owned()
}

/// Returns the command meant by a name that other programs use for it.
fn meant(error: &clap::Error) -> Option<&'static str> {
    match error.get(ContextKind::InvalidSubcommand)? {
        ContextValue::String(name) if matches!(&**name, "ls" | "list" | "ps") => {
            Some("boardsync show")
        }
        _ => None,
    }
}

/// Names the command that a wrong line asks for: `boardsync lock status`.
fn command_of(args: &[OsString]) -> String {
    let tolerant = Cli::command().ignore_errors(true);
    let mut name = tolerant.get_name().to_owned();
    let Ok(matches) = tolerant.try_get_matches_from(args) else {
        return name;
    };
    let mut matches = &matches;
    while let Some((command, below)) = matches.subcommand() {
        name = format!("{name} {command}");
        matches = below;
    }
    name
}
