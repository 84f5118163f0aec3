//! Locks of this vault whose records other writers of locks have left.

use crate::env::{Said, TestEnv, host_name};
use serde_json::Value;
use std::time::Duration;

const FRESH: Duration = Duration::from_millis(500);
const OLD: Duration = Duration::from_secs(120);

/// Updates a row beside a lock of this record, and gives what the lock did.
fn lock_of_update(env: &TestEnv, record: &str, age: Duration) -> Value {
    env.plant_lock(record, age);
    let mut command = env.command(&["update", "--json", "--status", "closed", "--repo"]);
    command
        .arg(env.repo("app"))
        .env("BOARDSYNC_TIMEOUT_MS", "300");
    let said = Said::from(command.output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    said.json()["lock"].clone()
}

fn left(env: &TestEnv) -> Option<String> {
    std::fs::read_to_string(env.lock()).ok()
}

#[test]
fn a_number_that_no_process_has_is_not_running_and_has_its_60_seconds() {
    for pid in [0, -1, i32::MIN] {
        let env = TestEnv::new();
        let record = format!(r#"{{"pid": {pid}, "host": "{}"}}"#, host_name());
        let lock = lock_of_update(&env, &record, FRESH);
        assert_eq!(lock["reason"], "timeout", "{lock}");
        assert_eq!(lock["holder"]["running"], false, "{lock}");
        assert_eq!(left(&env).as_deref(), Some(&*record));

        let lock = lock_of_update(&env, &record, OLD);
        assert_eq!(lock["locked"], true, "{lock}");
        assert_eq!(left(&env), None, "taken over, then released");
    }
}

#[test]
fn a_host_that_is_called_hostname_is_that_host() {
    let env = TestEnv::new();
    let of = |host: &str| format!(r#"{{"pid": 999999999, "hostname": "{host}"}}"#);
    for age in [FRESH, OLD] {
        let record = of("elsewhere");
        let lock = lock_of_update(&env, &record, age);
        assert_eq!(lock["locked"], false, "{lock}");
        assert_eq!(left(&env), Some(record), "another host's lock stays");
    }
    let lock = lock_of_update(&env, &of(&host_name()), OLD);
    assert_eq!(lock["locked"], true, "{lock}");
}
