//! What a repository's Session Config says of its row, and what a sweep leaves alone.

use crate::env::{Said, TestEnv, board_of};
use boardsync::internals::session::Repo;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const NOW: &str = "2026-11-30T07:00:00.000Z";

fn repo(env: &TestEnv, path: &str, config: &str) -> PathBuf {
    let repo = env.home().join(path);
    fs::create_dir_all(repo.join(".orchestrator")).unwrap();
    fs::create_dir_all(repo.join(".git")).unwrap();
    fs::write(repo.join("CLAUDE.md"), config).unwrap();
    repo
}

fn run(env: &TestEnv, args: &[&str], repo: &Path) -> Said {
    let mut command = env.command(args);
    command.args(["--repo".as_ref(), repo.as_os_str()]);
    command.env("BOARDSYNC_NOW", NOW).output().unwrap().into()
}

fn ledger(repo: &Path) -> Vec<Value> {
    let text = fs::read_to_string(repo.join(".orchestrator/metrics/events.jsonl")).unwrap();
    let line = |line| serde_json::from_str(line).unwrap();
    text.lines().map(line).collect()
}

const NAMED: &str = "vault-integration:\n  enabled: true\n  vault-name: Team App\n";

#[test]
fn the_configured_name_is_the_rows_and_adopts_a_legacy_one() {
    let env = TestEnv::new();
    let repo = repo(&env, "Projects/app", NAMED);
    env.write_board(
        &board_of("| team app | in-progress | s | — | — | — |\n")
            .replace(" Last heartbeat | Key |", " Last heartbeat |")
            .replace("|---|---|---|---|---|---|---|", "|---|---|---|---|---|---|"),
    );
    run(&env, &["update"], &repo).quietly();
    let key = Repo::at(&repo, Path::new("/")).key;
    let board = env.read_board();
    assert_eq!(board.matches("eam ").count(), 1, "adopted:\n{board}");
    assert!(board.contains("| Team App | closed |") && board.contains(&key));

    for args in [&["update"][..], &["close"], &["sweep"]] {
        run(&env, args, &repo).quietly();
        let board = env.read_board();
        assert!(
            board.contains("| Team App | closed |"),
            "{args:?}:\n{board}"
        );
        assert_eq!(board.matches(&key).count(), 1, "{args:?}:\n{board}");
    }
    let event = json!({"hook_event_name": "SessionStart", "session_id": "s1", "cwd": repo});
    let mut hook = env.command(&["hook"]);
    env.feed(&mut hook, event.to_string().as_bytes()).quietly();
    let board = env.read_board();
    assert!(board.contains("| Team App | in-progress |"), "{board}");
}

#[test]
fn a_disabled_vault_gets_its_line_in_the_ledger_and_nothing_else() {
    let env = TestEnv::new();
    let repo = repo(&env, "app", "vault-integration:\n  enabled: false\n");
    for (args, caller) in [(&["update"][..], "mirrorBoard"), (&["sweep"], "sweepBoard")] {
        let mut command = env.command(args);
        command.args(["--repo".as_ref(), repo.as_os_str()]);
        let said: Said = command
            .env_remove("BOARDSYNC_VAULT")
            .output()
            .unwrap()
            .into();
        assert!(said.quietly().out.starts_with("skipped-vault-disabled"));
        let line = ledger(&repo).pop().unwrap();
        assert_eq!(line["action"], "skipped-vault-disabled", "{line}");
        assert_eq!(line["caller"], caller, "{line}");
        for absent in ["path_tail", "rows", "lock"] {
            assert!(line.get(absent).is_none(), "{absent}: {line}");
        }
    }
    assert_eq!(ledger(&repo).len(), 2);
    assert!(!env.board().exists());
}

