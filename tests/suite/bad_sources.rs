//! Broken sources cost an update their own part of the row, and nothing else:
//! one clear line, no crash, no hang, and a board that is whole.

use crate::env::{Said, TestEnv, board_of, wait_until};
use std::path::{Path, PathBuf};
use std::process::Command;

const OTHER: &str = "| other | closed | s | main | deep | 2026-11-30T01:00:00.000Z | 00000000 |\n";
const NOW: &str = "2026-11-30T07:00:00.000Z";

/// Makes a vault with a board of one row, and a repository without a session.
fn board_and_repo() -> (TestEnv, PathBuf) {
    let env = TestEnv::new();
    env.write_board(&board_of(OTHER));
    let repo = env.repo("app");
    std::fs::create_dir_all(repo.join(".orchestrator")).unwrap();
    (env, repo)
}

/// Runs a command that must come to its own end.
fn finish(mut command: Command) -> Said {
    let mut child = command.spawn().unwrap();
    wait_until("the update ends", || child.try_wait().unwrap().is_some());
    child.wait_with_output().unwrap().into()
}

fn update(env: &TestEnv, repo: &Path) -> Said {
    let mut command = env.command(&["update", "--json", "--repo", repo.to_str().unwrap()]);
    command.env("BOARDSYNC_NOW", NOW);
    finish(command)
}

/// Asserts that the board holds the other row and this one of the repository.
fn assert_row(env: &TestEnv, row: &str) {
    let board = env.read_board();
    let (head, table) = board.split_at(board.find("| Repo |").unwrap());
    assert!(head.starts_with("---\n_generator:"), "{board}");
    let rows: Vec<&str> = table.lines().skip(2).collect();
    assert_eq!(rows.len(), 2, "{board}");
    assert!(rows[0].starts_with(row), "{board}");
    assert_eq!(format!("{}\n", rows[1]), OTHER);
    env.assert_no_litter();
}

fn assert_one_warning(said: &Said, parts: &[&str]) {
    assert_eq!(said.err.lines().count(), 1, "{said:?}");
    for part in parts {
        assert!(said.err.contains(part), "`{part}` is not in {said:?}");
    }
}

