//! The promises of an update, kept by the real binary.

use crate::env::{TestEnv, board_of, host_name, time};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const PROCESSES: usize = 16;
const UPDATES: usize = 25;

/// Keeps the loads of two tests apart: a timeout of 5 s is meant for 16 writers.
static ONE_LOAD: Mutex<()> = Mutex::new(());

/// Runs 16 writers of one row each, 25 updates each, and gives what they said.
fn run_writers(env: &TestEnv, variables: &[(&str, &str)]) -> Vec<serde_json::Value> {
    let _alone = ONE_LOAD.lock().unwrap_or_else(PoisonError::into_inner);
    let writer = |name: String| {
        let repo = env.repo(&name);
        (0..UPDATES)
            .map(|index| {
                let heartbeat = time(index);
                let repo = repo.to_str().unwrap();
                let said = env
                    .command(&[
                        "update",
                        "--json",
                        "--repo",
                        repo,
                        "--status",
                        "in-progress",
                    ])
                    .args(["--session", &format!("s{index}"), "--heartbeat", &heartbeat])
                    .envs(variables.iter().copied())
                    .output()
                    .map(crate::env::Said::from)
                    .unwrap();
                assert_eq!(said.code, Some(0), "{said:?}");
                assert_eq!(said.json()["action"], "written", "{said:?}");
                said.json()
            })
            .collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..PROCESSES)
            .map(|index| scope.spawn(move || writer(format!("repo-{index:02}"))))
            .collect();
        writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap())
            .collect()
    })
}

/// Asserts that each writer's last update is in the board.
fn assert_nothing_lost(env: &TestEnv) {
    let board = env.read_board();
    let last = time(UPDATES - 1);
    let missing: Vec<String> = (0..PROCESSES)
        .map(|index| {
            format!(
                "| repo-{index:02} | in-progress | s{} | — | — | {last} |",
                UPDATES - 1
            )
        })
        .filter(|row| !board.contains(row))
        .collect();
    assert!(missing.is_empty(), "lost: {missing:#?} of\n{board}");
    assert_eq!(
        board
            .lines()
            .filter(|line| line.starts_with("| repo-"))
            .count(),
        PROCESSES
    );
    env.assert_no_litter();
}

fn count(said: &[serde_json::Value], is_so: impl Fn(&serde_json::Value) -> bool) -> usize {
    said.iter().filter(|said| is_so(said)).count()
}

#[test]
fn sixteen_writers_lose_nothing_and_all_are_locked() {
    let env = TestEnv::new();
    let said = run_writers(&env, &[]);
    assert_nothing_lost(&env);
    assert_eq!(
        count(&said, |said| said["lock"]["locked"] != true),
        0,
        "none unlocked"
    );
    assert_eq!(
        count(&said, |said| said["lock"]["release"] != "released"),
        0,
        "all released"
    );
}

#[test]
fn sixteen_writers_without_the_lock_lose_nothing() {
    let env = TestEnv::new();
    let said = run_writers(&env, &[("BOARDSYNC_SKIP_LOCK", "1")]);
    assert_nothing_lost(&env);
    assert_eq!(
        count(&said, |said| said["lock"]["reason"] == "skipped"),
        PROCESSES * UPDATES
    );
    // Not all: on a busy machine the wait for the latch may pass its limit.
    assert!(count(&said, |said| said["lock"]["latched"] == true) > 0);
}

#[cfg(feature = "failpoints")]
#[test]
fn sixteen_writers_with_neither_lock_nor_latch_lose_nothing() {
    let env = TestEnv::new();
    // 95 is EOPNOTSUPP: a file system without kernel locks.
    let no_latch = ("FAILPOINTS", "latch.lock.before=return(95)");
    let said = run_writers(&env, &[("BOARDSYNC_SKIP_LOCK", "1"), no_latch]);
    assert_nothing_lost(&env);
    assert_eq!(
        count(&said, |said| said["lock"]["latched"] == true),
        0,
        "none latched"
    );
    let conflicts: u64 = said
        .iter()
        .filter_map(|said| said["lock"]["conflicts"].as_u64())
        .sum();
    assert!(conflicts > 0, "the exchange had something to do");
}

