//! `doctor` finds each fault, says what to do, and changes nothing.

use crate::env::{Said, TestEnv, board_of, host_name};
use boardsync::lock::Host;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// Sets up a vault with nothing wrong in it.
fn healthy() -> TestEnv {
    let env = TestEnv::new();
    env.run(&["init", "--yes"]).quietly();
    env
}

/// Lists all there is, with contents and times.
fn snapshot(folder: &Path) -> Vec<(PathBuf, Option<SystemTime>, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            if meta.is_dir() {
                folders.push(path.clone());
                found.push((path, None, Vec::new()));
            } else {
                let bytes = if meta.is_file() {
                    fs::read(&path).unwrap()
                } else {
                    Vec::new()
                };
                found.push((path, meta.modified().ok(), bytes));
            }
        }
    }
    found.sort();
    found
}

/// Runs it, and asserts that it changes nothing.
fn examine(env: &TestEnv, variables: &[(&str, &str)]) -> Said {
    let before = snapshot(&env.path(""));
    let mut command = env.command(&["doctor", "--json"]);
    command.envs(variables.iter().copied());
    let said: Said = command.output().unwrap().into();
    assert_eq!(snapshot(&env.path("")), before, "it changed something");
    assert_eq!(said.err, "", "{said:?}");
    said
}

/// Gives the ids of the checks with this mark.
fn marked(said: &Said, mark: &str) -> Vec<String> {
    let json = said.json();
    let checks = json["checks"].as_array().unwrap().iter();
    checks
        .filter(|check| check["mark"] == mark)
        .map(|check| check["id"].as_str().unwrap().to_owned())
        .collect()
}

/// Asserts that a fault is found, alone, with a remedy, and that it ends in exit 1.
fn assert_found(env: &TestEnv, mark: &str, id: &str, text: &str) {
    assert_found_with(env, &[], mark, id, text);
}

fn assert_found_with(env: &TestEnv, variables: &[(&str, &str)], mark: &str, id: &str, text: &str) {
    let said = examine(env, variables);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(said.json()["ok"], false);
    let found: Vec<String> = [marked(&said, "warn"), marked(&said, "fail")].concat();
    assert_eq!(found, [id], "{said:?}");
    assert_eq!(marked(&said, mark), [id], "{said:?}");
    let json = said.json();
    let mut checks = json["checks"].as_array().unwrap().iter();
    let check = checks
        .find(|check| check["id"] == id && check["mark"] == mark)
        .unwrap();
    assert!(
        check["text"].as_str().unwrap().contains(text),
        "{text}: {check}"
    );
    assert!(check["advice"].is_string(), "what is to be done? {check}");
}

/// A token of this host whose process is gone: no process has such a number.
fn dead_token() -> String {
    format!("{:08x}{:08x}{:016x}", Host::current().tag(), u32::MAX, 7)
}

