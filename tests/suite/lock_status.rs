//! `lock status`, in each case that a person may meet.

use crate::env::{TestEnv, host_name};
use std::time::Duration;

// Ages far from any limit: the file system's clock may be some ms behind ours.
const FRESH: Duration = Duration::from_millis(500);
const OLD: Duration = Duration::from_secs(3_000);
const ANCIENT: Duration = Duration::from_secs(12_600);

/// Snapshots what is said of a lock with this record, `age` old.
fn check(name: &str, record: &str, age: Duration) {
    let env = TestEnv::new();
    env.plant_lock(record, age);
    snapshot(&env, name);
    let left = std::fs::read_to_string(env.lock()).unwrap();
    assert_eq!(left, record, "looking changes nothing");
}

fn snapshot(env: &TestEnv, name: &str) {
    let said = env.run(&["lock", "status"]).quietly();
    let folder = env.path("").display().to_string();
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(&folder.replace('.', "\\."), "[DIR]/");
    settings.add_filter(
        &format!("`{}`", host_name().replace('.', "\\.")),
        "`[HOST]`",
    );
    settings.add_filter(&format!("pid {}\\b", std::process::id()), "pid [PID]");
    settings.add_filter(r"life \d+ m?s ago", "life [AGE] ago");
    settings.add_filter(r"mtime age \d+ms", "mtime age [AGE]");
    settings.bind(|| insta::assert_snapshot!(name, said.out));
}

fn record(pid: u32, host: &str) -> String {
    format!(
        "{{\"pid\": {pid}, \"host\": \"{host}\", \"acquiredAt\": \"2026-11-30T06:58:00.000Z\", \
         \"holder\": \"some-writer\"}}"
    )
}

#[test]
fn a_free_lock() {
    snapshot(&TestEnv::new(), "free");
}

#[test]
fn a_lock_of_this_host() {
    let ours = record(std::process::id(), &host_name());
    check("held", &ours, FRESH);
    check("stale", &ours, OLD);
}

#[test]
fn a_lock_of_another_host() {
    let theirs = record(4242, "elsewhere");
    check("foreign", &theirs, FRESH);
    check("foreign_abandoned", &theirs, ANCIENT);
}

#[test]
fn a_lock_that_cannot_be_read() {
    check("unparseable_old", "{\"pid\": 42", OLD);
    let env = TestEnv::new();
    env.plant_lock("", FRESH);
    snapshot(&env, "unparseable_fresh");
}

#[cfg(unix)]
#[test]
fn what_is_no_lock() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.orchestrator()).unwrap();
    std::os::unix::fs::symlink("/dev/null", env.lock()).unwrap();
    snapshot(&env, "symlink");
}

#[cfg(unix)]
#[test]
fn a_guard_that_was_left() {
    let env = TestEnv::new();
    env.plant_lock(&record(4242, "elsewhere"), FRESH);
    let guard = env.orchestrator().join("board.lock.acquire");
    std::fs::write(&guard, record(4242, "elsewhere")).unwrap();
    crate::env::make_older(&guard, ANCIENT);
    snapshot(&env, "guard");
}

#[test]
fn what_a_holder_writes_does_not_reach_the_terminal_as_a_command() {
    let hostile = record(4242, "else\\u001b[31mwhere\\u202e");
    check("hostile", &hostile, FRESH);
}

#[test]
fn a_guard_that_nobody_gives_back_is_named() {
    let env = TestEnv::new();
    env.update("app", "closed").quietly();
    let guard = env.vault().join(".orchestrator/board.lock.acquire");
    std::fs::create_dir(&guard).unwrap();
    let first = env.update("app", "in-progress").quietly();
    assert!(first.out.contains("could not be released"), "{}", first.out);
    let second = env.update("app", "frei");
    let shown = format!("behind the guard `{}`", guard.display());
    assert!(second.err.contains(&shown), "{}", second.err);
    assert!(env.read_board().contains("| app | frei |"));
    let said = env.run(&["lock", "reclaim", "--force"]);
    assert_eq!(said.code, Some(1));
    let shown = format!("stays: `{}`: it is a folder", guard.display());
    assert!(said.out.starts_with(&shown), "{}", said.out);
}
