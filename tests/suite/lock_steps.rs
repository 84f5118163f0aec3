//! What one step of the lock leaves on the disk, whatever went before it.

use crate::env::{TestEnv, host_name, make_older, wait_until};
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