#[test]
fn a_healthy_vault_is_well() {
    let env = healthy();
    let said = examine(&env, &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(said.json()["ok"], true);
    let repo = env.repo("app");
    env.run(&[
        "update",
        "--status",
        "in-progress",
        "--repo",
        repo.to_str().unwrap(),
    ])
    .quietly();
    let said = env.run(&["doctor"]).quietly();
    assert!(
        said.out.lines().all(|line| line.starts_with("ok ")),
        "{}",
        said.out
    );
}

#[test]
fn a_vault_without_anything_in_it_stays_so() {
    let env = TestEnv::new();
    let said = examine(&env, &[]);
    assert_eq!(marked(&said, "warn"), ["hooks"], "{said:?}");
    assert_eq!(marked(&said, "note"), ["board"], "{said:?}");
    let mut command = env.command(&["doctor", "--json"]);
    let said: Said = command
        .env_remove("BOARDSYNC_VAULT")
        .output()
        .unwrap()
        .into();
    assert!(
        marked(&said, "fail").contains(&"vault".to_owned()),
        "{said:?}"
    );
    assert!(!env.path("data").exists(), "nor is the default vault made");
}

#[test]
fn a_vault_that_is_not_there_is_found() {
    let env = healthy();
    let elsewhere = env.path("gone");
    let variables = [("BOARDSYNC_VAULT", elsewhere.to_str().unwrap())];
    assert_found_with(&env, &variables, "fail", "vault", "no vault folder");
}

#[test]
fn a_folder_in_which_nothing_can_be_made_is_found() {
    let env = healthy();
    fs::remove_dir_all(env.orchestrator()).unwrap();
    fs::write(env.orchestrator(), "").unwrap();
    let said = examine(&env, &[]);
    assert!(
        marked(&said, "fail").contains(&"lock-folder".to_owned()),
        "{said:?}"
    );
}

#[cfg(feature = "failpoints")]
#[test]
fn a_file_system_that_cannot_swap_is_worth_a_note() {
    let env = healthy();
    let no_swap = "board.exchange.before=return(95);gate.lock.before=return(95)";
    let said = examine(&env, &[("FAILPOINTS", no_swap)]);
    assert_eq!(said.code, Some(0), "there is nothing to do: {said:?}");
    assert_eq!(
        marked(&said, "note"),
        ["exchange", "kernel-lock"],
        "{said:?}"
    );
}

#[test]
fn what_a_crash_left_is_found() {
    for name in [
        ".board.T.pending",
        ".board.lock.T.pending",
        "board.T.0123456789abcdef.tmp",
    ] {
        let env = healthy();
        let name = name.replace('T', &dead_token());
        fs::write(env.orchestrator().join(&name), "x").unwrap();
        assert_found(&env, "warn", "leftovers", &name);
    }
    let env = healthy();
    let name = format!("board.{}.0123456789abcdef.kept.md", dead_token());
    fs::write(env.orchestrator().join(&name), "mine").unwrap();
    assert_found(&env, "warn", "kept-files", &name);
}

#[test]
fn the_files_of_a_living_process_are_none_of_them() {
    let env = healthy();
    let token = boardsync::internals::disk::Token::new(Host::current().tag());
    fs::write(
        env.orchestrator().join(format!(".board.{token}.pending")),
        "x",
    )
    .unwrap();
    assert_eq!(examine(&env, &[]).code, Some(0));
}

#[test]
fn locks_that_nobody_will_give_back_are_found() {
    let env = healthy();
    let mine = format!(r#"{{"pid": 1, "host": "{}"}}"#, host_name());
    env.plant_lock(&mine, Duration::from_secs(600));
    assert_found(&env, "warn", "lock", "stale: ");
    env.plant_lock(&mine, Duration::ZERO);
    assert_eq!(examine(&env, &[]).code, Some(0), "held is well");
    fs::remove_file(env.lock()).unwrap();
    fs::create_dir_all(env.lock()).unwrap();
    fs::remove_dir(env.lock()).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/nowhere", env.lock()).unwrap();
        assert_found(&env, "fail", "lock", "a symbolic link");
    }
}

#[test]
fn another_hosts_lock_and_the_missing_column_are_found() {
    let env = healthy();
    env.plant_lock(r#"{"pid": 7, "host": "laptop"}"#, Duration::from_secs(600));
    let said = examine(&env, &[]);
    assert_eq!(said.code, Some(1));
    assert_eq!(marked(&said, "warn"), ["lock", "hosts"], "{said:?}");
    assert!(said.out.contains("reclaim --force"), "{said:?}");
    // And where no process of ours has ever been, no gate is left either.
    for name in ["board.gate.lock", "board.latch.lock"] {
        fs::remove_file(env.orchestrator().join(name)).unwrap();
    }
    examine(&env, &[]);
}

#[test]
fn a_guard_whose_process_is_gone_is_found() {
    let env = healthy();
    let guard = env.orchestrator().join("board.lock.acquire");
    let record = format!(
        r#"{{"pid": 4194999, "host": "{}", "kind": "acquisition-guard"}}"#,
        host_name()
    );
    fs::write(&guard, record).unwrap();
    crate::env::make_older(&guard, Duration::from_secs(10));
    assert_found(&env, "warn", "guard", "left behind");
}

#[test]
fn copies_of_sync_tools_are_found() {
    let env = healthy();
    let copy = env.board().with_file_name("_active-sessions (1).md");
    fs::write(&copy, env.read_board()).unwrap();
    let said = examine(&env, &[]);
    assert_eq!(said.code, Some(1));
    assert_eq!(
        marked(&said, "warn"),
        ["conflict-copies", "hosts"],
        "{said:?}"
    );
    fs::remove_file(&copy).unwrap();
    let placeholder = env.board().with_file_name("._active-sessions.md.icloud");
    fs::write(placeholder, "").unwrap();
    assert_found(&env, "fail", "icloud", "not on this disk");
}

#[test]
fn a_git_that_would_take_locks_is_found() {
    let env = healthy();
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.env("HOME", env.home())
            .arg("-C")
            .arg(env.vault())
            .args(args);
        git.output().is_ok_and(|output| output.status.success())
    };
    // Without git the fake repository is judged by the vault's file alone.
    if !git(&["init", "-q"]) {
        fs::create_dir_all(env.vault().join(".git")).unwrap();
    }
    assert_found(&env, "warn", "git-ignore", ".orchestrator/*.lock");
    env.run(&["init", "--yes"]).quietly();
    assert_eq!(examine(&env, &[]).code, Some(0));
}

#[test]
fn hooks_that_do_not_call_us_are_found() {
    let env = healthy();
    let settings = env.home().join(".claude/settings.json");
    let text = fs::read_to_string(&settings).unwrap();
    let binary = env!("CARGO_BIN_EXE_boardsync");
    let other = env.path("bin/boardsync");
    fs::create_dir_all(env.path("bin")).unwrap();

    fs::write(&settings, text.replace("SessionEnd", "PreCompact")).unwrap();
    assert_found(
        &env,
        "warn",
        "hooks",
        "does not call boardsync at SessionEnd",
    );
    fs::write(&settings, "{ // broken\n}").unwrap();
    let said = examine(&env, &[]);
    assert_eq!(marked(&said, "warn"), ["hooks", "hooks"], "{said:?}");

    fs::write(&settings, text.replace(binary, other.to_str().unwrap())).unwrap();
    assert_found(&env, "fail", "hook-binary", "which does not exist");
    fs::write(&other, "#!/bin/sh\necho boardsync 9.9.9\n").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_found(&env, "fail", "hook-binary", "cannot be run");
        fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
        assert_found(&env, "warn", "hook-binary", "which is boardsync 9.9.9");

        // What only a project names is not run: it may be anybody's.
        let ran = env.path("ran");
        fs::write(&other, format!("#!/bin/sh\ntouch {}\n", ran.display())).unwrap();
        fs::create_dir_all(env.path(".claude")).unwrap();
        fs::rename(&settings, env.path(".claude/settings.json")).unwrap();
        let said = examine(&env, &[]);
        assert_eq!(said.code, Some(0), "{said:?}");
        assert_eq!(marked(&said, "note"), ["hook-binary"], "{said:?}");
        assert!(!ran.exists());
    }
}

