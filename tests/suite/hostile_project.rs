//! A cloned project with traps at every name that `init`, `doctor` and `update`
//! use in it: nothing outside changes, nothing hangs, nothing of it is run.

use crate::env::{Said, TestEnv, board_of};
use crate::hostile_vault::state_of;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const NAMES: [&str; 13] = [
    ".claude",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/settings.json.before-boardsync",
    ".gitignore",
    ".git",
    ".git/HEAD",
    "CLAUDE.md",
    "AGENTS.md",
    ".orchestrator",
    ".orchestrator/session.lock",
    ".orchestrator/metrics",
    ".orchestrator/metrics/events.jsonl",
];

fn plant(kind: &str, path: &Path, outside: &Path) {
    match kind {
        "link to a file" => symlink(outside.join("note.md"), path).unwrap(),
        "link to a folder" => symlink(outside, path).unwrap(),
        "dangling link" => symlink(outside.join("missing"), path).unwrap(),
        "fifo" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        "folder" => fs::create_dir(path).unwrap(),
        "huge" => fs::File::create(path).unwrap().set_len(1 << 32).unwrap(),
        "deep" => fs::write(path, format!("a: {}", "[".repeat(100_000))).unwrap(),
        _ => fs::write(path, "\u{1b}]0;t\u{7}{\0").unwrap(),
    }
}

fn ends(env: &TestEnv, repo: &Path, args: &[&str], what: &str) {
    let mut command = env.command_of("prlimit");
    command.arg(format!("--data={}", 64 << 20));
    command.arg(env!("CARGO_BIN_EXE_boardsync")).args(args);
    command.current_dir(repo).env("BOARDSYNC_TIMEOUT_MS", "20");
    let started = Instant::now();
    let event = serde_json::json!({
        "session_id": "s", "hook_event_name": "SessionStart", "cwd": repo,
    });
    let said: Said = env.feed(&mut command, event.to_string().as_bytes());
    assert!(
        started.elapsed() < Duration::from_secs(60),
        "{what}: {said:?}"
    );
    assert!(matches!(said.code, Some(0 | 1)), "{what}: {said:?}");
    let printed = format!("{}{}", said.out, said.err);
    assert!(
        !printed.contains(['\u{1b}', '\u{7}', '\0']),
        "{what}: {printed:?}"
    );
    assert!(!printed.contains("panicked"), "{what}: {printed:?}");
}

#[test]
fn whatever_a_clone_holds_nothing_outside_changes_and_nothing_hangs() {
    for name in NAMES {
        for kind in [
            "link to a file",
            "link to a folder",
            "dangling link",
            "fifo",
            "folder",
            "huge",
            "deep",
            "escapes",
        ] {
            let env = TestEnv::new();
            env.write_board(&board_of(""));
            let outside = env.home().join("outside");
            fs::create_dir(&outside).unwrap();
            fs::write(outside.join("note.md"), "{}\n").unwrap();
            let before = state_of(&outside);
            let repo = env.repo("clone");
            let path = repo.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            plant(kind, &path, &outside);
            for args in [
                &["init", "--yes", "--project"][..],
                &["init", "--undo", "--yes", "--project"],
                &["doctor"],
                &["hook"],
                &["update", "--repo", ".", "--status", "in-progress"],
                &["ledger"],
            ] {
                let what = format!("{kind} at {name}, {}", args.join(" "));
                ends(&env, &repo, args, &what);
                assert_eq!(state_of(&outside), before, "{what}");
            }
        }
    }
}

#[test]
fn doctor_runs_no_program_that_only_the_project_names() {
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    let repo = env.repo("clone");
    let ran = env.path("ran");
    let program = repo.join("boardsync");
    fs::write(&program, format!("#!/bin/sh\ntouch '{}'\n", ran.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(repo.join(".claude")).unwrap();
    for file in ["settings.json", "settings.local.json"] {
        let settings = serde_json::json!({"hooks": {"SessionStart": [{"hooks": [
            {"type": "command", "command": format!("'{}' hook", program.display())}
        ]}]}});
        fs::write(repo.join(".claude").join(file), settings.to_string()).unwrap();
    }
    let mut command = env.command(&["doctor"]);
    let said = Said::from(command.current_dir(&repo).output().unwrap());
    assert!(said.out.contains("which was not run"), "{said:?}");
    assert!(!ran.exists(), "{said:?}");
}
