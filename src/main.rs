//! The `boardsync` command: arguments in, exit code out.

use std::process::ExitCode;

/// musl's own allocator maps and unmaps memory some fifty times in an update,
/// which takes longer than to write the board.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    boardsync::cli::run(std::env::args_os()).into()
}