#[test]
fn a_board_that_will_not_be_written_is_found() {
    let marks =
        board_of("<<<<<<< HEAD\n| a | frei | — | — | — | — | 00000001 |\n=======\n>>>>>>> other\n");
    let bare = board_of("");
    let (head, _) = bare.split_once("| Repo ").unwrap();
    let short = bare.replace(" | Key |\n", " |\n").replace("|---|\n", "|\n");
    for (mark, text, found) in [
        ("fail", "# Mine\n", "was not created by boardsync"),
        ("fail", &*marks, "conflict markers"),
        ("warn", head, "no table"),
        ("warn", &*short, "lacks the columns Key"),
    ] {
        let env = healthy();
        env.write_board(text);
        assert_found(&env, mark, "board", found);
    }
    let env = healthy();
    fs::write(env.board(), b"---\n\0\n").unwrap();
    assert_found(&env, "fail", "board", "not UTF-8");
    let twin = "| app | frei | — | — | — | — | 00000001 |\n";
    env.write_board(&board_of(&[twin, twin].concat()));
    assert_found(&env, "warn", "duplicate-rows", "`app`");
}

#[test]
fn an_environment_and_a_ledger_that_tell_of_trouble_are_found() {
    let env = healthy();
    let skip = [("BOARDSYNC_SKIP_LOCK", "1")];
    assert_found_with(&env, &skip, "warn", "environment", "BOARDSYNC_SKIP_LOCK");
    let ledger = env.path(".orchestrator/metrics/events.jsonl");
    fs::create_dir_all(ledger.parent().unwrap()).unwrap();
    let line = r#"{"timestamp":"2026-11-30T07:00:00.000Z","event":"orchestrator.vault.board_written","action":"written","lock":{"locked":false,"reason":"timeout","waited_ms":5000}}"#;
    fs::write(&ledger, format!("{line}\n")).unwrap();
    let now = [("BOARDSYNC_NOW", "2026-11-30T08:00:00Z")];
    let said = examine(&env, &now);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        marked(&said, "warn").contains(&"ledger".to_owned()),
        "{said:?}"
    );
    let later = [("BOARDSYNC_NOW", "2026-12-30T08:00:00Z")];
    assert_eq!(examine(&env, &later).code, Some(0), "that was long ago");
}

