//! Bursts of hooks: as many sessions as one host has, all at once.
//!
//! With another program in `BOARDSYNC_BASELINE` (an earlier release), both run in
//! turn, so that a noisy machine is noisy to both. `cargo bench --bench burst`

#[allow(dead_code, reason = "other benchmarks time one process")]
mod timing;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use timing::{median, program};

const EVENTS: [&str; 5] = [
    "SessionStart",
    "UserPromptSubmit",
    "Stop",
    "UserPromptSubmit",
    "Stop",
];
const ROUNDS: usize = 5;

fn main() {
    let ours = program(env!("CARGO_BIN_EXE_boardsync"));
    let baseline = std::env::var_os("BOARDSYNC_BASELINE").map(PathBuf::from);
    for sessions in [16, 64] {
        let (mut times, mut others) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            times.push(burst(&ours, sessions));
            others.extend(baseline.as_deref().map(|program| burst(program, sessions)));
        }
        let time = median(times);
        print!(
            "{sessions} hooks × {}: {} ms",
            EVENTS.len(),
            time.as_millis()
        );
        match others.is_empty() {
            true => println!(),
            false => {
                let other = median(others);
                let ratio = other.as_secs_f64() / time.as_secs_f64();
                println!("  baseline {} ms  {ratio:.1} × faster", other.as_millis());
            }
        }
    }
}

/// Runs a hook of each session at once, event after event, and checks that
/// every session has its row.
fn burst(program: &Path, sessions: usize) -> Duration {
    let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let at = |path: String| root.path().join(path);
    std::fs::create_dir_all(at("home/vault".into())).expect("creatable");
    for session in 0..sessions {
        std::fs::create_dir_all(at(format!("app-{session}/.git"))).expect("creatable");
    }
    let start = Instant::now();
    for event in EVENTS {
        let hooks: Vec<Child> = (0..sessions)
            .map(|session| hook(program, root.path(), session, event))
            .collect();
        for mut hook in hooks {
            assert!(hook.wait().expect("it runs").success());
        }
    }
    let time = start.elapsed();
    let board = at("home/vault/01-projects/_active-sessions.md".into());
    let board = std::fs::read_to_string(board).expect("readable");
    let rows = board.lines().filter(|line| line.starts_with("| app-"));
    assert_eq!(rows.count(), sessions, "a row is missing");
    time
}

fn hook(program: &Path, root: &Path, session: usize, event: &str) -> Child {
    let cwd = root.join(format!("app-{session}"));
    let payload = serde_json::json!({
        "session_id": format!("session-{session}"), "cwd": cwd, "hook_event_name": event,
    });
    let mut child = Command::new(program)
        .arg("hook")
        .env_clear()
        .env("HOME", root.join("home"))
        .env("XDG_STATE_HOME", root.join("state"))
        .env("BOARDSYNC_VAULT", root.join("home/vault"))
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin
        .write_all(payload.to_string().as_bytes())
        .expect("it reads");
    child
}
