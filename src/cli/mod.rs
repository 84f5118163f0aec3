//! The command line: one file a command, and the only place that knows a terminal.

mod ago;
mod args;
mod close;
mod context;
mod ledger;
mod lock;
mod outcome;
mod show;
mod signals;
mod sweep;
mod update;

use args::{Cli, Command};
use clap::Parser;
use context::Context;
use outcome::{Exit, Failure};
use std::ffi::OsString;

/// Runs one command line, the program's name first.
pub fn run(args: impl Iterator<Item = OsString>) -> Exit {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        // Help and version are errors to clap, and go to stdout.
        Err(error) if !error.use_stderr() => {
            let _ = error.print();
            return Exit::Success;
        }
        Err(error) => return Failure::Usage(in_one_line(&error.to_string())).report(false),
    };
    let json = cli.global.json;
    let context = match Context::new(cli.global) {
        Ok(context) => context,
        Err(failure) => return failure.report(json),
    };
    let done = match cli.command {
        Command::Update(args) => update::run(&context, &args),
        Command::Close(args) => close::run(&context, &args),
        Command::Sweep(args) => sweep::run(&context, &args),
        Command::Show(args) => show::run(&context, &args),
        Command::Lock(args) => lock::run(&context, &args),
        Command::Ledger(args) => ledger::run(&context, &args),
    };
    done.unwrap_or_else(|failure: Failure| failure.report(json))
}

/// Says what clap says in several lines in one.
fn in_one_line(error: &str) -> String {
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
    format!("{said}; see `boardsync --help`")
}
