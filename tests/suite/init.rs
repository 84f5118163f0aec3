//! `init` sets up hooks, board and ignored files, once, and takes them away again.

use crate::env::{Said, TestEnv};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Collects every file below a folder with its bytes, but for what must stay.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name == ".orchestrator" || name == ".git" {
                continue;
            }
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                found.push((path, bytes));
            }
        }
    }
    found.sort();
    found
}

fn settings(env: &TestEnv) -> PathBuf {
    env.home().join(".claude/settings.json")
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn run(mut command: Command) -> Said {
    command.output().unwrap().into()
}

#[test]
fn it_sets_up_once_and_the_hooks_name_this_binary() {
    let env = TestEnv::new();
    let said = env.run(&["init", "--yes"]).quietly();
    for part in [
        "make an empty board",
        "SessionStart, UserPromptSubmit, Notification, Stop, SessionEnd",
        "done:",
    ] {
        assert!(said.out.contains(part), "{part} is not in {}", said.out);
    }
    let hooks = &json(&settings(&env))["hooks"];
    let command = format!("{} hook", env!("CARGO_BIN_EXE_boardsync"));
    for event in [
        "SessionStart",
        "UserPromptSubmit",
        "Notification",
        "Stop",
        "SessionEnd",
    ] {
        let hook = &hooks[event][0]["hooks"][0];
        assert_eq!(hook["command"], command);
        assert_eq!(hook["timeout"], 10);
        assert_eq!(hook["type"], "command");
    }
    assert_eq!(
        hooks["SessionStart"][0]["matcher"],
        "startup|resume|clear|compact|fork"
    );
    assert!(
        env.read_board()
            .ends_with("|---|---|---|---|---|---|---|\n")
    );
    env.assert_no_litter();

    let before = files(&env.path(""));
    assert_eq!(env.run(&["init", "--yes"]).quietly().out, "nothing to do\n");
    assert_eq!(files(&env.path("")), before);
    env.run(&["init", "--yes", "--only-start-and-end"])
        .quietly();
    let hooks = &json(&settings(&env))["hooks"];
    assert!(hooks["SessionEnd"].is_array() && hooks.get("Stop").is_none());
}

#[test]
fn undo_gives_every_file_back_byte_for_byte() {
    let texts = [
        "",
        "{}",
        "{\"model\":\"x\",\"hooks\":{\"Stop\":[]}}",
        "{\n\t\"z\": [1,  2],\n\t\"a\": {}\n}\n",
        "{\r\n    \"hooks\": {\r\n        \"SessionStart\": []\r\n    }\r\n}\r\n",
        "\u{feff}{ }\n",
    ];
    for text in texts {
        let env = TestEnv::new();
        write(&settings(&env), text);
        write(&env.vault().join(".gitignore"), ".obsidian/workspace*\r\nx");
        let before = files(&env.path(""));
        env.run(&["init", "--yes"]).quietly();
        env.run(&["init", "--yes", "--only-start-and-end"])
            .quietly();
        assert_ne!(files(&env.path("")), before);
        let said = env.run(&["init", "--undo", "--yes"]).quietly();
        assert!(
            said.out.contains("remove the board, which has no rows"),
            "{}",
            said.out
        );
        assert_eq!(files(&env.path("")), before, "{text:?}");
        let again = env.run(&["init", "--undo", "--yes"]).quietly();
        assert_eq!(again.out, "nothing to do\n");
    }
}

#[test]
fn undo_leaves_no_file_that_was_not_there() {
    let env = TestEnv::new();
    fs::create_dir_all(env.vault().join(".git")).unwrap();
    env.run(&["init", "--yes"]).quietly();
    assert_eq!(files(&env.path("")).len(), 3, "settings, board, .gitignore");
    env.run(&["init", "--undo", "--yes"]).quietly();
    assert_eq!(files(&env.path("")), []);
    assert!(!env.home().join(".claude").exists());
    let left = fs::read_dir(env.vault()).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".git"]);
}

#[test]
fn undo_keeps_what_came_meanwhile() {
    let env = TestEnv::new();
    write(&settings(&env), "{\n  \"a\": 1\n}\n");
    env.run(&["init", "--yes"]).quietly();
    let text = fs::read_to_string(settings(&env)).unwrap();
    fs::write(settings(&env), text.replace("\"a\": 1", "\"a\": 2")).unwrap();
    env.update("app", "in-progress").quietly();
    env.run(&["init", "--undo", "--yes"]).quietly();
    let text = fs::read_to_string(settings(&env)).unwrap();
    assert_eq!(text, "{\n  \"a\": 2\n}\n");
    assert!(
        env.read_board().contains("| app |"),
        "a board with rows stays"
    );
}

