//! `init --agent` sets up each agent in its own way, and undoes it byte for byte.

use crate::env::TestEnv;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Each agent, and a file that it is set up in.
const AGENTS: [(&str, &str); 10] = [
    ("claude-code", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("qwen", ".qwen/settings.json"),
    ("copilot", ".copilot/hooks/boardsync.json"),
    ("cursor", ".cursor/hooks.json"),
    ("cline", ".cline/hooks/TaskStart"),
    ("opencode", ".config/opencode/plugin/boardsync.js"),
    ("pi", ".pi/agent/extensions/boardsync.ts"),
    ("goose", ".agents/plugins/boardsync/hooks/hooks.json"),
];

/// Finds a file of an agent: `XDG_CONFIG_HOME` is not `~/.config` here.
fn at(env: &TestEnv, file: &str) -> PathBuf {
    match file.strip_prefix(".config/") {
        Some(rest) => env.path("config").join(rest),
        None => env.home().join(file),
    }
}

/// Collects the files of the agents.
fn files(env: &TestEnv) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![env.home(), env.path("config")];
    folders.retain(|folder| folder.exists());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true if path == env.vault() || path == env.path("config/boardsync") => {}
                true => folders.push(path),
                false => {
                    let bytes = fs::read(&path).unwrap();
                    found.insert(path, bytes);
                }
            }
        }
    }
    found
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn init(env: &TestEnv, args: &[&str]) -> String {
    let args = [&["init", "--yes"], args].concat();
    env.run(&args).quietly().out
}

#[test]
fn each_agent_is_set_up_alone_and_leaves_no_file_behind() {
    let env = TestEnv::new();
    init(&env, &[]);
    init(&env, &["--agent", "claude-code", "--undo"]);
    for (agent, file) in AGENTS {
        let before = files(&env);
        init(&env, &["--agent", agent]);
        let text = fs::read_to_string(at(&env, file)).unwrap();
        assert!(
            text.contains(env!("CARGO_BIN_EXE_boardsync")),
            "{agent}: {text}"
        );
        let names_itself = text.contains(&format!("--agent {agent}"))
            || text.contains(&format!("\"--agent\", \"{agent}\""));
        assert!(names_itself || agent == "claude-code", "{agent}: {text}");
        let again = init(&env, &["--agent", agent]);
        assert_eq!(again, "nothing to do\n", "{agent}");
        init(&env, &["--agent", agent, "--undo"]);
        assert_eq!(files(&env), before, "{agent}");
    }
    assert!(env.board().exists(), "the board is no agent's");
}

#[test]
fn timeouts_are_in_the_unit_of_each_agent() {
    let env = TestEnv::new();
    let timeout = |agent: &str, file: &str, event: &str| {
        init(&env, &["--agent", agent]);
        let text = fs::read_to_string(at(&env, file)).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let hook = &value["hooks"][event][0];
        let inner = &hook["hooks"][0]["timeout"];
        if inner.is_null() {
            hook["timeoutSec"].clone()
        } else {
            inner.clone()
        }
    };
    assert_eq!(timeout("claude-code", AGENTS[0].1, "Stop"), 10);
    assert_eq!(timeout("codex", AGENTS[1].1, "SessionEnd"), 3);
    assert_eq!(timeout("gemini", AGENTS[2].1, "SessionEnd"), 10_000);
    assert_eq!(timeout("qwen", AGENTS[3].1, "Stop"), 10_000);
    assert_eq!(timeout("copilot", AGENTS[4].1, "SessionEnd"), 10);
}

#[test]
fn files_of_odd_shapes_come_back_byte_for_byte() {
    let shapes = [
        "",
        "{}",
        "\u{feff}{ }\n",
        "{\"a\":1,\"hooks\":{}}",
        "{\n\t\"z\": [1,  2],\n\t\"hooks\": {\n\t\t\"Stop\": [ ]\n\t}\n}",
        "{\r\n    \"version\": 1,\r\n    \"hooks\": {\r\n        \"stop\": [{\"command\": \"x\"}]\r\n    }\r\n}\r\n",
        "{\n  \"a\": \"\\u00e4\",\n\n\n  \"b\": 1.50\n}\n\n",
    ];
    for (agent, file) in AGENTS.iter().filter(|(_, file)| file.ends_with(".json")) {
        for shape in shapes {
            let env = TestEnv::new();
            write(&at(&env, file), shape);
            let before = files(&env);
            init(&env, &["--agent", agent]);
            init(&env, &["--agent", agent, "--only-start-and-end"]);
            assert_ne!(files(&env), before, "{agent}: {shape:?}");
            init(&env, &["--agent", agent, "--undo"]);
            assert_eq!(files(&env), before, "{agent}: {shape:?}");
        }
    }
}