#[test]
fn a_foreign_lock_is_waited_for_and_never_touched() {
    let env = TestEnv::new();
    let record = "{\n  \"pid\": 4242,\n  \"host\": \"laptop\",\n  \"holder\": \"theirs\"\n}\n";
    env.plant_lock(record, Duration::ZERO);
    let repo = env.repo("app");
    let said = env
        .command(&[
            "update",
            "--json",
            "--status",
            "in-progress",
            "--repo",
            repo.to_str().unwrap(),
        ])
        .env("BOARDSYNC_TIMEOUT_MS", "300")
        .output()
        .map(crate::env::Said::from)
        .unwrap();
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(said.err.lines().count(), 1, "one warning: {}", said.err);
    for part in [
        "timeout",
        "board.lock",
        "pid 4242",
        "`laptop`",
        "without the lock",
    ] {
        assert!(said.err.contains(part), "{part} is not in {}", said.err);
    }
    let json = said.json();
    assert_eq!(json["action"], "written");
    assert_eq!(json["lock"]["locked"], false);
    assert_eq!(json["lock"]["reason"], "timeout");
    assert!(json["lock"]["waitedMs"].as_u64() >= Some(300), "{json}");
    assert_eq!(std::fs::read_to_string(env.lock()).unwrap(), record);
    assert!(env.read_board().contains("| app | in-progress |"));
    // For people, the line offers to tell the two hosts apart.
    let close = ["close", "--repo", repo.to_str().unwrap()];
    let said = env
        .command(&close)
        .env("BOARDSYNC_TIMEOUT_MS", "0")
        .output()
        .map(crate::env::Said::from)
        .unwrap();
    assert!(said.out.contains("`boardsync init --shared`"), "{said:?}");
}

#[test]
fn a_stale_lock_of_this_host_is_overridden_and_gone_afterwards() {
    let env = TestEnv::new();
    let record = format!(r#"{{"pid": 1, "host": "{}"}}"#, host_name());
    env.plant_lock(&record, Duration::from_secs(601));
    let repo = env.repo("app");
    let args = [
        "update",
        "--json",
        "--status",
        "in-progress",
        "--repo",
        repo.to_str().unwrap(),
    ];
    let said = env.run(&args).quietly().json();
    let reason = said["lock"]["staleOverride"].as_str().unwrap();
    assert!(reason.starts_with("mtime age 60"), "{reason}");
    assert_eq!(said["lock"]["release"], "released");
    env.assert_no_litter();
}

#[cfg(feature = "failpoints")]
#[test]
fn a_killed_holder_is_taken_over_at_once() {
    let env = TestEnv::new();
    let (one, two) = (env.repo("one"), env.repo("two"));
    let update = ["update", "--json", "--status", "in-progress", "--repo"];
    let one = [&update[..], &[one.to_str().unwrap()]].concat();
    let two = [&update[..], &[two.to_str().unwrap()]].concat();
    let holder = env.park("latch.open.before", &one);
    let pid = holder.pid();
    assert!(env.lock().exists(), "it holds the lock");
    holder.kill();
    let said = env.run(&two).quietly().json();
    assert_eq!(
        said["lock"]["staleOverride"],
        format!("dead holder pid {pid}")
    );
    assert!(
        said["lock"]["waitedMs"].as_u64() < Some(1_000),
        "not after the staleness: {said}"
    );
    env.assert_no_litter();
}

#[test]
fn the_peers_board_is_met_byte_for_byte() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    env.command(&[
        "update",
        "--repo",
        repo.to_str().unwrap(),
        "--status",
        "in-progress",
    ])
    .args([
        "--session",
        "main-2026-11-30-deep-1",
        "--branch",
        "main",
        "--mode",
        "deep",
    ])
    .args(["--heartbeat", "2026-11-30T05:58:00.000Z"])
    .env("BOARDSYNC_NOW", "2026-11-30T06:00:00Z")
    .output()
    .map(crate::env::Said::from)
    .unwrap()
    .quietly();
    let board = env.read_board();
    let key = &board[board.len() - 11..board.len() - 3];
    let row = format!(
        "| app | in-progress | main-2026-11-30-deep-1 | main | deep | 2026-11-30T05:58:00.000Z | {key} |\n"
    );
    assert_eq!(board, board_of(&row));
}
