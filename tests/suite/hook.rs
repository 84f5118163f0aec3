//! What a coding agent's events do to the board, with the real binary.

use crate::env::{Said, TestEnv, board_of};
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};

/// An event of the session `session` in `cwd`.
fn event(name: &str, session: &str, cwd: &Path) -> String {
    json!({
        "session_id": session,
        "transcript_path": "/nowhere/1.jsonl",
        "cwd": cwd,
        "hook_event_name": name,
    })
    .to_string()
}

/// Runs the hook `seconds` after a fixed time; asserts what it always promises.
fn hook_with(env: &TestEnv, seconds: i64, event: &str, variables: &[(&str, &str)]) -> Said {
    let mut command = env.command(&["hook"]);
    command
        .env("BOARDSYNC_NOW", time(seconds))
        // A debug build on a busy machine is slow.
        .env("BOARDSYNC_HOOK_TIMEOUT_MS", "60000")
        .env("BOARDSYNC_HOOK_END_TIMEOUT_MS", "60000")
        .envs(variables.iter().copied());
    let said = env.feed(&mut command, event.as_bytes());
    assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{said:?}");
    assert!(said.err.lines().count() <= 1, "one line: {}", said.err);
    said
}

fn hook(env: &TestEnv, seconds: i64, event: &str) {
    hook_with(env, seconds, event, &[]).quietly();
}

fn time(seconds: i64) -> String {
    let (hours, minutes) = (6 + seconds / 3600, seconds / 60 % 60);
    format!(
        "2026-11-30T{hours:02}:{minutes:02}:{:02}.000Z",
        seconds % 60
    )
}

/// The rows of the board, without their keys.
fn rows(env: &TestEnv) -> Vec<String> {
    let board = env.read_board();
    let table = board.lines().filter(|line| line.starts_with("| "));
    table
        .skip(1)
        .map(|row| {
            row[2..row.len() - "| 12345678 |".len()]
                .trim_end()
                .to_owned()
        })
        .collect()
}

/// A row on the branch main, as [`rows`] gives it.
fn row(name: &str, status: &str, session: &str, mode: &str, seconds: i64) -> String {
    format!(
        "{name} | {status} | {session} | main | {mode} | {}",
        time(seconds)
    )
}

fn ledger_lines(repo: &Path) -> usize {
    let ledger = repo.join(".orchestrator/metrics/events.jsonl");
    std::fs::read_to_string(ledger).map_or(0, |text| text.lines().count())
}

#[test]
fn every_event_sets_the_status_that_it_stands_for() {
    let starts = ["startup", "resume", "clear", "compact", "fork", "of-2030"];
    let ends = ["clear", "resume", "logout", "prompt_input_exit", "of-2030"];
    for (name, field, values, shown) in [
        (
            "SessionStart",
            "source",
            &starts[..],
            "in-progress | s | main | idle",
        ),
        ("SessionEnd", "reason", &ends, "closed | s | main | —"),
        (
            "Stop",
            "stop_hook_active",
            &["x"],
            "in-progress | s | main | idle",
        ),
        (
            "UserPromptSubmit",
            "permission_mode",
            &["plan"],
            "in-progress | s | main | working",
        ),
        (
            "PreToolUse",
            "tool_name",
            &["Bash"],
            "in-progress | s | main | working",
        ),
        (
            "Notification",
            "notification_type",
            &["permission_prompt"],
            "in-progress | s | main | waiting",
        ),
        (
            "Notification",
            "notification_type",
            &["auth_success"],
            "in-progress | s | main | idle",
        ),
        (
            "EventOf2030",
            "what",
            &["ever"],
            "in-progress | s | main | idle",
        ),
    ] {
        for value in values {
            let env = TestEnv::new();
            let repo = env.git_repo("app");
            if name == "SessionEnd" {
                hook(&env, 0, &event("SessionStart", "s", &repo));
            }
            let event =
                json!({"hook_event_name": name, "session_id": "s", "cwd": repo, field: value});
            let claude = [("CLAUDE_CODE_SESSION_ID", "s")];
            hook_with(&env, 0, &event.to_string(), &claude).quietly();
            let row = format!("app | {shown} | {}", time(0));
            assert_eq!(rows(&env), [row], "{name} {value}");
        }
    }
}