#[test]
fn a_renamed_header_is_not_followed_by_a_second_table() {
    let env = TestEnv::new();
    let update = |status| env.update("app", status).quietly().out;
    assert!(!update("in-progress").contains("had no table"));
    env.write_board(&env.read_board().replace("| Status |", "| State |"));
    let damaged = env.read_board();
    let said = update("closed");
    assert!(said.starts_with("skipped-conflicted: line 15 of"), "{said}");
    assert_eq!(env.read_board(), damaged);
    let said = env.run(&["doctor"]).out;
    assert!(said.contains("line 15 of"), "{said}");
    env.write_board(&damaged.replace("| State |", "| Status |"));
    assert!(update("closed").starts_with("written: "));
}

#[test]
fn a_copy_with_an_unknown_name_is_found_with_the_command_that_adopts_it() {
    let env = healthy();
    env.update("app", "in-progress").quietly();
    let copy = env.board().with_file_name("_active-sessions-it's old.md");
    fs::write(
        &copy,
        env.read_board()
            .replace("| app |", "| web |")
            .replace("in-progress", "closed"),
    )
    .unwrap();
    fs::write(
        env.board().with_file_name("_active-sessions-notes.md"),
        "# Mine\n",
    )
    .unwrap();
    let said = examine(&env, &[]);
    assert_eq!(marked(&said, "warn"), ["conflict-copies"], "{said:?}");
    let json = said.json();
    let mut checks = json["checks"].as_array().unwrap().iter();
    let check = checks
        .find(|check| check["id"] == "conflict-copies")
        .unwrap();
    let (_, command) = check["advice"].as_str().unwrap().split_once(": ").unwrap();
    let mut shell = env.command_of("sh");
    assert!(
        shell.args(["-c", command]).status().unwrap().success(),
        "{command}"
    );
    assert!(!copy.exists());
    let known = env.board().with_file_name("_active-sessions (1).md");
    assert!(known.exists(), "{command}");
}

#[test]
fn trouble_that_a_hook_met_is_told() {
    let env = healthy();
    let at = "2026-11-30T07:00:00.000Z";
    let lease = serde_json::json!({
        "session_id": "s1", "folder": "/app", "repo": "/app", "name": "app",
        "vault": env.vault(), "board": env.board(), "started": at, "seen": at,
        "activity": "idle", "since": at, "trouble": "cannot write the board: no space left",
    });
    let lease: boardsync::internals::session::lease::Lease = serde_json::from_value(lease).unwrap();
    boardsync::internals::session::Leases::at(&env.path("state/boardsync"))
        .write(&lease)
        .unwrap();
    assert_found(
        &env,
        "warn",
        "sessions",
        "in `app`: cannot write the board: no space left",
    );
}

