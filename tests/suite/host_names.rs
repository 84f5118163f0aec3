//! The column `Host` as session-orchestrator 5.4 writes it on every board.

use crate::env::{Said, TestEnv};
use boardsync::internals::session::Repo;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

const NOW: &str = "2026-11-30T07:00:00.000Z";
const BEAT: &str = "2026-11-30T06:59:00.000Z";

fn board(marks: &str, row: &str) -> String {
    format!(
        "---\n_generator: session-orchestrator-active-sessions@1\nid: active-sessions\n{marks}---\n\n\
         | Repo | Status | Session | Branch | Mode | Last heartbeat | Key | Host |\n\
         |---|---|---|---|---|---|---|---|\n{row}"
    )
}

/// Makes a repository with a session lock of `host`, and an entry of `class`.
fn repo(env: &TestEnv, host: &str, class: &str) -> PathBuf {
    let repo = env.repo("app");
    let id = Repo::at(&repo, Path::new("/"));
    fs::create_dir_all(repo.join(".orchestrator")).unwrap();
    let lock = json!({"session_id": "s", "started_at": BEAT, "last_heartbeat": BEAT,
                      "mode": "deep", "pid": 1, "host": host, "ttl_hours": 4});
    fs::write(repo.join(".orchestrator/session.lock"), lock.to_string()).unwrap();
    let active = env.path("peer-config/sessions/active");
    fs::create_dir_all(&active).unwrap();
    let entry = json!({"session_id": "s", "repo_path_hash": id.hash, "started_at": BEAT,
                       "last_heartbeat": BEAT, "host_class": class});
    fs::write(active.join("s.json"), entry.to_string()).unwrap();
    repo
}

fn update(env: &TestEnv, repo: &Path) -> String {
    let mut command = env.command(&["update", "--repo"]);
    command.arg(repo).env("BOARDSYNC_NOW", NOW);
    Said::from(command.output().unwrap()).quietly();
    let board = env.read_board();
    let rows = board.lines().filter(|line| line.starts_with("| app "));
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_row_under_another_name_of_this_host_is_this_very_row() {
    for marks in ["", "boardsync-shared: true\n"] {
        for name in ["studio", "Studio.local", "laptop"] {
            let env = TestEnv::new();
            let repo = repo(&env, "studio", "laptop");
            let key = Repo::at(&repo, Path::new("/")).key;
            let row = |status: &str, rest: &str| format!("| app | {status} | {rest} | {key} |");
            let old =
                row("closed", "old | — | — | 2026-11-30T05:00:00.000Z") + &format!(" {name} |\n");
            env.write_board(&board(marks, &old));
            let rows = update(&env, &repo);
            let fresh = row("in-progress", &format!("s | — | deep | {BEAT}"));
            assert_eq!(rows.lines().count(), 1, "{marks}{name}:\n{rows}");
            assert!(rows.starts_with(&fresh), "{marks}{name}:\n{rows}");
            if marks.is_empty() {
                assert_eq!(
                    rows,
                    format!("{fresh} {name} |"),
                    "the other writer's spelling"
                );
            }
        }
    }
}

#[test]
fn a_row_under_an_alias_of_this_host_is_this_very_row() {
    let name = hostname::get().unwrap();
    let aliases = json!({"aliases": ["old-imac", name.to_str().unwrap()]});
    for marks in ["", "boardsync-shared: true\n"] {
        for (command, session) in [("update", "s"), ("hook", "other")] {
            let env = TestEnv::new();
            let repo = repo(&env, "studio", "laptop");
            let file = env.path("peer-config/host-aliases.json");
            fs::write(file, aliases.to_string()).unwrap();
            let key = Repo::at(&repo, Path::new("/")).key;
            let old = "| app | closed | old | — | — | 2026-11-30T05:00:00.000Z";
            env.write_board(&board(marks, &format!("{old} | {key} | Old-iMac |\n")));
            if command == "hook" {
                fs::remove_file(repo.join(".orchestrator/session.lock")).unwrap();
                start_session(&env, &repo);
            }
            let rows = update(&env, &repo);
            assert_eq!(rows.lines().count(), 1, "{marks}{command}:\n{rows}");
            let fresh = format!("| app | in-progress | {session} | ");
            let is_kept = marks.is_empty() == rows.ends_with("| Old-iMac |");
            assert!(
                rows.starts_with(&fresh) && is_kept,
                "{marks}{command}:\n{rows}"
            );
        }
    }
}

fn start_session(env: &TestEnv, repo: &Path) {
    let mut command = env.command(&["hook"]);
    command
        .env("BOARDSYNC_NOW", NOW)
        .env("BOARDSYNC_HOOK_TIMEOUT_MS", "60000");
    let event = json!({"session_id": "other", "hook_event_name": "SessionStart", "cwd": repo});
    env.feed(&mut command, event.to_string().as_bytes())
        .quietly();
}

#[test]
fn one_old_row_without_a_key_gives_way_to_the_two_of_its_name() {
    let env = TestEnv::new();
    let (one, two) = (env.repo("a/web"), env.repo("b/web"));
    env.write_board(
        "---\n_generator: session-orchestrator-active-sessions@1\n---\n\n\
         | Repo | Status | Session | Branch | Mode | Last heartbeat |\n\
         |---|---|---|---|---|---|\n| web | closed | s | — | — | — |\n",
    );
    let mut command = env.command(&["update", "--repo"]);
    let output = command.args([&one, &two]).output().unwrap();
    Said::from(output).quietly();
    let board = env.read_board();
    assert_eq!(board.matches("| web |").count(), 2, "{board}");
}