#[test]
fn what_nobody_knows_is_a_sign_of_life_at_most() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    hook(&env, 0, &event("EventOf2030", "a", &repo));
    hook(&env, 0, &event("SessionEnd", "b", &repo));
    assert!(!env.board().exists(), "no row of an unknown session");
    hook(&env, 0, &event("SessionStart", "a", &repo));
    hook(&env, 1, &event("EventOf2030", "a", &env.repo("elsewhere")));
    assert_eq!(rows(&env).len(), 1, "it moves nothing");
}

#[test]
fn a_session_goes_from_start_to_end_in_one_row() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    hook(&env, 0, &event("SessionStart", "a", &repo));
    hook(&env, 90, &event("UserPromptSubmit", "a", &repo));
    assert_eq!(rows(&env), [row("app", "in-progress", "a", "working", 90)]);
    hook(&env, 100, &event("SessionEnd", "a", &repo));
    assert_eq!(rows(&env), [row("app", "closed", "a", "—", 100)]);
    // The same terminal goes on with a new session after `clear`.
    hook(&env, 100, &event("SessionStart", "b", &repo));
    assert_eq!(rows(&env), [row("app", "in-progress", "b", "idle", 100)]);
    assert_eq!(ledger_lines(&repo), 4, "one record for every update");
    env.assert_no_litter();
}

#[test]
fn a_heartbeat_that_changes_nothing_takes_no_lock_and_writes_no_board() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    hook(&env, 0, &event("UserPromptSubmit", "a", &repo));
    let changed = |path: &Path| std::fs::metadata(path).unwrap().modified().unwrap();
    // Whoever tries for this lock waits for it, and says so.
    env.plant_lock(r#"{"pid": 1, "host": "laptop"}"#, Duration::ZERO);
    let before = (
        env.read_board(),
        changed(&env.board()),
        changed(&env.orchestrator()),
    );
    for second in [1, 59, 1700] {
        for name in [
            "PreToolUse",
            "PostToolUse",
            "UserPromptSubmit",
            "PreCompact",
        ] {
            hook(&env, second, &event(name, "a", &repo));
        }
    }
    hook(&env, 59, &event("Stop", "a", &repo));
    let after = (
        env.read_board(),
        changed(&env.board()),
        changed(&env.orchestrator()),
    );
    assert_eq!(before, after);
    assert_eq!(ledger_lines(&repo), 1);
    std::fs::remove_file(env.lock()).unwrap();
    hook(&env, 60, &event("Stop", "a", &repo));
    assert_eq!(rows(&env), [row("app", "in-progress", "a", "idle", 60)]);
    assert_eq!(ledger_lines(&repo), 2);
}

#[test]
fn who_begins_or_ceases_to_wait_for_its_person_is_seen_at_once() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let asks = json!({"hook_event_name": "Notification", "session_id": "a", "cwd": repo,
        "message": "Claude needs your permission to use Bash"});
    hook(&env, 0, &event("UserPromptSubmit", "a", &repo));
    hook(&env, 1, &asks.to_string());
    assert_eq!(rows(&env), [row("app", "in-progress", "a", "waiting", 1)]);
    hook(&env, 2, &event("PostToolUse", "a", &repo));
    assert_eq!(rows(&env), [row("app", "in-progress", "a", "working", 2)]);
}

#[test]
fn who_begins_to_work_is_seen_at_once_and_who_ceases_to_after_a_minute() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    for (second, name, shown, heartbeat) in [
        (0, "SessionStart", "idle", 0),
        (5, "UserPromptSubmit", "working", 5),
        (9, "Stop", "working", 5),
        (70, "Stop", "idle", 70),
        (75, "UserPromptSubmit", "working", 75),
    ] {
        hook(&env, second, &event(name, "a", &repo));
        let row = row("app", "in-progress", "a", shown, heartbeat);
        assert_eq!(rows(&env), [row], "{second} {name}");
    }
}

#[test]
fn who_goes_back_to_work_is_seen_though_another_session_wrote_that_it_rested() {
    let env = TestEnv::new();
    let (app, web) = (env.git_repo("app"), env.git_repo("web"));
    hook(&env, 0, &event("UserPromptSubmit", "a", &app));
    hook(&env, 20, &event("Stop", "a", &app));
    hook(&env, 30, &event("SessionStart", "b", &web));
    assert_eq!(rows(&env)[0], row("app", "in-progress", "a", "idle", 20));
    hook(&env, 40, &event("UserPromptSubmit", "a", &app));
    assert_eq!(rows(&env)[0], row("app", "in-progress", "a", "working", 40));
}

