//! A burst of hooks is one commit, or few.

use crate::env::{TestEnv, skipped};
use std::process::Stdio;
use std::time::{Duration, Instant};

const SESSIONS: usize = 16;

/// On a disk whose sync takes 50 ms, which strace makes of any.
#[cfg(target_os = "linux")]
#[test]
fn sixteen_hooks_at_once_on_a_slow_disk_make_few_commits_and_lose_no_row() {
    let strace = std::process::Command::new("strace").arg("-V").output();
    if strace.is_err() {
        return skipped("strace is not installed, so no disk is slow");
    }
    let env = TestEnv::new();
    let started = Instant::now();
    let hooks: Vec<_> = (0..SESSIONS)
        .map(|session| {
            let repo = env.git_repo(&format!("app-{session:02}"));
            let payload = serde_json::json!({
                "session_id": format!("s{session}"), "cwd": repo, "hook_event_name": "SessionStart",
            });
            let trace = env.path(&format!("trace-{session}"));
            let mut command = env.command_of("strace");
            command.args(["-f", "-qq", "-e", "trace=fsync,renameat2,linkat"]);
            command.args(["-e", "inject=fsync:delay_exit=50000", "-o"]);
            command
                .arg(&trace)
                .arg(env!("CARGO_BIN_EXE_boardsync"))
                .arg("hook");
            let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            std::io::Write::write_all(&mut stdin, payload.to_string().as_bytes()).unwrap();
            (child, trace)
        })
        .collect();
    let (mut commits, mut locks) = (0, 0);
    for (child, trace) in hooks {
        let said = crate::env::Said::from(child.wait_with_output().unwrap()).quietly();
        assert_eq!(said.out, "", "no hook was cut off");
        let trace = std::fs::read_to_string(trace).unwrap();
        let is_commit = |line: &&str| {
            line.contains("RENAME_EXCHANGE")
                || line.contains("linkat") && line.contains("_active-sessions.md")
        };
        commits += trace.lines().filter(is_commit).count();
        let is_lock = |line: &&str| line.contains("linkat") && line.contains("\"board.lock\"");
        locks += trace.lines().filter(is_lock).count();
    }
    assert!(started.elapsed() < Duration::from_secs(20), "it is a burst");
    let board = env.read_board();
    let rows = board
        .lines()
        .filter(|line| line.contains("| in-progress |"));
    assert_eq!(rows.count(), SESSIONS, "{board}");
    assert!((1..=6).contains(&commits), "{commits} commits");
    // Whoever waits behind a commit that brings its row does not take the lock.
    assert!(
        (commits..=8).contains(&locks),
        "{locks} locks, {commits} commits"
    );
}
