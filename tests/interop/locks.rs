//! Each side honours the other's lock: waits for it, takes over what is stale,
//! and leaves another host's alone.

use crate::env::{Said, TestEnv, host_name, make_older, wait_until};
use crate::peer::{Holder, Peer, wired_repo};
use boardsync::lock::{LockOptions, with_board_lock};
use serde_json::Value;
use std::process::Child;
use std::time::Duration;

const OVERDUE: Duration = Duration::from_secs(61);

/// Holds the lock with this very process while `section` runs.
fn holding<R>(env: &TestEnv, section: impl FnOnce() -> R) -> R {
    with_board_lock(&env.vault(), &LockOptions::default(), |hold| {
        assert!(hold.why_unlocked().is_none());
        section()
    })
    .0
}

pub fn start_update(env: &TestEnv) -> Child {
    let repo = wired_repo(env, "app");
    let args = ["update", "--json", "--status", "in-progress", "--repo"];
    let mut command = env.command(&args);
    command.arg(repo).spawn().unwrap()
}

pub fn end(child: Child) -> Value {
    Said::from(child.wait_with_output().unwrap())
        .quietly()
        .json()
}

/// Waits until an update of this host stands in the gate, and so at the lock.
pub fn wait_until_it_queues(env: &TestEnv) {
    let gate = env.orchestrator().join("board.gate.lock");
    wait_until("boardsync has the gate", || {
        std::fs::File::open(&gate).is_ok_and(|gate| gate.try_lock().is_err())
    });
}

#[test]
fn boardsync_waits_for_a_node_holder() {
    let Some(peer) = Peer::find() else { return };
    let env = TestEnv::new();
    let mut holder = peer.hold(&env);
    assert_eq!(holder.next()["locked"], true);
    let record = std::fs::read_to_string(env.lock()).unwrap();
    let update = start_update(&env);
    wait_until_it_queues(&env);
    assert_eq!(std::fs::read_to_string(env.lock()).unwrap(), record);
    holder.release();
    let said = end(update);
    assert_eq!(said["lock"]["locked"], true, "{said}");
    assert_eq!(said["lock"]["staleOverride"], Value::Null, "{said}");
    env.assert_no_litter();
}

#[test]
fn node_waits_for_a_boardsync_holder() {
    let Some(peer) = Peer::find() else { return };
    let env = TestEnv::new();
    let mut waiter = holding(&env, || {
        let mut waiter = peer.hold(&env);
        assert_eq!(waiter.next(), "waiting");
        waiter
    });
    let outcome = waiter.next();
    assert_eq!(outcome["locked"], true, "{outcome}");
    assert_eq!(outcome["staleOverride"], Value::Null, "{outcome}");
    waiter.release();
    env.assert_no_litter();
}

/// Leaves the lock of a Node process that was killed `age` ago.
fn leave_node_lock(peer: &Peer, env: &TestEnv, age: Duration) {
    let mut holder: Holder = peer.hold(env);
    assert_eq!(holder.next()["locked"], true);
    holder.kill();
    make_older(&env.lock(), age);
}

#[test]
fn boardsync_takes_over_a_stale_node_lock() {
    let Some(peer) = Peer::find() else { return };
    let env = TestEnv::new();
    leave_node_lock(&peer, &env, OVERDUE);
    let said = end(start_update(&env));
    let reason = said["lock"]["staleOverride"].as_str().unwrap_or_default();
    assert!(reason.starts_with("mtime age 6"), "{said}");
    env.assert_no_litter();
}

/// Gives the record that boardsync writes, held by this process.
fn boardsync_record(env: &TestEnv) -> String {
    holding(env, || std::fs::read_to_string(env.lock()).unwrap())
}

#[test]
fn node_takes_over_a_stale_boardsync_lock() {
    let Some(peer) = Peer::find() else { return };
    let env = TestEnv::new();
    env.plant_lock(&boardsync_record(&env), OVERDUE);
    let mut holder = peer.hold(&env);
    let outcome = holder.next();
    assert_eq!(outcome["locked"], true, "{outcome}");
    let reason = outcome["staleOverride"].as_str().unwrap_or_default();
    assert!(reason.starts_with("mtime age 6"), "{outcome}");
    holder.release();
    env.assert_no_litter();
}

/// Makes a record another host's.
fn as_foreign(record: &str) -> String {
    let mut record: Value = serde_json::from_str(record).unwrap();
    for (field, value) in [
        ("host", "elsewhere"),
        ("host_id", "elsewhere"),
        ("boot_id", "other"),
    ] {
        if record.get(field).is_some() {
            record[field] = value.into();
        }
    }
    serde_json::to_string_pretty(&record).unwrap() + "\n"
}

#[test]
fn boardsync_leaves_a_foreign_node_lock_alone() {
    let Some(peer) = Peer::find() else { return };
    let env = TestEnv::new();
    leave_node_lock(&peer, &env, OVERDUE);
    let record = std::fs::read_to_string(env.lock()).unwrap();
    assert!(record.contains(&host_name()), "{record}");
    env.plant_lock(&as_foreign(&record), OVERDUE);
    let said: Said = start_update(&env).wait_with_output().unwrap().into();
    assert_eq!(said.code, Some(0));
    assert!(said.err.contains("elsewhere"), "{}", said.err);
    assert_eq!(said.json()["lock"]["reason"], "timeout", "{said:?}");
    assert_eq!(
        std::fs::read_to_string(env.lock()).unwrap(),
        as_foreign(&record)
    );
}

#[test]
fn node_leaves_a_foreign_boardsync_lock_alone() {
    let Some(peer) = Peer::find() else { return };
    let env = TestEnv::new();
    let record = as_foreign(&boardsync_record(&env));
    env.plant_lock(&record, OVERDUE);
    let line = peer.update(&env, &wired_repo(&env, "app"));
    assert_eq!(line["lock"]["locked"], false, "{line}");
    assert_eq!(line["lock"]["reason"], "timeout", "{line}");
    assert_eq!(std::fs::read_to_string(env.lock()).unwrap(), record);
}