#[test]
fn the_cell_stays_empty_where_the_user_wants_it_so() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let config = env.path("config/boardsync/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(config, "activity = false\n").unwrap();
    hook(&env, 0, &event("UserPromptSubmit", "a", &repo));
    assert_eq!(rows(&env), [row("app", "in-progress", "a", "—", 0)]);
}

#[test]
fn one_of_two_sessions_in_a_folder_ends_and_the_row_stays_open() {
    for (first, second) in [("old", "new"), ("new", "old")] {
        let env = TestEnv::new();
        let repo = env.git_repo("app");
        hook(&env, 0, &event("SessionStart", "old", &repo));
        hook(&env, 10, &event("SessionStart", "new", &repo));
        hook(&env, 20, &event("SessionEnd", first, &repo));
        let shown = &rows(&env)[0];
        let open = format!("app | in-progress | {second} |");
        assert!(shown.starts_with(&open), "{shown}");
        hook(&env, 30, &event("SessionEnd", second, &repo));
        assert_eq!(rows(&env), [row("app", "closed", second, "—", 30)]);
    }
}

#[test]
fn an_event_that_its_end_has_overtaken_changes_nothing() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    hook(&env, 0, &event("SessionStart", "a", &repo));
    hook(&env, 20, &event("SessionEnd", "a", &repo));
    hook(&env, 21, &event("Stop", "a", &repo));
    hook(&env, 79, &event("PostToolUse", "a", &repo));
    assert_eq!(rows(&env), [row("app", "closed", "a", "—", 20)]);
    // One that lives on after all.
    hook(&env, 80, &event("PostToolUse", "a", &repo));
    assert_eq!(rows(&env), [row("app", "in-progress", "a", "working", 80)]);
}

#[test]
fn events_count_in_the_order_of_their_arrival_whatever_the_clock_says() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let years = 5 * 365 * 24 * 3600;
    let at = |seconds: i64| {
        let base = boardsync::Timestamp::parse(&time(0)).unwrap().as_millis();
        boardsync::Timestamp::from_millis(base + seconds * 1000).to_string()
    };
    let ahead = at(years);
    let start = event("SessionStart", "a", &repo);
    hook_with(&env, 0, &start, &[("BOARDSYNC_NOW", &ahead)]).quietly();
    assert!(rows(&env)[0].ends_with(&ahead), "{:?}", rows(&env));
    hook(&env, 9, &event("UserPromptSubmit", "a", &repo));
    assert_eq!(rows(&env), [row("app", "in-progress", "a", "working", 9)]);
    hook(&env, 10, &event("SessionEnd", "a", &repo));
    assert_eq!(rows(&env), [row("app", "closed", "a", "—", 10)]);

    // The same, with nothing between start and end.
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let start = event("SessionStart", "a", &repo);
    hook_with(&env, 0, &start, &[("BOARDSYNC_NOW", &ahead)]).quietly();
    hook(&env, 10, &event("SessionEnd", "a", &repo));
    assert_eq!(rows(&env), [row("app", "closed", "a", "—", 10)]);
}

#[test]
fn a_session_that_enters_and_leaves_a_worktree_has_one_open_row() {
    let env = TestEnv::new();
    let main = env.git_repo("app");
    let tree = main.join(".claude/worktrees/wtree1");
    let head = main.join(".git/worktrees/wtree1");
    std::fs::create_dir_all(&tree).unwrap();
    std::fs::create_dir_all(&head).unwrap();
    std::fs::write(tree.join(".git"), format!("gitdir: {}\n", head.display())).unwrap();
    hook(&env, 0, &event("SessionStart", "a", &main));
    hook(&env, 10, &event("PostToolUse", "a", &tree));
    let shown = |row: &String| row.split(" | ").take(2).collect::<Vec<_>>().join(" ");
    let states = || rows(&env).iter().map(shown).collect::<Vec<_>>();
    assert_eq!(states(), ["app closed", "app/wtree1 in-progress"]);
    hook(&env, 20, &event("Stop", "a", &main));
    assert_eq!(states(), ["app in-progress", "app/wtree1 closed"]);
    // An end counts wherever it comes from.
    hook(&env, 30, &event("SessionEnd", "a", &env.repo("elsewhere")));
    assert_eq!(states(), ["app closed", "app/wtree1 closed"]);
}