#[test]
fn a_file_that_somebody_else_made_is_refused_and_nothing_is_done() {
    for (agent, file) in [AGENTS[6], AGENTS[7], AGENTS[8]] {
        let env = TestEnv::new();
        write(&at(&env, file), "mine\n");
        let before = files(&env);
        let said = env.run(&["init", "--yes", "--agent", agent]);
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains("boardsync did not make it"), "{said:?}");
        assert_eq!(files(&env), before, "{agent}");
        assert!(!env.board().exists(), "nor was anything else done");
    }
    let env = TestEnv::new();
    write(&env.home().join(".codex/hooks.json"), "{ // mine\n}\n");
    let said = env.run(&["init", "--yes", "--agent", "codex"]);
    assert!(said.err.contains("comments"), "{said:?}");
}

#[test]
fn the_agents_that_are_installed_are_found() {
    let env = TestEnv::new();
    for folder in [".codex", ".cursor", ".config/goose"] {
        fs::create_dir_all(at(&env, folder)).unwrap();
    }
    let planned = env.run(&["init", "--dry-run"]).quietly().out;
    for title in ["Codex", "Cursor", "goose"] {
        assert!(planned.contains(&format!("have {title} call")), "{planned}");
    }
    assert!(!planned.contains("Claude"), "{planned}");
    let said = env.run(&["init", "--dry-run", "--agent", "claude"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("claude-code, codex"), "{said:?}");
    let planned = |args: &[&str]| {
        let args = [&["init", "--dry-run", "--agent"], args].concat();
        env.run(&args).quietly().out
    };
    let together = planned(&["pi", "codex"]);
    assert_eq!(together, planned(&["pi", "--agent", "codex"]));
    assert!(
        together.contains("Codex") && together.contains("Pi"),
        "{together}"
    );
    assert!(!together.contains("goose"), "{together}");
}

#[test]
fn a_second_binary_says_which_one_it_replaces() {
    let env = TestEnv::new();
    init(&env, &["--agent", "codex"]);
    let file = env.home().join(".codex/hooks.json");
    let binary = env!("CARGO_BIN_EXE_boardsync");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace(binary, "/old/boardsync")).unwrap();
    let said = init(&env, &["--agent", "codex"]);
    assert!(said.contains("instead of `/old/boardsync`"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[cfg(unix)]
#[test]
fn programs_can_be_run_and_a_linked_folder_is_named_by_its_real_path() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let env = TestEnv::new();
    let real = env.home().join("dotfiles/cline");
    fs::create_dir_all(real.join("hooks")).unwrap();
    symlink("dotfiles/cline", env.home().join(".cline")).unwrap();
    let said = init(&env, &["--agent", "cline"]);
    let shown = format!("/.cline/hooks/TaskStart` leads there): `{}", real.display());
    assert!(said.contains(&shown), "{said}");
    let program = real.join("hooks/TaskStart");
    let mode = fs::metadata(&program).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
    let input = br#"{"hookName":"TaskStart","taskId":"t1","workspaceRoots":["/nowhere"]}"#;
    let said = env.feed(&mut env.command_of(program.to_str().unwrap()), input);
    assert_eq!((said.code, &*said.out), (Some(0), ""), "{said:?}");
}

#[cfg(unix)]
#[test]
fn links_in_a_vault_or_a_project_are_not_written_through() {
    use std::os::unix::fs::symlink;
    let outside = |env: &TestEnv| {
        let outside = env.path("outside");
        fs::write(&outside, "theirs\n").unwrap();
        outside
    };
    for name in [".gitignore", ".stignore", ".gitattributes"] {
        let env = TestEnv::new();
        let git = ["-C", env.vault().to_str().unwrap(), "init", "-q"].map(str::to_owned);
        assert!(env.command_of("git").args(git).status().unwrap().success());
        fs::create_dir(env.vault().join(".stfolder")).unwrap();
        let outside = outside(&env);
        symlink(&outside, env.vault().join(name)).unwrap();
        let said = env.run(&["init", "--yes", "--git"]);
        assert_eq!(said.code, Some(1), "{name}: {said:?}");
        assert!(said.err.contains("symbolic link"), "{name}: {said:?}");
        assert_eq!(fs::read_to_string(&outside).unwrap(), "theirs\n", "{name}");
        assert!(!env.board().exists(), "{name}: nor was anything else done");
    }
    for linked in ["file", "folder"] {
        let env = TestEnv::new();
        let repo = env.git_repo("app");
        let outside = env.path("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("settings.local.json"), "{}\n").unwrap();
        let claude = repo.join(".claude");
        if linked == "file" {
            fs::create_dir(&claude).unwrap();
            let target = outside.join("settings.local.json");
            symlink(target, claude.join("settings.local.json")).unwrap();
        } else {
            symlink(&outside, &claude).unwrap();
        }
        let mut command = env.command(&["init", "--project", "--yes"]);
        let said: crate::env::Said = command.current_dir(&repo).output().unwrap().into();
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains("symbolic link"), "{said:?}");
        let text = fs::read_to_string(outside.join("settings.local.json")).unwrap();
        assert_eq!(text, "{}\n");
    }
}

#[cfg(unix)]
#[test]
fn what_was_done_is_taken_back_if_a_file_cannot_be_written() {
    use std::os::unix::fs::PermissionsExt;
    if rustix::process::getuid().is_root() {
        // Root writes anywhere: a file in a folder's place stops it, too.
        let env = TestEnv::new();
        let before = files(&env);
        fs::create_dir_all(env.home().join(".codex")).unwrap();
        fs::create_dir_all(env.home().join(".pi/agent")).unwrap();
        fs::write(env.home().join(".pi/agent/extensions"), "").unwrap();
        let blocked = files(&env);
        let said = env.run(&["init", "--yes"]);
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains("everything else was undone"), "{said:?}");
        assert_eq!(files(&env), blocked);
        assert_eq!(before.len() + 1, blocked.len());
        assert!(!env.board().exists());
        return;
    }
    let env = TestEnv::new();
    let locked = env.home().join(".pi/agent");
    fs::create_dir_all(env.home().join(".codex")).unwrap();
    fs::create_dir_all(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o500)).unwrap();
    let before = files(&env);
    let said = env.run(&["init", "--yes"]);
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(said.err.contains("everything else was undone"), "{said:?}");
    assert_eq!(files(&env), before);
    assert!(!env.board().exists());
}