#[test]
fn one_missing_repository_does_not_keep_the_others_from_the_board() {
    let env = TestEnv::new();
    let (one, two) = (env.repo("one"), env.repo("two"));
    let mut command = env.command(&["update", "--json", "--repo"]);
    command.args([&one, &env.path("src/missing"), &two]);
    let said: Said = command.output().unwrap().into();
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(said.err.lines().count(), 1, "{said:?}");
    assert!(said.err.contains("src/missing`"), "{said:?}");
    assert_eq!(said.json()["rows"], 2, "{said:?}");
    assert!(!env.read_board().contains("missing"));
}

/// Enters a session of the repository in the registry.
fn register(env: &TestEnv, repo: &Path) {
    let repo = Repo::at(repo, Path::new("/"));
    let active = env.path("peer-config/sessions/active");
    fs::create_dir_all(&active).unwrap();
    let entry = json!({"session_id": repo.key, "repo_path_hash": repo.hash,
                       "started_at": NOW, "last_heartbeat": NOW});
    fs::write(active.join(format!("{}.json", repo.key)), entry.to_string()).unwrap();
}

#[test]
fn a_sweep_closes_no_row_of_which_it_knows_nothing() {
    let env = TestEnv::new();
    let asking = repo(&env, "Projects/asking", "");
    let registered = repo(&env, "Projects/registered", "");
    let garbled = repo(&env, "Projects/garbled", "");
    register(&env, &registered);
    fs::write(garbled.join(".orchestrator/session.lock"), "{").unwrap();
    let row = |path: &Path| {
        let Repo { name, key, .. } = Repo::at(path, Path::new("/"));
        format!("| {name} | in-progress | s | main | deep | 2026-11-30T06:59:00.000Z | {key} |\n")
    };
    let rows = row(&garbled) + &row(&registered);
    env.write_board(&board_of(&rows));
    run(&env, &["sweep"], &asking).quietly();
    let board = env.read_board();
    assert!(
        board.contains(&row(&garbled)) && board.contains(&row(&registered)),
        "{board}"
    );
    assert_eq!(board.matches("| asking |").count(), 1, "{board}");
}

#[test]
fn a_sweep_enters_no_hidden_folder_and_adds_what_the_asking_repository_names() {
    let env = TestEnv::new();
    let config = "cross-repo:\n  projects: [~/Projects/far/down/named, ~/other/outside]\n";
    let asking = repo(&env, "Projects/asking", config);
    let lock = json!({"session_id": "s", "started_at": NOW, "last_heartbeat": NOW,
                      "mode": "deep", "pid": 1, "host": "studio", "ttl_hours": 4});
    let all = [
        "busy",
        "far/down/named",
        ".hidden/inner",
        "no-git",
        "far/down/unnamed",
    ];
    let paths = all.map(|name| format!("Projects/{name}"));
    for path in paths
        .iter()
        .map(String::as_str)
        .chain(["Projects", "other/outside"])
    {
        let repo = repo(&env, path, "");
        fs::write(repo.join(".orchestrator/session.lock"), lock.to_string()).unwrap();
    }
    fs::remove_dir(env.home().join("Projects/no-git/.git")).unwrap();
    run(&env, &["sweep"], &asking).quietly();
    let board = env.read_board();
    let rows = board.lines().filter(|line| line.ends_with(" |"));
    let names: Vec<_> = rows
        .filter_map(|row| row.split(' ').nth(1))
        .skip(1)
        .collect();
    assert_eq!(names, ["asking", "busy", "named"], "{board}");
}

#[test]
fn the_ledger_counts_what_only_newer_node_writers_say() {
    let env = TestEnv::new();
    let repo = repo(&env, "app", "");
    let metrics = repo.join(".orchestrator/metrics");
    fs::create_dir_all(&metrics).unwrap();
    let line = json!({"timestamp": NOW, "event": "orchestrator.vault.board_written",
                      "action": "skipped-vault-not-canonical", "caller": "mirrorBoard",
                      "schema_version": 1});
    fs::write(metrics.join("events.jsonl"), format!("{line}\n")).unwrap();
    let said = run(&env, &["ledger", "--json"], &repo).quietly().json();
    assert_eq!(said["actions"]["skipped-vault-not-canonical"], 1, "{said}");
}