#[test]
fn a_sub_agent_takes_no_row_and_ends_nothing() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let tree = env.git_repo("tree");
    hook(&env, 0, &event("SessionStart", "a", &repo));
    let before = env.read_board();
    for (name, session) in [
        ("SubagentStart", "a"),
        ("SessionEnd", "a"),
        ("PreToolUse", "own"),
    ] {
        let event = json!({"hook_event_name": name, "session_id": session, "cwd": tree,
            "agent_id": "a41a48d24090d874f"});
        hook(&env, 100, &event.to_string());
    }
    assert_eq!(env.read_board(), before);
}

#[test]
fn folders_of_one_name_and_folders_behind_a_link_can_be_told() {
    let env = TestEnv::new();
    let (a, b) = (env.git_repo("a/web"), env.git_repo("b/web"));
    hook(&env, 0, &event("SessionStart", "a", &a));
    hook(&env, 1, &event("SessionStart", "b", &b));
    let link = env.path("src/link");
    std::os::unix::fs::symlink(&a, &link).unwrap();
    hook(&env, 2, &event("SessionEnd", "a", &link));
    hook(&env, 3, &event("SessionStart", "c", &link));
    assert_eq!(
        rows(&env),
        [
            row("a/web", "in-progress", "c", "idle", 3),
            row("b/web", "in-progress", "b", "idle", 1)
        ]
    );
}

#[test]
fn nobody_has_a_row_at_home_or_in_an_agents_own_folder() {
    let env = TestEnv::new();
    let home = env.home();
    for folder in [".cursor/hooks", ".claude"] {
        std::fs::create_dir_all(home.join(folder)).unwrap();
        hook(&env, 0, &event("SessionStart", "a", &home.join(folder)));
    }
    hook(&env, 0, &event("SessionStart", "b", &home));
    hook(&env, 0, &event("SessionStart", "c", Path::new("/")));
    assert!(!env.board().exists());
}

#[test]
fn a_title_stands_in_the_cell_of_the_session_with_a_short_id() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let id = "e8db4fb6-3a76-447c-9871-fba3354c428f";
    hook(&env, 0, &event("SessionStart", id, &repo));
    assert_eq!(
        rows(&env),
        [row("app", "in-progress", "e8db4fb6", "idle", 0)]
    );
    let named = json!({"hook_event_name": "SessionStart", "session_id": id, "cwd": repo,
        "session_title": "Fix login"});
    hook(&env, 1, &named.to_string());
    assert_eq!(
        rows(&env),
        [row("app", "in-progress", "Fix login (e8db4fb6)", "idle", 1)]
    );
    hook(&env, 2, &event("SessionEnd", id, &repo));
    assert_eq!(
        rows(&env),
        [row("app", "closed", "Fix login (e8db4fb6)", "—", 2)]
    );
}

#[test]
fn a_subfolder_a_worktree_and_a_leased_folder_have_their_own_repository() {
    let env = TestEnv::new();
    let main = env.git_repo("app");
    let deep = main.join("src/deep");
    let tree = main.join(".claude/worktrees/feat");
    let head = main.join(".git/worktrees/feat");
    for folder in [&deep, &tree, &head] {
        std::fs::create_dir_all(folder).unwrap();
    }
    std::fs::write(tree.join(".git"), format!("gitdir: {}\n", head.display())).unwrap();
    std::fs::write(head.join("HEAD"), "ref: refs/heads/feat\n").unwrap();
    let leased = env.repo("leased");
    std::fs::create_dir_all(leased.join(".orchestrator")).unwrap();
    std::fs::create_dir_all(leased.join("sub")).unwrap();
    std::fs::write(leased.join(".orchestrator/session.lock"), "{}").unwrap();
    hook(&env, 0, &event("SessionStart", "a", &deep));
    hook(&env, 0, &event("SessionStart", "b", &tree));
    hook(&env, 0, &event("SessionStart", "c", &leased.join("sub")));
    let beat = time(0);
    assert_eq!(
        rows(&env),
        [
            format!("app | in-progress | a | main | idle | {beat}"),
            format!("app/feat | in-progress | b | feat | idle | {beat}"),
            format!("leased | in-progress | c | — | idle | {beat}"),
        ]
    );
}

