//! The `boardsync` command: arguments in, exit code out.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::unwrap_used))]

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    cli::run(std::env::args_os()).into()
}
