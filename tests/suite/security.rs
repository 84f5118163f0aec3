//! What others may plant in a vault: links, pipes, huge and lying records.

use crate::env::{Said, TestEnv, board_of, host_name, make_older};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const SECRET: &str = "a file elsewhere\n";

fn update(env: &TestEnv) -> Command {
    let repo = env.repo("app");
    let mut command = env.command(&["update", "--json", "--status", "in-progress", "--repo"]);
    command.arg(repo).env("BOARDSYNC_TIMEOUT_MS", "300");
    command
}

/// Runs an update that must end soon, without a panic, in one of the two codes.
fn ends(env: &TestEnv, what: &str) -> Said {
    let started = Instant::now();
    let mut child = update(env).spawn().unwrap();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(10) {
            child.kill().unwrap();
            panic!("{what}: it hangs");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let said = Said::from(child.wait_with_output().unwrap());
    assert!(matches!(said.code, Some(0 | 1)), "{what}: {said:?}");
    assert!(!said.err.contains("panicked"), "{what}: {}", said.err);
    said
}

/// Lists every path that an update opens.
fn opened(env: &TestEnv) -> Vec<PathBuf> {
    let beside = [
        "board.lock",
        "board.gate.lock",
        "board.latch.lock",
        "board.lock.acquire",
    ];
    let mut paths: Vec<_> = beside
        .iter()
        .map(|it| env.orchestrator().join(it))
        .collect();
    let repo = env.repo("app");
    paths.extend([
        env.orchestrator(),
        env.board(),
        env.board().parent().unwrap().to_owned(),
        repo.join(".orchestrator/session.lock"),
        repo.join(".orchestrator/metrics/events.jsonl"),
        repo.join(".git/HEAD"),
        repo.join("CLAUDE.md"),
        env.path("config/boardsync/config.toml"),
        env.path("peer-config/owner.yaml"),
    ]);
    paths
}

fn named(env: &TestEnv, path: &Path) -> String {
    let inside = path.strip_prefix(env.path("")).unwrap();
    inside.display().to_string()
}

fn parents(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
}

#[test]
fn a_link_at_any_path_leads_no_write_out_of_the_vault() {
    for at in 0..opened(&TestEnv::new()).len() {
        let env = TestEnv::new();
        let path = opened(&env)[at].clone();
        let what = named(&env, &path);
        parents(&path);
        let elsewhere = env.path("elsewhere");
        let folder = what.ends_with(".orchestrator") || what.ends_with("01-projects");
        if folder {
            std::fs::create_dir(&elsewhere).unwrap();
        } else {
            std::fs::write(&elsewhere, SECRET).unwrap();
        }
        symlink(&elsewhere, &path).unwrap();
        ends(&env, &what);
        if folder {
            let written = std::fs::read_dir(&elsewhere).unwrap().count();
            assert_eq!(written, 0, "{what}: written through a link");
        } else {
            let now = std::fs::read_to_string(&elsewhere).unwrap();
            assert_eq!(now, SECRET, "{what}: written through a link");
        }
        assert!(path.is_symlink(), "{what}: the link is gone");
    }
}

#[test]
fn a_pipe_at_any_path_hangs_nothing() {
    for at in 0..opened(&TestEnv::new()).len() {
        let env = TestEnv::new();
        let path = opened(&env)[at].clone();
        let what = named(&env, &path);
        parents(&path);
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        ends(&env, &what);
        assert!(path.symlink_metadata().is_ok(), "{what}: the pipe is gone");
    }
}

#[test]
fn a_huge_or_deep_record_is_no_record() {
    let huge = format!(r#"{{"pid": 1, "host": "{}"}}"#, "h".repeat(1 << 20));
    let deep = format!(
        r#"{{"pid": 1, "host": {}1{}}}"#,
        "[".repeat(9_000),
        "]".repeat(9_000)
    );
    for record in [huge, deep, "\u{0}".repeat(100)] {
        for name in ["board.lock", "board.lock.acquire"] {
            let env = TestEnv::new();
            let path = env.orchestrator().join(name);
            parents(&path);
            std::fs::write(&path, &record).unwrap();
            make_older(&path, Duration::from_secs(120));
            let said = ends(&env, name).quietly();
            assert_eq!(said.json()["lock"]["release"], "released", "{said:?}");
            env.assert_no_litter();
        }
    }
}

#[test]
fn a_pid_that_a_record_claims_is_never_signalled() {
    let me = i64::from(std::process::id());
    for pid in [1, 0, -1, -me, i64::MAX, i64::MIN, 1 << 32 | 1] {
        for name in ["board.lock", "board.lock.acquire"] {
            let env = TestEnv::new();
            let path = env.orchestrator().join(name);
            parents(&path);
            let record = format!(r#"{{"pid": {pid}, "host": "{}"}}"#, host_name());
            std::fs::write(&path, record).unwrap();
            make_older(&path, Duration::from_secs(120));
            let said = ends(&env, &format!("{name} of {pid}"));
            assert_eq!(said.json()["action"], "written", "{pid}: {said:?}");
            assert!(env.read_board().contains("| app |"));
        }
    }
}

/// Colours, a title, a link, a bell, a carriage return, C1, bidirectional marks.
const ESCAPES: &str = "\u{1b}[31m\u{1b}]0;t\u{7}\u{1b}]8;;http://x\u{7}\r\u{9b}2J\u{202e}\u{2066}";

fn assert_harmless(text: &str, what: &str) {
    let acted_on =
        |c: &char| c.is_control() && !"\n\t".contains(*c) || "\u{202e}\u{2066}\u{9b}".contains(*c);
    let found: Vec<char> = text.chars().filter(acted_on).collect();
    assert!(found.is_empty(), "{what} prints {found:?}: {text:?}");
}

#[test]
fn nothing_that_a_terminal_acts_on_is_printed() {
    let env = TestEnv::new();
    let fields = ["acquiredAt", "holder", "cmd", "writer", "token", "gate"];
    let mut record = serde_json::json!({ "pid": 7, "host": format!("laptop{ESCAPES}") });
    for field in fields {
        record[field] = ESCAPES.into();
    }
    env.plant_lock(&record.to_string(), Duration::ZERO);
    let cell = ESCAPES.replace('\r', "");
    env.write_board(&board_of(&format!(
        "| a{cell} | in-progress{cell} | {cell} | {cell} | {cell} | {cell} | 1f2e3d4c |\n"
    )));
    for json in [true, false] {
        let mut command = update(&env);
        command.arg("--session").arg(ESCAPES);
        if !json {
            command.arg("--verbose");
        }
        let said = Said::from(command.output().unwrap());
        assert!(said.err.contains("timeout"), "{said:?}");
        assert_harmless(&said.err, "the warning");
    }
    // A clone may bring a ledger, a Session Config, and a branch.
    let repo = env.repo("app");
    let event = serde_json::json!({
        "timestamp": "2026-11-30T06:00:00.000Z", "event": "orchestrator.vault.board_written",
        "action": ESCAPES, "lock": {"locked": false, "reason": ESCAPES, "waited_ms": 1},
    });
    let ledger = repo.join(".orchestrator/metrics/events.jsonl");
    parents(&ledger);

    std::fs::write(&ledger, format!("{event}\n")).unwrap();
    std::fs::write(
        repo.join("CLAUDE.md"),
        format!("vault-integration: {{ enabled: true, vault-dir: '{ESCAPES}' }}\n"),
    )
    .unwrap();
    std::fs::create_dir_all(repo.join(".git")).unwrap();
    std::fs::write(
        repo.join(".git/HEAD"),
        format!("ref: refs/heads/{ESCAPES}\n"),
    )
    .unwrap();
    // Siblings of the board, and what crashes left.
    let cell = cell.replace('/', "");
    for name in [
        "_active-sessions {}.md",
        "_active-sessions (1){}.md",
        "_active-sessions.md{} 2",
    ] {
        let name = name.replace("{}", &cell);
        std::fs::write(env.board().with_file_name(name), board_of("")).unwrap();
    }
    let kept = format!("board.{}.{cell}.kept.md", "0".repeat(32));
    std::fs::write(env.orchestrator().join(kept), "").unwrap();
    for args in [
        &["show"][..],
        &["show", "--json"],
        &["status"],
        &["lock", "status"],
        &["lock", "reclaim"],
        &["ledger"],
        &["ledger", "--json"],
        &["doctor"],
        &["doctor", "--json"],
        &["sweep", "--root", ".."],
        &["update", "--repo", "."],
        &["close", "--repo", ".", "--verbose"],
        &["prune", "--closed-older-than", "1d", "--dry-run"],
        &["merge", "--resolve"],
        &[
            "row",
            "get",
            "--board",
            "01-projects/_active-sessions.md",
            "--key",
            "Key=1f2e3d4c",
        ],
        &["init", "--dry-run"],
        &["completions", "bash"],
        &["lock", "status", "--json"],
    ] {
        for is_named in [true, false] {
            let mut command = env.command(args);
            command.current_dir(&repo).env("BOARDSYNC_TIMEOUT_MS", "20");
            if !is_named {
                command.env_remove("BOARDSYNC_VAULT");
            }
            let said = Said::from(command.output().unwrap());
            assert_ne!(said.code, Some(2), "{args:?}: {said:?}");
            assert_harmless(&said.out, &args.join(" "));
            assert_harmless(&said.err, &args.join(" "));
        }
    }
}

#[test]
fn doctor_tries_nothing_at_the_end_of_a_link() {
    use std::os::unix::fs::MetadataExt;
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    let elsewhere = env.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, env.orchestrator()).unwrap();
    let changed = || {
        let meta = elsewhere.metadata().unwrap();
        (meta.ctime(), meta.ctime_nsec())
    };
    let before = changed();
    let said = env.run(&["doctor"]);
    assert_eq!(changed(), before, "{said:?}");
    assert!(said.out.contains("symbolic link"), "{said:?}");
}

#[cfg(feature = "failpoints")]
#[test]
fn nothing_beside_the_board_is_wider_open_than_the_board() {
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(env.board(), private).unwrap();
    for point in [
        "record.write.after",
        "lock.publish.after",
        "guard.write.after",
        "board.create.after",
        "board.write.after",
        "board.stage.after",
        "board.exchange.after",
    ] {
        let writer = env.park_along(&[point], update(&env));
        for name in env.beside_the_lock() {
            let path = env.orchestrator().join(&name);
            let mode = path.metadata().unwrap().permissions().mode() & 0o777;
            assert!(mode & 0o077 == 0, "{name} is {mode:o} at {point}");
        }
        writer.go().quietly();
        let mode = env.board().metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "the board after {point}");
    }
}
