//! The command line: one file a command, and the only place that knows a terminal.

mod ago;
mod args;
mod close;
mod context;
mod doctor;
mod edit;
mod init;
mod init_git;
mod init_shared;
mod ledger;
mod lock;
mod merge;
mod outcome;
mod prune;
mod resolve;
mod row;
mod show;
mod signals;
mod step;
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
        Err(error) => {
            // Help and version are errors to clap, and go to stdout.
            let exit = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Success
            };
            let _ = error.print();
            return exit;
        }
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
        Command::Doctor(args) => doctor::run(&context, &args),
        Command::Init(args) => init::run(&context, &args),
        Command::Prune(args) => prune::run(&context, &args),
        Command::Merge(args) => merge::run(&context, &args),
        Command::Row(args) => row::run(&context, &args),
        Command::Step(args) => step::run(&context, &args),
    };
    done.unwrap_or_else(|failure: Failure| failure.report(json))
}