#[test]
fn hooks_that_stand_there_and_do_not_run_are_found() {
    let env = healthy();
    let settings = env.home().join(".claude/settings.json");
    let text = fs::read_to_string(&settings).unwrap();
    for (from, to, found) in [
        (
            "{\n  \"hooks\"",
            "{\n  \"disableAllHooks\": true,\n  \"hooks\"",
            "`disableAllHooks`",
        ),
        (
            "startup|resume|clear|compact|fork",
            "resume",
            "the matcher `resume`",
        ),
        (
            "\"timeout\": 10\n          }\n        ]\n      }\n    ]\n  }",
            "\"timeout\": 0.2\n          }\n        ]\n      }\n    ]\n  }",
            "0.2 s",
        ),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{found}");
        fs::write(&settings, changed).unwrap();
        assert_found(&env, "warn", "hooks", found);
    }
    fs::write(&settings, text).unwrap();
    fs::create_dir(env.home().join(".codex")).unwrap();
    env.run(&["init", "--yes", "--agent", "codex"]).quietly();
    assert_found(
        &env,
        "warn",
        "hooks",
        "Codex skips hooks that you have not trusted",
    );
    let hooks = env.home().join(".codex/hooks.json");
    let state = format!(
        "[hooks.state.\"{}:session_start:0:0\"]\ntrusted_hash = \"sha256:0\"\n",
        hooks.display()
    );
    fs::write(env.home().join(".codex/config.toml"), state).unwrap();
    assert_eq!(examine(&env, &[]).code, Some(0));
}

#[test]
fn the_plug_in_of_claude_code_counts_and_the_home_folder_is_read_once() {
    let env = TestEnv::new();
    env.run(&["init", "--yes", "--agent", "codex"]).quietly();
    fs::remove_dir_all(env.home().join(".codex")).unwrap();
    let settings = env.home().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(
        &settings,
        "{\"enabledPlugins\": {\"boardsync@boardsync\": true}}\n",
    )
    .unwrap();
    let said = env.run(&["doctor"]).quietly().out;
    assert!(said.contains("Claude Code calls boardsync"), "{said}");
    fs::write(&settings, "{ // mine\n}\n").unwrap();
    let mut command = env.command(&["doctor"]);
    let said: Said = command.current_dir(env.home()).output().unwrap().into();
    assert_eq!(said.out.matches("has comments").count(), 1, "{}", said.out);
}

#[test]
fn copies_that_no_update_joins_are_said_to_wait_for_a_person() {
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    let copy = |name: &str, bytes: &str| {
        let name = format!("_active-sessions ({name}).md");
        std::fs::write(env.board().with_file_name(name), bytes).unwrap();
    };
    copy("1", &board_of(""));
    copy("2", &format!("{}{}", board_of(""), "x".repeat(1 << 20)));
    copy("3", "somebody's note\n");
    let said = env.run(&["doctor"]).out;
    let lines: Vec<&str> = said
        .lines()
        .filter(|it| it.contains("conflict-copies"))
        .collect();
    let has = |name: &str, word: &str| {
        let name = format!("({name}).md");
        lines
            .iter()
            .any(|line| line.contains(&name) && line.contains(word))
    };
    assert!(has("1", "the next update joins them"), "{said}");
    assert!(has("2", "which no update joins"), "{said}");
    assert!(has("3", "not a board"), "{said}");
    assert_eq!(lines.len(), 3, "{said}");
}

#[test]
fn a_folder_full_of_siblings_is_a_few_lines() {
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    for number in 0..2_000 {
        let name = format!("_active-sessions of mine {number}.md");
        std::fs::write(env.board().with_file_name(name), board_of("")).unwrap();
    }
    let said = env.run(&["doctor"]).out;
    assert!(said.contains("only 300 were looked at"), "{said}");
    assert!(said.lines().count() < 50, "{said}");
}
