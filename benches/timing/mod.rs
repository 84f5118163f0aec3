//! How whole processes are timed: one at a time, and the median of many.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Gives the program to be timed: what `BOARDSYNC_BIN` names, like that of a
/// release, else the one that cargo has `built`.
pub fn program(built: &str) -> PathBuf {
    let named = std::env::var_os("BOARDSYNC_BIN");
    named.map_or_else(|| built.into(), PathBuf::from)
}

/// Runs a command that must succeed, and gives how long it took.
pub fn run(command: &mut Command) -> Duration {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let status = command.status().expect("it starts");
    let took = started.elapsed();
    assert!(status.success(), "{command:?}");
    took
}

/// Gives the middle one of some times.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
