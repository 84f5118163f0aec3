//! The guard `board.lock.acquire`, under which both sides change the lock's name.

use crate::env::{TestEnv, host_name, make_older};
use crate::locks::{end, start_update, wait_until_it_queues};
use crate::peer::{Peer, wired_repo};
use serde_json::json;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Plants a guard as the Node writer leaves it when it is killed in its pass.
pub fn plant_guard(env: &TestEnv, pid: u32, age: Duration) -> PathBuf {
    let guard = env.orchestrator().join("board.lock.acquire");
    std::fs::create_dir_all(env.orchestrator()).unwrap();
    let record = json!({
        "pid": pid, "host": host_name(), "acquiredAt": "2026-11-30T07:00:00.000Z",
        "kind": "acquisition-guard",
    });
    std::fs::write(
        &guard,
        serde_json::to_string_pretty(&record).unwrap() + "\n",
    )
    .unwrap();
    make_older(&guard, age);
    guard
}

/// Plants a lock that is there for the taking, but for the guard.
fn plant_stale_lock(env: &TestEnv) {
    let record = json!({"pid": 1, "host": host_name(), "acquiredAt": "x", "holder": "gone"});
    env.plant_lock(&record.to_string(), Duration::from_secs(600));
}

/// Gives the pid of a process that has ended.
pub fn dead_pid() -> u32 {
    let mut child = Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    child.id()
}

#[test]
fn boardsync_waits_for_a_living_guard() {
    let env = TestEnv::new();
    plant_stale_lock(&env);
    let guard = plant_guard(&env, std::process::id(), Duration::from_secs(10));
    let update = start_update(&env);
    wait_until_it_queues(&env);
    assert!(
        std::fs::read_to_string(env.lock())
            .unwrap()
            .contains("gone")
    );
    std::fs::remove_file(guard).unwrap();
    let said = end(update);
    assert!(said["lock"]["staleOverride"].is_string(), "{said}");
    env.assert_no_litter();
}

#[test]
fn node_waits_for_a_living_guard() {
    let Some(peer) = Peer::find() else { return };
    let env = TestEnv::new();
    plant_stale_lock(&env);
    let guard = plant_guard(&env, std::process::id(), Duration::from_secs(10));
    let mut holder = peer.hold(&env);
    assert_eq!(holder.next(), "waiting");
    std::fs::remove_file(guard).unwrap();
    let outcome = holder.next();
    assert!(outcome["staleOverride"].is_string(), "{outcome}");
    holder.release();
    env.assert_no_litter();
}

#[test]
fn a_dead_guard_stops_node_until_boardsync_clears_it() {
    let Some(peer) = Peer::find() else { return };
    let env = TestEnv::new();
    let guard = plant_guard(&env, dead_pid(), Duration::from_secs(10));
    let repo = wired_repo(&env, "theirs");
    let line = peer.update(&env, &repo);
    assert_eq!(
        line["lock"]["locked"], false,
        "the Node writer alone: {line}"
    );
    assert!(guard.exists(), "and it stays");
    let said = end(start_update(&env));
    assert_eq!(said["lock"]["locked"], true, "{said}");
    env.assert_no_litter();
    let line = peer.update(&env, &repo);
    assert_eq!(line["lock"]["locked"], true, "{line}");
    env.assert_no_litter();
}