#[test]
fn a_vault_that_syncthing_shares_keeps_its_locks_to_itself() {
    let env = TestEnv::new();
    fs::create_dir(env.vault().join(".stfolder")).unwrap();
    let ignore = env.vault().join(".stignore");
    for before in [None, Some("*.tmp\r\n"), Some("x")] {
        if let Some(text) = before {
            fs::write(&ignore, text).unwrap();
        }
        let said = env.run(&["doctor"]).out;
        assert!(said.contains("Syncthing shares"), "{said}");
        init(&env, &[]);
        let text = fs::read_to_string(&ignore).unwrap();
        assert!(text.lines().any(|line| line == ".orchestrator"), "{text}");
        let said = env.run(&["doctor"]).out;
        assert!(said.contains("Syncthing ignores"), "{said}");
        init(&env, &["--undo"]);
        assert_eq!(fs::read_to_string(&ignore).ok().as_deref(), before);
    }
    fs::create_dir_all(env.orchestrator()).unwrap();
    let copy = "board.lock.sync-conflict-20260101-120000-ABCDEFG";
    fs::write(env.orchestrator().join(copy), "").unwrap();
    let said = env.run(&["doctor"]).out;
    assert!(said.contains("is synced between hosts"), "{said}");
}

#[test]
fn a_vault_that_the_repository_names_is_allowed_and_the_users_own_stays() {
    let env = TestEnv::new();
    let other = env.home().join("team");
    fs::create_dir(&other).unwrap();
    let repo = env.repo("app");
    let block = "# Session Config\n\nvault-integration: { enabled: true, vault-dir: ~/team }\n";
    fs::write(
        repo.join("CLAUDE.md"),
        format!("## Session Config\n\n{block}"),
    )
    .unwrap();
    let bare = |args: &[&str]| {
        let mut command = env.command(args);
        command.env_remove("BOARDSYNC_VAULT").current_dir(&repo);
        let said: crate::env::Said = command.output().unwrap().into();
        said
    };
    let mine = env.vault();
    let mut command = env.command(&["--vault", mine.to_str().unwrap(), "init", "--yes"]);
    command.env_remove("BOARDSYNC_VAULT");
    crate::env::Said::from(command.output().unwrap()).quietly();
    bare(&["--vault", other.to_str().unwrap(), "init", "--yes"]).quietly();
    let config = fs::read_to_string(env.path("config/boardsync/config.toml")).unwrap();
    assert!(
        config.contains(&format!("vault = \"{}\"", mine.display())),
        "{config}"
    );
    assert!(
        config.contains(&format!("vaults = [\"{}\"]", other.display())),
        "{config}"
    );
    let status = bare(&["lock", "status", "--json"]).quietly().json();
    let lock = other.join(".orchestrator/board.lock");
    assert_eq!(status["lockPath"].as_str(), lock.to_str());
}
