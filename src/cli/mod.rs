//! The command line: one file a command, and the only place that knows a terminal.

mod args;
mod child;
mod close;
mod completions;
mod context;
mod doctor;
mod edit;
mod exec;
mod frequent;
mod hook;
mod init;
mod ledger;
mod lock;
mod man;
mod merge;
mod outcome;
mod prune;
mod report;
mod resolve;
mod row;
mod show;
mod signals;
mod stdin;
mod sweep;
mod terminal;
mod untold;
mod update;
mod watch;
mod watchdog;

use args::{Cli, Command, Global};
use clap::CommandFactory;
use clap::error::ErrorKind;
use context::Context;
use outcome::{Exit, Failure};
use std::ffi::OsString;

/// Runs one command line, the program's name first.
pub fn run(args: impl Iterator<Item = OsString>) -> Exit {
    let args: Vec<OsString> = args.collect();
    if hook::is_meant(&args) {
        return hook::run(&args);
    }
    let json = args.iter().any(|arg| arg == "--json");
    let cli = match Cli::read(&args) {
        Ok(cli) => cli,
        // Help and version are errors to clap, and go to stdout.
        Err(error) if !error.use_stderr() => {
            let _ = error.print();
            return Exit::Success;
        }
        // No command was named: the whole help says more than a line could.
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            return Exit::Usage;
        }
        Err(error) => return Failure::Usage(in_one_line(&args, &error.to_string())).report(json),
    };
    let context = match Context::new(cli.global) {
        Ok(context) => context,
        Err(failure) => return failure.report(json),
    };
    let done = match cli.command {
        Command::Update(args) => update::run(&context, &args),
        Command::Close(args) => close::run(&context, &args),
        Command::Sweep(args) => sweep::run(&context, &args),
        Command::Hook(_) => unreachable!("is never asked for by way of the parser"),
        Command::Exec(args) => exec::run(&context, &args),
        Command::Show(args) => show::run(&context, &args),
        Command::Lock(args) => lock::run(&context, &args),
        Command::Ledger(args) => ledger::run(&context, &args),
        Command::Watch(args) => watch::run(&context, &args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
        Command::Doctor(args) => doctor::run(&context, &args),
        Command::Init(args) => init::run(&context, &args),
        Command::Prune(args) => prune::run(&context, &args),
        Command::Merge(args) => merge::run(&context, &args),
        Command::Row(args) => row::run(&context, &args),
    };
    done.unwrap_or_else(|failure: Failure| failure.report(json))
}

/// Says what clap says in several lines in one.
fn in_one_line(args: &[OsString], error: &str) -> String {
    let said: Vec<&str> = error
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .filter(|line| !line.is_empty())
        .collect();
    let said = said.join(" ");
    let said = said
        .strip_prefix("error: ")
        .unwrap_or(&said)
        .replace(" tip: ", "; ");
    format!("{said}; see `{} --help`", meant(args))
}

/// Names the command that a line asks for: `boardsync lock status`.
fn meant(args: &[OsString]) -> String {
    let mut command = Cli::command();
    let mut name = command.get_name().to_owned();
    let mut args = args.iter().skip(1);
    while let Some(arg) = args.next() {
        if let Some(found) = command.find_subcommand(arg) {
            name = format!("{name} {}", found.get_name());
            command = found.clone();
        } else if Global::WITH_VALUE.iter().any(|option| arg == option) {
            args.next();
        }
    }
    name
}