#[test]
fn without_a_terminal_it_shows_the_plan_and_asks_for_yes() {
    let env = TestEnv::new();
    let said = env.run(&["init"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("make an empty board"), "{said:?}");
    assert!(said.err.contains("--yes"), "{said:?}");
    assert_eq!(files(&env.path("")), []);
}

#[test]
fn a_dry_run_shows_and_does_nothing() {
    let env = TestEnv::new();
    let said = env.run(&["init", "--dry-run", "--json"]).quietly().json();
    assert_eq!(said["action"], "dry-run");
    let ids: Vec<_> = said["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["id"])
        .collect();
    assert_eq!(ids, ["board", "hooks"]);
    assert_eq!(files(&env.path("")), []);
    assert!(!env.orchestrator().exists());
}

#[test]
fn settings_that_are_not_understood_stop_everything_before_it_begins() {
    for (text, fault) in [
        ("{ // mine\n}", "not valid JSON, or has comments"),
        ("{\"hooks\": [1]}", "`hooks` that are not an object"),
    ] {
        let env = TestEnv::new();
        write(&settings(&env), text);
        let said = env.run(&["init", "--yes"]);
        assert_eq!(said.code, Some(1), "{said:?}");
        let path = settings(&env).display().to_string();
        for part in [fault, &path, "add {\"hooks\":{\"Notification\"", "by hand"] {
            assert!(said.err.contains(part), "{part} is not in {}", said.err);
        }
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
        assert_eq!(fs::read_to_string(settings(&env)).unwrap(), text);
        assert!(!env.board().exists(), "nor was anything else done");
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_mode_stays_a_mode() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let env = TestEnv::new();
    let real = env.home().join("dotfiles/settings.json");
    write(&real, "{\n  \"a\": 1\n}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    fs::create_dir_all(env.home().join(".claude")).unwrap();
    symlink("../dotfiles/settings.json", settings(&env)).unwrap();
    env.run(&["init", "--yes"]).quietly();
    assert!(settings(&env).is_symlink());
    assert!(json(&real)["hooks"]["SessionStart"].is_array());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&real), 0o600);
    let backup = env.home().join("dotfiles/settings.json.before-boardsync");
    assert_eq!(mode(&backup), 0o600, "what was private is so in the backup");
    env.run(&["init", "--undo", "--yes"]).quietly();
    assert_eq!(fs::read_to_string(&real).unwrap(), "{\n  \"a\": 1\n}\n");
    assert!(!backup.exists());
}

#[test]
fn a_project_has_settings_of_its_own() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    fs::create_dir_all(repo.join(".git")).unwrap();
    fs::create_dir_all(repo.join("deep")).unwrap();
    let mut command = env.command(&["init", "--project", "--yes"]);
    command.current_dir(repo.join("deep"));
    run(command).quietly();
    assert!(json(&repo.join(".claude/settings.local.json"))["hooks"].is_object());
    assert!(!repo.join(".claude/settings.json").exists() && !settings(&env).exists());

    // What the user set up for all repositories is not the project's.
    env.run(&["init", "--yes"]).quietly();
    let before = files(&env.home());
    let mut command = env.command(&["init", "--project", "--undo", "--yes"]);
    command.current_dir(&repo);
    run(command).quietly();
    assert_eq!(files(&env.home()), before);
    assert!(!repo.join(".claude").exists());
}

#[test]
fn a_vault_that_was_named_is_remembered() {
    let env = TestEnv::new();
    let vault = env.vault();
    let vault = vault.to_str().unwrap();
    let bare = |args: &[&str]| {
        let mut command = env.command(args);
        command.env_remove("BOARDSYNC_VAULT");
        run(command)
    };
    bare(&["--vault", vault, "init", "--yes"]).quietly();
    let config = env.path("config/boardsync/config.toml");
    let text = fs::read_to_string(&config).unwrap();
    assert!(text.contains(&format!("vault = \"{vault}\"")), "{text}");
    let status = bare(&["lock", "status", "--json"]).quietly().json();
    assert_eq!(status["lockPath"].as_str(), env.lock().to_str());
    assert_eq!(
        bare(&["--vault", vault, "init", "--yes"]).quietly().out,
        "nothing to do\n"
    );
    bare(&["init", "--undo", "--yes"]).quietly();
    assert_eq!(files(&env.path("")), []);
}

#[test]
fn a_vault_that_hooks_would_not_find_is_refused() {
    let env = TestEnv::new();
    let elsewhere = env.path("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    let elsewhere = elsewhere.to_str().unwrap();
    let said = env.run(&["--vault", elsewhere, "init", "--yes"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.err.contains("which `BOARDSYNC_VAULT` names"),
        "{}",
        said.err
    );
    assert_eq!(files(&env.path("")), []);
}

#[test]
fn a_vault_outside_the_home_folder_is_remembered_if_the_user_names_it() {
    let env = TestEnv::new();
    let elsewhere = env.path("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    let bare = |args: &[&str]| {
        let mut command = env.command(args);
        command.env_remove("BOARDSYNC_VAULT");
        run(command).quietly()
    };
    bare(&["--vault", elsewhere.to_str().unwrap(), "init", "--yes"]);
    let status = bare(&["lock", "status", "--json"]).json();
    let lock = elsewhere.join(".orchestrator/board.lock");
    assert_eq!(status["lockPath"].as_str(), lock.to_str());
}

#[test]
fn the_default_vault_is_made_only_when_it_is_agreed_to() {
    let env = TestEnv::new();
    let bare = |args: &[&str]| {
        let mut command = env.command(args);
        command.env_remove("BOARDSYNC_VAULT");
        run(command)
    };
    bare(&["init", "--dry-run"]).quietly();
    assert!(!env.path("data").exists());
    bare(&["init", "--yes"]).quietly();
    let board = env.path("data/boardsync/vault/01-projects/_active-sessions.md");
    assert!(board.exists());
    bare(&["init", "--undo", "--yes"]).quietly();
    assert!(!env.path("data/boardsync").exists());
}

#[test]
fn without_a_repository_the_merge_driver_stops_everything_before_it_begins() {
    let env = TestEnv::new();
    let said = env.run(&["init", "--git", "--yes"]);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""));
    assert!(said.err.contains("run `git init`"), "{}", said.err);
    assert_eq!(files(&env.path("")), []);
}

#[test]
fn git_and_hosts_are_set_up_on_demand() {
    let env = TestEnv::new();
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.env("HOME", env.home()).arg("-C").arg(env.vault());
        git.args(args).output().unwrap()
    };
    git(&["init", "-q"]);
    let driver = || {
        git(&["config", "--get", "merge.boardsync.driver"])
            .status
            .success()
    };
    let before = files(&env.path(""));
    env.run(&["init", "--git", "--shared", "--yes"]).quietly();
    assert!(env.read_board().contains("| Key | Host |"));
    assert!(driver() && env.vault().join(".gitattributes").exists());
    let again = env.run(&["init", "--git", "--shared", "--yes"]).quietly();
    assert_eq!(again.out, "nothing to do\n");
    env.run(&["init", "--undo", "--yes"]).quietly();
    assert!(!driver());
    assert_eq!(files(&env.path("")), before);
}