#[test]
fn a_deleted_worktree_is_closed_and_not_the_repository_around_it() {
    let env = TestEnv::new();
    let main = env.git_repo("app");
    let tree = main.join(".claude/worktrees/feat");
    std::fs::create_dir_all(tree.join("src")).unwrap();
    std::fs::write(tree.join(".git"), "gitdir: nowhere\n").unwrap();
    hook(&env, 0, &event("SessionStart", "a", &main));
    hook(&env, 0, &event("SessionStart", "b", &tree));
    std::fs::remove_dir_all(&tree).unwrap();
    hook(&env, 9, &event("SessionEnd", "b", &tree.join("src")));
    assert!(
        rows(&env)[0].starts_with("app | in-progress | a"),
        "{:?}",
        rows(&env)
    );
    assert!(
        rows(&env)[1].starts_with("feat | closed | b"),
        "{:?}",
        rows(&env)
    );
    assert!(!tree.exists(), "nothing is made anew");
    // Nobody knows a row for this one: it is not the main checkout's either.
    hook(
        &env,
        10,
        &event(
            "SessionEnd",
            "c",
            &main.join(".claude/worktrees/never-seen"),
        ),
    );
    // But a session that has lost a mere subfolder is still in its repository.
    hook(
        &env,
        11,
        &event("SessionEnd", "a", &main.join("target/gone")),
    );
    let row = format!("app | closed | a | main | — | {}", time(11));
    assert_eq!(rows(&env)[0], row);
}

#[test]
fn the_project_folder_stands_in_for_a_missing_cwd() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let project = [("CLAUDE_PROJECT_DIR", repo.to_str().unwrap())];
    let bare = json!({"hook_event_name": "SessionStart", "session_id": "a"}).to_string();
    hook_with(&env, 0, &bare, &project).quietly();
    // A session that strays into no repository is still in its project.
    let plain = env.repo("plain");
    hook_with(&env, 70, &event("Stop", "a", &plain), &project).quietly();
    assert_eq!(rows(&env), [row("app", "in-progress", "a", "idle", 0)]);
}

#[test]
fn the_row_shows_the_name_in_the_sessions_own_lease() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let lease = json!({
        "session_id": "a", "started_at": time(0), "mode": "deep", "host": "h", "pid": 1,
        "ttl_hours": 4, "semantic_session_id": "main-deep-1",
    });
    std::fs::create_dir_all(repo.join(".orchestrator")).unwrap();
    hook(&env, 0, &event("SessionStart", "a", &repo));
    std::fs::write(repo.join(".orchestrator/session.lock"), lease.to_string()).unwrap();
    hook(&env, 70, &event("UserPromptSubmit", "a", &repo));
    let row = format!(
        "app | in-progress | main-deep-1 | main | deep | {}",
        time(70)
    );
    assert_eq!(rows(&env), [row], "it is one session under two names");
    // Another session's event is not that session's.
    hook(&env, 71, &event("SessionEnd", "b", &repo));
    assert!(rows(&env)[0].starts_with("app | in-progress | main-deep-1"));
    hook(&env, 72, &event("SessionEnd", "a", &repo));
    let row = format!("app | closed | main-deep-1 | main | deep | {}", time(72));
    assert_eq!(rows(&env), [row]);
}

#[test]
fn a_foreign_lock_keeps_no_end_from_being_written() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    hook(&env, 0, &event("SessionStart", "a", &repo));
    let record = r#"{"pid": 4242, "host": "laptop"}"#;
    env.plant_lock(record, Duration::ZERO);
    let end = event("SessionEnd", "a", &repo);
    let said = hook_with(&env, 9, &end, &[("BOARDSYNC_TIMEOUT_MS", "300")]);
    for part in ["timeout", "pid 4242", "without the lock"] {
        assert!(said.err.contains(part), "{part} is not in {}", said.err);
    }
    assert!(rows(&env)[0].starts_with("app | closed | a"));
    // By its own limits it ends long before the patience of an update (5 s).
    let started = Instant::now();
    let defaults = [
        ("BOARDSYNC_HOOK_END_TIMEOUT_MS", ""),
        ("BOARDSYNC_TIMEOUT_MS", "60000"),
    ];
    hook_with(&env, 10, &event("SessionEnd", "a", &repo), &defaults);
    assert!(started.elapsed() < Duration::from_secs(30));
    assert_eq!(std::fs::read_to_string(env.lock()).unwrap(), record);
}

#[test]
fn a_dozen_at_once_lose_nothing() {
    let env = TestEnv::new();
    let names: Vec<String> = (0..12).map(|index| format!("app-{index:02}")).collect();
    for name in &names {
        env.git_repo(name);
    }
    std::thread::scope(|scope| {
        for name in &names {
            // The same start fires twice.
            for _ in 0..2 {
                let event = event("SessionStart", name, &env.repo(name));
                let env = &env;
                scope.spawn(move || hook_with(env, 0, &event, &[]));
            }
        }
    });
    let expected: Vec<String> = names
        .iter()
        .map(|name| row(name, "in-progress", name, "idle", 0))
        .collect();
    assert_eq!(rows(&env), expected);
    env.assert_no_litter();
}

