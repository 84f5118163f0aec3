//! What a person names on the command line, and mistypes.

use crate::env::{Said, TestEnv};
use std::path::Path;

const LEDGER: &str = ".orchestrator/metrics/events.jsonl";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn rows(env: &TestEnv, repo: &str) -> Vec<String> {
    let start = format!("| {repo} |");
    let board = env.read_board();
    let rows = board.lines().filter(|line| line.starts_with(&start));
    rows.map(str::to_owned).collect()
}

#[test]
fn a_status_alone_keeps_what_the_row_says_of_the_session() {
    let env = TestEnv::new();
    let app = env.repo("app");
    let update = ["update", "--repo", text(&app), "--status"];
    let first = [
        "in-progress",
        "--session",
        "s1",
        "--branch",
        "b1",
        "--mode",
        "deep",
    ];
    env.run(&[&update[..], &first].concat()).quietly();
    env.run(&[&update[..], &["closed"]].concat()).quietly();
    let row = &rows(&env, "app")[0];
    assert!(
        row.starts_with("| app | closed | s1 | b1 | deep | 20"),
        "{row}"
    );
    // Another session's branch and mode are not known, and nobody's are free.
    env.run(&[&update[..], &["in-progress", "--session", "s2"]].concat())
        .quietly();
    let row = &rows(&env, "app")[0];
    assert!(
        row.starts_with("| app | in-progress | s2 | — | — | 20"),
        "{row}"
    );
    env.run(&[&update[..], &["frei"]].concat()).quietly();
    let row = &rows(&env, "app")[0];
    assert!(row.starts_with("| app | frei | — | — | — | — | "), "{row}");
}

#[test]
fn a_missing_repository_costs_the_others_nothing() {
    for status in [&["--status", "closed"][..], &[]] {
        let env = TestEnv::new();
        let (one, two, gone) = (env.repo("one"), env.repo("two"), env.path("src/gone"));
        let repos = ["update", "--repo", text(&one), text(&gone), text(&two)];
        let said = env.run(&[&repos[..], status].concat());
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(
            said.out.starts_with("written: ") && said.out.contains("2 rows"),
            "{said:?}"
        );
        assert_eq!(said.err.lines().count(), 1, "{said:?}");
        assert_eq!(said.err.matches(text(&gone)).count(), 1, "{said:?}");
        assert_eq!((rows(&env, "one").len(), rows(&env, "two").len()), (1, 1));
        assert!(rows(&env, "gone").is_empty(), "no row is made silently");
    }
}

#[test]
fn only_a_row_that_is_there_is_closed_without_a_folder() {
    let env = TestEnv::new();
    let gone = env.path("src/gone");
    let close = ["close", "--repo", text(&gone)];
    let said = env.run(&close);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{said:?}");
    assert!(said.err.contains("no repository folder"), "{said:?}");
    assert!(!env.board().exists());
    env.update("gone", "in-progress").quietly();
    std::fs::remove_dir_all(&gone).unwrap();
    env.run(&close).quietly();
    assert!(rows(&env, "gone")[0].starts_with("| gone | closed |"));
}

#[test]
fn a_dry_run_writes_nothing_at_all() {
    let env = TestEnv::new();
    let app = env.repo("app");
    for command in [
        &["update", "--status", "closed", "--repo", text(&app)][..],
        &["close", "--repo", text(&app)],
        &["sweep", "--repo", text(&app)],
    ] {
        let said = env.run(&[command, &["--dry-run"]].concat()).quietly();
        assert!(said.out.starts_with("dry-run: "), "{said:?}");
        assert!(!app.join(LEDGER).exists(), "{command:?}");
        assert!(
            !env.orchestrator().exists() && !env.board().exists(),
            "{command:?}"
        );
    }
}

#[test]
fn a_repository_without_its_option_is_told_how_it_is_named() {
    let env = TestEnv::new();
    for command in ["update", "close"] {
        let said = env.run(&[command, "."]);
        assert_eq!(said.code, Some(2), "{said:?}");
        let right = format!("`boardsync {command} --repo .`");
        assert!(said.err.contains(&right), "{said:?}");
        assert_eq!(said.err.lines().count(), 1, "{said:?}");
    }
}

#[test]
fn the_ledger_of_a_folder_that_does_not_exist_is_an_error() {
    let env = TestEnv::new();
    let said = env.run(&["ledger", "--repo", "nowhere"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("no repository folder"), "{said:?}");
    env.repo("app");
    env.run(&["ledger", "--repo", "src/app"]).quietly();
}

#[test]
fn a_disabled_vault_is_entered_in_the_ledger() {
    let env = TestEnv::new();
    let app = env.repo("app");
    std::fs::write(
        app.join("CLAUDE.md"),
        "vault-integration:\n  enabled: false\n",
    )
    .unwrap();
    let mut command = env.command(&["update", "--status", "closed", "--repo", text(&app)]);
    command
        .env_remove("BOARDSYNC_VAULT")
        .env("SO_VAULT_DIR", env.vault());
    let said: Said = command.output().unwrap().into();
    assert!(said.out.starts_with("skipped-vault-disabled"), "{said:?}");
    let line = std::fs::read_to_string(app.join(LEDGER)).unwrap();
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["action"], "skipped-vault-disabled");
    for absent in ["path_tail", "rows", "lock"] {
        assert!(line.get(absent).is_none(), "{line}");
    }
}

fn update_at(env: &TestEnv, status: &str, heartbeat: &str) -> Said {
    let app = env.repo("app");
    let args = [
        "update",
        "--status",
        status,
        "--session",
        "s",
        "--heartbeat",
        heartbeat,
    ];
    let mut command = env.command(&[&args[..], &["--repo", text(&app)]].concat());
    command.env("BOARDSYNC_NOW", "2026-11-30T08:00:00Z");
    Said::from(command.output().unwrap()).quietly()
}

#[test]
fn the_end_of_a_session_closes_its_row_whatever_the_clock_says() {
    let env = TestEnv::new();
    update_at(&env, "in-progress", "2026-11-30T08:00:30.000Z");
    let said = update_at(&env, "in-progress", "2026-11-30T07:00:00.000Z");
    assert!(said.out.starts_with("skipped-outdated"), "{said:?}");
    update_at(&env, "closed", "2026-11-30T07:30:00.000Z");
    let row = &rows(&env, "app")[0];
    let closed = "| app | closed | s | — | — | 2026-11-30T08:00:30.000Z |";
    assert!(row.starts_with(closed), "{row}");
}

#[test]
fn what_a_clock_that_was_ahead_left_behind_holds_up_nothing() {
    let env = TestEnv::new();
    let said = update_at(&env, "in-progress", "2031-01-01T00:00:00Z");
    assert!(said.out.contains("ahead of this host's clock"), "{said:?}");
    let row = &rows(&env, "app")[0];
    assert!(row.contains("| 2026-11-30T08:00:00.000Z |"), "{row}");

    let board = env
        .read_board()
        .replace("2026-11-30T08:00:00.000Z |", "2031-01-01T00:00:00Z |");
    env.write_board(&board);
    update_at(&env, "in-progress", "2026-11-30T07:59:00.000Z");
    let row = &rows(&env, "app")[0];
    assert!(
        row.contains("| in-progress | s | — | — | 2026-11-30T07:59:00.000Z |"),
        "{row}"
    );
    update_at(&env, "closed", "2026-11-30T07:59:30.000Z");
    assert!(rows(&env, "app")[0].contains("| closed |"));
}
