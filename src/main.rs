//! The `boardsync` command: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    boardsync::cli::run(std::env::args_os()).into()
}