#[cfg(feature = "failpoints")]
#[test]
fn a_board_that_a_session_fills_meanwhile_stays() {
    let env = TestEnv::new();
    env.run(&["init", "--yes"]).quietly();
    let undo = env.park("gate.open.before", &["init", "--undo", "--yes"]);
    env.update("app", "in-progress").quietly();
    undo.go().quietly();
    assert!(env.read_board().contains("| app | in-progress |"));
}

/// Sets up Claude Code in a home that is empty but for the vault, and gives the
/// command that undoes it.
fn set_up_in_a_bare_home(env: &TestEnv, args: &[&str]) -> impl Fn(&[&str]) -> Said {
    let home = env.home();
    let of_home = move |env: &TestEnv, args: &[&str]| {
        let mut command = env.command(args);
        for name in ["CONFIG", "DATA", "STATE"] {
            command.env_remove(format!("XDG_{name}_HOME"));
        }
        command.env_remove("BOARDSYNC_VAULT").env("HOME", &home);
        Said::from(command.output().unwrap())
    };
    of_home(
        env,
        &[args, &["init", "--agent", "claude-code", "--yes"]].concat(),
    )
    .quietly();
    move |args| of_home(env, args)
}

#[test]
fn undo_removes_the_set_up_wherever_it_is_called_and_leaves_no_empty_folder() {
    let env = TestEnv::new();
    let vault = env.vault();
    let named = ["--vault", vault.to_str().unwrap()];
    for (args, is_gone) in [(&named[..], false), (&named, true), (&[], false)] {
        let run = set_up_in_a_bare_home(&env, args);
        // The folder of all commands is a repository that has disabled its vault.
        let project = env.path("CLAUDE.md");
        write(
            &project,
            "## Session Config\n\nvault-integration:\n  enabled: false\n",
        );
        if is_gone {
            fs::remove_dir_all(env.vault()).unwrap();
        }
        let said = run(&["init", "--undo", "--yes"]);
        assert_eq!((said.code, &*said.err), (Some(0), ""), "{args:?} {is_gone}");
        fs::remove_file(project).unwrap();
        fs::create_dir_all(env.vault()).unwrap();
        let left = fs::read_dir(env.home())
            .unwrap()
            .map(|it| it.unwrap().file_name());
        assert_eq!(left.collect::<Vec<_>>(), ["vault"], "{args:?} {is_gone}");
        assert_eq!(fs::read_dir(env.vault()).unwrap().count(), 0, "{args:?}");
        let said = run(&["show"]);
        assert!(said.err.contains("`boardsync init`"), "{said:?}");
    }
}