#[test]
fn a_broken_session_lock_counts_as_absent_and_is_told_of() {
    let valid = r#""session_id":"s","started_at":"2026-11-30T06:00:00Z","mode":"deep","host":"h""#;
    for (what, text) in [
        ("empty", String::new()),
        ("truncated", format!("{{{valid}")),
        ("no JSON", "session = 1\n".to_owned()),
        ("an array", "[]".to_owned()),
        (
            "a pid in words",
            format!(r#"{{{valid},"pid":"1","ttl_hours":4}}"#),
        ),
        (
            "a ttl of null",
            format!(r#"{{{valid},"pid":1,"ttl_hours":null}}"#),
        ),
        ("no ttl", format!(r#"{{{valid},"pid":1}}"#)),
        (
            "10 MB",
            format!(
                r#"{{{valid},"pid":1,"ttl_hours":4,"x":"{}"}}"#,
                "x".repeat(10 << 20)
            ),
        ),
        ("deep", "[".repeat(60_000)),
    ] {
        let (env, repo) = board_and_repo();
        std::fs::write(repo.join(".orchestrator/session.lock"), text).unwrap();
        let said = update(&env, &repo);
        assert_eq!(said.code, Some(0), "{what}: {said:?}");
        assert_eq!(said.json()["action"], "written", "{what}");
        assert_one_warning(&said, &["session.lock", "counts as absent", "remove it"]);
        assert_row(&env, "| app | frei | — | — | — | — |");
    }
}

#[test]
fn a_session_lock_with_odd_times_is_never_alive_by_mistake() {
    for (heartbeat, ttl, status) in [
        ("yesterday", "4", "force-closed"),
        ("2026-11-30T06:00:00Z", "-1", "force-closed"),
        ("2026-11-30T06:00:00Z", "1e308", "in-progress"),
        ("9999-12-31T23:59:59Z", "4", "force-closed"),
    ] {
        let (env, repo) = board_and_repo();
        let lock = format!(
            r#"{{"session_id":"s","started_at":"x","last_heartbeat":"{heartbeat}","mode":"deep","host":"h","pid":1,"ttl_hours":{ttl}}}"#
        );
        std::fs::write(repo.join(".orchestrator/session.lock"), lock).unwrap();
        let said = update(&env, &repo).quietly();
        assert_eq!(said.json()["action"], "written", "{heartbeat} {ttl}");
        assert_row(
            &env,
            &format!("| app | {status} | s | — | deep | {heartbeat} |"),
        );
    }
}

#[cfg(unix)]
#[test]
fn a_fifo_or_a_folder_in_the_place_of_the_session_lock_is_not_waited_for() {
    for what in ["mkfifo", "mkdir"] {
        let (env, repo) = board_and_repo();
        let lock = repo.join(".orchestrator/session.lock");
        assert!(Command::new(what).arg(&lock).status().unwrap().success());
        let said = update(&env, &repo);
        assert_eq!(said.code, Some(0), "{what}: {said:?}");
        assert_one_warning(
            &said,
            &["session.lock", "not a regular file", "counts as absent"],
        );
        assert_row(&env, "| app | frei | — | — | — | — |");
    }
}

#[test]
fn the_right_entry_is_found_in_a_registry_of_10_000_and_garbage() {
    let (env, repo) = board_and_repo();
    let active = env.path("peer-config/sessions/active");
    std::fs::create_dir_all(active.join("folder.json")).unwrap();
    let entry = |id: &str, hash: &str| {
        format!(
            r#"{{"session_id":"{id}","started_at":"{NOW}","last_heartbeat":"{NOW}","mode":"deep","branch":"main","repo_path_hash":"{hash}"}}"#
        )
    };
    for index in 0..10_000 {
        let text = entry(&format!("s{index}"), &format!("{index:064x}"));
        std::fs::write(active.join(format!("s{index}.json")), text).unwrap();
    }
    let hash = boardsync::internals::session::Repo::at(&repo, Path::new("/")).hash;
    let garbage: [(&str, Vec<u8>); 5] = [
        ("empty.json", Vec::new()),
        (
            "truncated.json",
            entry("mine", &hash).into_bytes()[..120].to_vec(),
        ),
        ("binary.json", vec![0xff; 5_000]),
        (
            "types.json",
            format!(r#"{{"session_id":1,"repo_path_hash":"{hash}"}}"#).into_bytes(),
        ),
        ("huge.json", vec![b' '; 10 << 20]),
    ];
    for (name, bytes) in garbage {
        std::fs::write(active.join(name), bytes).unwrap();
    }
    #[cfg(unix)]
    {
        let mkfifo = Command::new("mkfifo")
            .arg(active.join("fifo.json"))
            .status();
        assert!(mkfifo.unwrap().success());
        std::os::unix::fs::symlink("loop.json", active.join("loop.json")).unwrap();
    }
    std::fs::write(active.join("mine.json"), entry("mine", &hash)).unwrap();
    update(&env, &repo).quietly();
    assert_row(
        &env,
        &format!("| app | in-progress | mine | main | deep | {NOW} |"),
    );

    let mut sweep = env.command(&["sweep", "--json", "--root"]);
    sweep.arg(env.path("src")).env("BOARDSYNC_NOW", NOW);
    let said = finish(sweep).quietly().json();
    assert_eq!(said["rows"], 2, "{said}");
}

#[test]
fn a_registry_that_is_a_file_has_nothing_to_say() {
    let (env, repo) = board_and_repo();
    std::fs::create_dir_all(env.path("peer-config/sessions")).unwrap();
    std::fs::write(env.path("peer-config/sessions/active"), "x").unwrap();
    update(&env, &repo).quietly();
    assert_row(&env, "| app | frei | — | — | — | — |");
}

/// Runs an update that finds its vault by the repository's configuration.
fn update_by_config(env: &TestEnv, repo: &Path, config: &[u8]) -> Said {
    std::fs::write(repo.join("CLAUDE.md"), config).unwrap();
    let mut command = env.command(&["update", "--json", "--repo", repo.to_str().unwrap()]);
    command
        .env("BOARDSYNC_NOW", NOW)
        .env_remove("BOARDSYNC_VAULT");
    finish(command)
}

#[test]
fn a_config_file_that_is_not_utf_8_is_read_around_the_wrong_bytes() {
    let (env, repo) = board_and_repo();
    let mut config = b"# caf\xe9\nvault-integration:\n  enabled: true\n".to_vec();
    config.extend_from_slice(b"  vault-dir: ~/vault\n\n\xff\xfe\xc3\x28\n");
    update_by_config(&env, &repo, &config).quietly();
    assert_row(&env, "| app | frei | — | — | — | — |");
}

#[test]
fn a_vault_dir_that_names_no_folder_under_home_is_refused_with_the_remedy() {
    for (dir, part) in [
        ("~somebody/vault", "another user's"),
        ("vault", "relative path"),
        ("./vault", "relative path"),
        ("../home/vault", "relative path"),
        ("~/../vault", "outside the home folder"),
        ("/", "outside the home folder"),
        ("~", "home folder itself"),
        ("~/.", "home folder itself"),
    ] {
        let (env, repo) = board_and_repo();
        let before = env.read_board();
        let config = format!("vault-integration:\n  enabled: true\n  vault-dir: {dir}\n");
        let said = update_by_config(&env, &repo, config.as_bytes())
            .quietly()
            .json();
        assert_eq!(said["action"], "skipped-vault-disabled", "{dir}: {said}");
        let note = said["note"].as_str().unwrap();
        for part in [part, "CLAUDE.md", &format!("(`{dir}`)"), "; "] {
            assert!(note.contains(part), "{dir}: `{part}` is not in {note}");
        }
        assert!(!note.contains('\n'), "{note}");
        assert_eq!(env.read_board(), before, "{dir}");
        let mut inside: Vec<_> = std::fs::read_dir(&repo).unwrap().flatten().collect();
        inside.retain(|entry| !entry.file_name().to_string_lossy().starts_with(['.', 'C']));
        assert!(
            inside.is_empty(),
            "{dir}: nothing is made below the repository: {inside:?}"
        );
        assert!(!env.path("data").exists(), "{dir}: nor a default vault");
    }
}