#[test]
fn a_disabled_vault_is_passed_over_in_silence() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    std::fs::write(
        repo.join("CLAUDE.md"),
        "vault-integration: { enabled: false }\n",
    )
    .unwrap();
    let mut command = env.command(&["hook"]);
    command.env_remove("BOARDSYNC_VAULT");
    let said = env.feed(&mut command, event("SessionStart", "a", &repo).as_bytes());
    assert_eq!(said.quietly().out, "");
    assert!(!env.path("data").exists() && !env.board().exists());
    assert_eq!(ledger_lines(&repo), 0);
}

#[test]
fn a_note_of_a_person_is_left_alone() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    env.write_board("# Mine\n");
    let said = hook_with(&env, 0, &event("SessionStart", "a", &repo), &[]);
    assert!(said.err.contains("not a board of ours"), "{}", said.err);
    let said = hook_with(&env, 70, &event("SessionEnd", "a", &repo), &[]);
    assert!(said.err.contains("not a board of ours"), "{}", said.err);
    assert_eq!(env.read_board(), "# Mine\n");
}

#[test]
fn a_legacy_row_without_a_key_is_adopted() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let beat = time(0);
    env.write_board(&board_of(&format!(
        "| app | in-progress | other | — | — | {beat} | — |\n"
    )));
    hook(&env, 9, &event("SessionEnd", "a", &repo));
    assert!(
        env.read_board().contains("| app | in-progress | other |"),
        "it is another's"
    );
    hook(&env, 10, &event("SessionStart", "a", &repo));
    assert_eq!(rows(&env), [row("app", "in-progress", "a", "idle", 10)]);
}

#[cfg(feature = "failpoints")]
#[test]
fn what_changed_since_the_look_at_the_board_counts() {
    use std::io::Write;
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    hook(&env, 0, &event("SessionStart", "old", &repo));
    // The end has seen its own row, and stands before the latch.
    let signal = env.path("park");
    let mut command = env.command(&["hook"]);
    let park = format!("latch.lock.before=1*return(park:{})", signal.display());
    command
        .env("FAILPOINTS", park)
        .env("BOARDSYNC_NOW", time(9))
        .env("BOARDSYNC_HOOK_END_TIMEOUT_MS", "60000")
        .stdin(std::process::Stdio::piped());
    let mut end = command.spawn().unwrap();
    let text = event("SessionEnd", "old", &repo);
    end.stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    crate::env::wait_until("it has seen the board", || {
        signal.with_extension("reached").exists()
    });
    let start = event("SessionStart", "new", &repo);
    hook_with(&env, 5, &start, &[("BOARDSYNC_SKIP_LOCK", "1")]).quietly();
    std::fs::write(signal.with_extension("go"), "").unwrap();
    Said::from(end.wait_with_output().unwrap()).quietly();
    assert_eq!(rows(&env), [row("app", "in-progress", "new", "idle", 5)]);
    env.assert_no_litter();
}

#[test]
fn the_end_of_a_session_is_written_beside_a_latch_that_is_held() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    hook(&env, 0, &event("SessionStart", "a", &repo));
    let latch = env.vault().join(".orchestrator/board.latch.lock");
    let latch = std::fs::File::options().write(true).open(latch).unwrap();
    latch.lock().unwrap();
    // Less than an update waits for a latch.
    let limit = [("BOARDSYNC_HOOK_END_TIMEOUT_MS", "950")];
    hook_with(&env, 9, &event("SessionEnd", "a", &repo), &limit).quietly();
    assert!(env.read_board().contains("| app | closed | a |"));
}

/// A lease has such a path as its lossy text.
#[cfg(target_os = "linux")]
#[test]
fn the_second_session_in_a_folder_whose_name_is_not_unicode_is_shown() {
    use std::os::unix::ffi::OsStrExt;
    let env = TestEnv::new();
    let repo = env
        .path("src")
        .join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir_all(repo.join(".git")).unwrap();
    for session in ["first", "second"] {
        let payload = json!({"hook_event_name": "SessionStart", "session_id": session});
        let mut hook = env.command(&["hook"]);
        hook.current_dir(&repo);
        env.feed(&mut hook, payload.to_string().as_bytes());
        let board = env.read_board();
        assert!(board.contains(&format!("| {session} |")), "{board}");
    }
}
