use super::*;
use crate::disk::{Attempt, Durability, KernelLock, Patience};
use crate::lock::options::LockOptions;
use crate::lock::record::Record;
use std::fs::File;
use std::time::SystemTime;

const LONG: Duration = Duration::from_secs(600);

/// A search for a lock in a folder of its own.
pub fn search() -> (tempfile::TempDir, Search) {
    let folder = tempfile::tempdir().unwrap();
    let options = LockOptions {
        durability: Durability::Unsynced,
        ..LockOptions::default()
    };
    let lock = folder.path().join(".orchestrator/board.lock");
    let site = Site::create(&lock, &options).unwrap();
    (folder, Search::new(site))
}

fn backoff(patience: Duration) -> Backoff {
    Backoff::new(Patience::For(patience), Duration::from_millis(10))
}

fn path(search: &Search) -> std::path::PathBuf {
    search.site.files.lock.path()
}

/// Puts the record of a process of `host` at the lock's name.
pub fn held_on(search: &Search, host: &str) {
    let record = format!(r#"{{"pid": 1, "host": "{host}"}}"#);
    std::fs::write(path(search), record).unwrap();
}

fn publishes(search: &mut Search, patience: Duration) -> bool {
    match search.pass(&backoff(patience)) {
        Ok(Pass::Ours(_)) => true,
        Ok(Pass::Wait(_)) => false,
        Err(failure) => panic!("{}", failure.what),
    }
}

fn names_the_gate(search: &Search) -> bool {
    let record = Record::parse(&std::fs::read(path(search)).unwrap());
    record.unwrap().gate.is_some()
}

fn take_gate(search: &Search) -> KernelLock {
    match KernelLock::try_take(&search.site.files.gate, 0o600, "gate.open", "gate.lock") {
        Attempt::Taken(lock) => lock,
        other => panic!("{other:?}"),
    }
}

/// An instant that is long over.
fn long_ago() -> Instant {
    Instant::now().checked_sub(LONG).unwrap()
}

#[test]
fn a_free_lock_is_published_at_once_unless_another_has_the_gate() {
    let (_folder, mut search) = search();
    assert!(publishes(&mut search, LONG));
    assert!(names_the_gate(&search));

    let (_folder, mut search) = self::search();
    let _other = take_gate(&search);
    assert!(!publishes(&mut search, LONG), "it is about to publish");
    assert!(!path(&search).exists());
    search.free_since = Some(long_ago());
    assert!(publishes(&mut search, LONG), "it does not");
    assert!(!names_the_gate(&search));

    let (_folder, mut search) = self::search();
    let _other = take_gate(&search);
    assert!(publishes(&mut search, Duration::ZERO), "no time is left");
}

#[test]
fn who_publishes_next_is_given_its_headway_anew_each_time_the_lock_is_free() {
    let (_folder, mut search) = search();
    let _other = take_gate(&search);
    search.free_since = Some(long_ago());
    let host = search.site.host.id.clone();
    held_on(&search, &host);
    assert!(!publishes(&mut search, LONG));
    std::fs::remove_file(path(&search)).unwrap();
    assert!(!publishes(&mut search, LONG));
}

#[test]
fn a_lock_stands_still_while_it_and_its_time_are_the_same() {
    let (_folder, mut search) = search();
    let stands_still = |search: &mut Search, what: &str, expected: bool| {
        search.unchanged_since = long_ago();
        assert!(search.look().is_ok());
        assert_eq!(search.unchanged_since.elapsed() >= LONG, expected, "{what}");
    };
    stands_still(&mut search, "nothing there", false);
    held_on(&search, "a");
    stands_still(&mut search, "it is new", false);
    stands_still(&mut search, "it has not beaten", true);
    let file = File::options().append(true).open(path(&search)).unwrap();
    file.set_modified(SystemTime::now() - LONG).unwrap();
    stands_still(&mut search, "it has beaten", false);
    stands_still(&mut search, "it has not beaten since", true);
    let beaten = file.metadata().unwrap().modified().unwrap();
    held_on(&search, "b");
    file.set_modified(beaten).unwrap();
    stands_still(&mut search, "it is another's", false);
    std::fs::remove_file(path(&search)).unwrap();
    stands_still(&mut search, "it is gone", false);
}

#[test]
fn a_lock_is_judged_stale_only_by_a_clock_read_at_that_moment() {
    let (_folder, mut search) = search();
    let host = search.site.host.id.clone();
    held_on(&search, &host);
    assert!(!publishes(&mut search, LONG));
    let (_, clock) = search.pending.as_mut().unwrap();
    *clock = Clock::at(SystemTime::now() + LONG);
    assert!(!publishes(&mut search, LONG), "it is a moment old");
}

#[test]
fn a_failure_that_may_pass_is_outlasted_for_a_while() {
    let (_folder, mut search) = search();
    let failure = |lasts| IoFailure {
        what: String::new(),
        lasts,
    };
    for (lasts, at_first, later) in [
        (Lasts::Briefly, true, true),
        (Lasts::Perhaps, true, false),
        (Lasts::Long, false, false),
    ] {
        let failure = failure(lasts);
        search.failing_since = None;
        assert_eq!(search.may_pass(&failure), at_first);
        search.failing_since = Some(long_ago());
        assert_eq!(search.may_pass(&failure), later);
    }
}
