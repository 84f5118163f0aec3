//! What one step of the lock leaves on the disk, whatever went before it.

use crate::env::{Said, TestEnv, host_name, make_older, wait_until};
use std::path::Path;
use std::time::{Duration, SystemTime};

const LONG: Duration = Duration::from_secs(600);

fn age(path: &Path) -> Duration {
    let modified = std::fs::metadata(path).unwrap().modified().unwrap();
    SystemTime::now()
        .duration_since(modified)
        .unwrap_or_default()
}

/// Makes the record older that an update has written and not yet published.
fn make_the_pending_record_older(env: &TestEnv) {
    let names = env.beside_the_lock();
    let pending = names
        .iter()
        .find(|name| name.ends_with(".pending"))
        .unwrap();
    make_older(&env.orchestrator().join(pending), LONG);
}

#[test]
fn a_lock_is_as_old_as_its_publication_however_long_its_record_waited() {
    let stale = format!(r#"{{"pid": 1, "host": "{}"}}"#, host_name());
    for (prepare, published) in [
        (None, "lock.publish.after"),
        (Some(stale), "lock.take-over.after"),
    ] {
        let env = TestEnv::new();
        if let Some(record) = prepare {
            env.plant_lock(&record, LONG);
        }
        let points = ["record.sync.after", published];
        let mut held = env.park_along(&points, env.update_command("app"));
        make_the_pending_record_older(&env);
        held.advance();
        assert!(age(&env.lock()) < LONG, "{published}");
        assert_eq!(
            held.go().json()["lock"]["release"],
            "released",
            "{published}"
        );
    }
}

#[test]
fn a_lock_that_was_swapped_with_a_folder_is_as_old_as_the_swap() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.lock()).unwrap();
    let dead = format!(r#"{{"pid": {}, "host": "{}"}}"#, i32::MAX, host_name());
    std::fs::write(env.lock().join("owner.json"), dead).unwrap();
    let points = ["record.sync.after", "lock.swap-folder.after"];
    let mut held = env.park_along(&points, env.update_command("app"));
    make_the_pending_record_older(&env);
    held.advance();
    assert!(env.lock().is_file());
    assert!(age(&env.lock()) < LONG);
    assert_eq!(held.go().json()["lock"]["release"], "released");
}

