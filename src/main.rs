//! The `boardsync` command: arguments in, exit code out.

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    cli::run(std::env::args_os()).into()
}