#[test]
fn a_release_waits_for_a_guard_that_is_given_back() {
    let env = TestEnv::new();
    let guard = env.orchestrator().join("board.lock.acquire");
    let points = ["board.sync-folder.after", "1*off->guard.publish.before"];
    let mut holder = env.park_along(&points, env.update_command("app"));
    let pid = std::process::id();
    let record = format!(r#"{{"pid": {pid}, "host": "{}"}}"#, host_name());
    std::fs::write(&guard, record).unwrap();
    holder.advance();
    // It has found the guard busy once, and tries again.
    std::fs::remove_file(&guard).unwrap();
    let json = holder.go().quietly().json();
    assert_eq!(json["lock"]["release"], "released", "{json}");
    wait_until("the lock is gone", || !env.lock().exists());
    env.assert_no_litter();
}

/// Counts the threads of an update that holds a lock of this staleness.
#[cfg(target_os = "linux")]
fn threads(stale_ms: &str) -> usize {
    let env = TestEnv::new();
    let mut command = env.update_command("app");
    command.env("BOARDSYNC_STALE_MS", stale_ms);
    let held = env.park_along(&["board.sync-folder.after"], command);
    let tasks = format!("/proc/{}/task", held.pid());
    std::fs::read_dir(tasks).unwrap().count()
}

#[cfg(target_os = "linux")]
#[test]
fn an_update_starts_a_heart_only_where_its_lock_could_become_stale() {
    assert_eq!(threads("40004"), 1, "it is over long before a beat");
    assert_eq!(threads("40000"), 2);
}

/// Plants a lock of the legacy layout, whose holder is gone.
fn plant_dead_folder(env: &TestEnv) {
    std::fs::create_dir_all(env.lock()).unwrap();
    let dead = format!(r#"{{"pid": {}, "host": "{}"}}"#, i32::MAX, host_name());
    std::fs::write(env.lock().join("owner.json"), dead).unwrap();
}

#[test]
fn a_folder_that_a_crash_left_swapped_out_is_removed_by_the_next_holder() {
    let env = TestEnv::new();
    plant_dead_folder(&env);
    let held = env.park_along(&["lock.swap-folder.after"], env.update_command("dead"));
    held.kill();
    let said = Said::from(env.update_command("app").output().unwrap()).quietly();
    assert_eq!(said.json()["lock"]["release"], "released", "{said:?}");
    env.assert_no_litter();
}

#[test]
fn a_swap_that_fails_is_not_taken_for_one_that_does_not_exist() {
    let env = TestEnv::new();
    plant_dead_folder(&env);
    let points = "lock.swap-folder.before=return(28);lock.move-folder.before=return(kill)";
    let said = failing(&env, points);
    assert_eq!(said.json()["lock"]["reason"], "fs-error", "{said:?}");
    assert!(env.lock().join("owner.json").exists());
}

#[test]
fn a_publication_that_fails_is_an_error_and_not_a_holder() {
    let env = TestEnv::new();
    let said = failing(&env, "lock.publish.before=return(28)");
    assert_eq!(said.json()["lock"]["reason"], "fs-error", "{said:?}");
}

/// Runs an update whose steps fail, with more time than it needs.
fn failing(env: &TestEnv, points: &str) -> Said {
    let mut command = env.update_command("app");
    command.env("FAILPOINTS", points);
    command.env("BOARDSYNC_TIMEOUT_MS", "20000");
    let said = Said::from(command.output().unwrap());
    assert!(
        said.json()["lock"]["waitedMs"].as_u64() < Some(20_000),
        "{said:?}"
    );
    said
}

#[test]
fn a_gate_that_could_not_be_opened_for_a_moment_is_tried_for_again() {
    let env = TestEnv::new();
    let holder = env.park_along(&["board.sync-folder.after"], env.update_command("holder"));
    let waiter = "1*return(24)->gate.open.before";
    let waiter = env.park_along(&[waiter], env.update_command("waiter"));
    holder.go().quietly();
    let json = waiter.go().quietly().json();
    assert_eq!(json["lock"]["release"], "released", "{json}");
    // Where there are no kernel locks, there will be none in a moment.
    let _holder = env.park_along(&["board.sync-folder.after"], env.update_command("another"));
    let mut waiter = env.update_command("other");
    waiter.env("FAILPOINTS", "gate.open.before=1*return(95)->return(kill)");
    waiter.env("BOARDSYNC_TIMEOUT_MS", "100");
    let said = Said::from(waiter.output().unwrap());
    assert_eq!(said.json()["lock"]["reason"], "timeout", "{said:?}");
}

#[test]
fn the_steps_of_the_lock_are_told_to_who_asks() {
    let env = TestEnv::new();
    let mut command = env.update_command("app");
    let said = Said::from(command.arg("-v").output().unwrap());
    for step in ["published with the gate", "release: Released"] {
        assert!(said.err.contains(step), "{step} is not in {said:?}");
    }
    command.env("FAILPOINTS", "gate.open.before=return(95)");
    let said = Said::from(command.output().unwrap());
    assert!(
        said.err.contains("without the gate: no kernel locks here"),
        "{said:?}"
    );
}

#[test]
fn beside_what_was_named_as_the_lock_by_mistake_nothing_is_ever_made() {
    let env = TestEnv::new();
    let folder = env.path("notes");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("precious.md"), "mine").unwrap();
    let mut command = env.update_command("app");
    command.env("BOARDSYNC_LOCK_FILE", folder.join("precious.md"));
    // Whoever makes a file there dies of it.
    let points = ["record.create", "gate.open", "guard.create"];
    let points = points.map(|point| format!("{point}.before=return(kill)"));
    command.env("FAILPOINTS", points.join(";"));
    let said = Said::from(command.output().unwrap());
    assert_eq!(said.json()["lock"]["reason"], "fs-error", "{said:?}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}
