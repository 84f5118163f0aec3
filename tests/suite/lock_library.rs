//! The lock as a program sees it that only read the docs.

use crate::env::{TestEnv, host_name};
use boardsync::lock::{
    Foreign, Hold, LockFate, LockOptions, LockOutcome, Reason, Release, inspect, reclaim,
    with_board_lock, with_lock,
};
use std::time::{Duration, Instant};

fn is_free(env: &TestEnv) -> bool {
    let inspection = inspect(&env.lock(), &LockOptions::default()).unwrap();
    inspection.lock.is_none() && inspection.guard.is_none()
}

#[test]
fn options_and_hold_are_used_across_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<LockOptions>();
    shared::<Hold>();
    shared::<LockOutcome>();
    let env = TestEnv::new();
    let options = LockOptions::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let (held, outcome) = with_board_lock(&env.vault(), &options, Hold::is_still_ours);
                assert!(held && outcome.is_locked());
            });
        }
    });
    assert!(is_free(&env));
}

#[test]
fn a_lease_is_released_when_its_section_panics() {
    let env = TestEnv::new();
    let panicked = std::panic::catch_unwind(|| {
        with_board_lock(&env.vault(), &LockOptions::default(), |hold| {
            assert!(hold.is_still_ours());
            panic!("on purpose");
        })
    });
    assert!(panicked.is_err());
    assert!(is_free(&env));
    // Nor does this thread believe that it is still inside.
    let (_, outcome) = with_board_lock(&env.vault(), &LockOptions::default(), |_| {});
    assert!(
        matches!(
            outcome,
            LockOutcome::Locked {
                release: Release::Released,
                ..
            }
        ),
        "{outcome:?}"
    );
    env.assert_no_litter();
}

#[test]
fn a_section_learns_that_its_lease_was_lost_and_leaves_the_successors_lock() {
    let env = TestEnv::new();
    let (held, outcome) = with_board_lock(&env.vault(), &LockOptions::default(), |hold| {
        let before = hold.is_still_ours();
        let record = r#"{"pid": 1, "host": "laptop", "token": "another"}"#;
        std::fs::write(env.lock(), record).unwrap();
        (before, hold.is_still_ours())
    });
    assert_eq!(held, (true, false));
    assert!(
        matches!(
            outcome,
            LockOutcome::Locked {
                release: Release::NotOwner,
                ..
            }
        ),
        "{outcome:?}"
    );
    assert!(env.lock().exists());
}

#[test]
fn a_section_inside_another_of_the_same_lock_has_it_at_once() {
    let env = TestEnv::new();
    let options = LockOptions::default();
    let started = Instant::now();
    with_board_lock(&env.vault(), &options, |_| {
        let (token, inner) = with_lock(&env.lock(), &options, Hold::token);
        assert!(token.is_some());
        assert!(
            matches!(
                inner,
                LockOutcome::Locked {
                    release: Release::Kept,
                    ..
                }
            ),
            "{inner:?}"
        );
        assert!(env.lock().exists(), "the inner section does not release it");
        // Another thread is another party.
        let mut once = LockOptions::default();
        once.patience = Duration::ZERO.into();
        let other = std::thread::scope(|scope| {
            let other = scope.spawn(|| with_lock(&env.lock(), &once, |_| {}).1);
            other.join().unwrap()
        });
        assert!(!other.is_locked());
    });
    assert!(
        started.elapsed() < Duration::from_secs(4),
        "it waited for itself"
    );
    assert!(is_free(&env));
}

#[test]
fn an_outcome_serialises_itself_and_nothing_is_printed() {
    let env = TestEnv::new();
    env.plant_lock(r#"{"pid": 7, "host": "laptop"}"#, Duration::ZERO);
    let mut options = LockOptions::default();
    options.patience = Duration::ZERO.into();
    let (_, outcome) = with_board_lock(&env.vault(), &options, |_| {});
    let json = serde_json::to_value(&outcome).unwrap();
    assert_eq!(json["locked"], false, "{json}");
    assert_eq!(json["reason"], "timeout", "{json}");
    assert_eq!(json["holder"]["pid"], 7, "{json}");
    assert_eq!(json["lockPath"], env.lock().to_str().unwrap(), "{json}");
}

#[test]
fn a_reclaim_of_a_stale_lock_gives_the_reason() {
    let env = TestEnv::new();
    let record = format!(r#"{{"pid": 1, "host": "{}"}}"#, host_name());
    env.plant_lock(&record, Duration::from_secs(600));
    let reclaimed = reclaim(&env.lock(), &LockOptions::default(), Foreign::Keep).unwrap();
    assert!(
        matches!(reclaimed.lock, LockFate::Removed(Reason::Stale { .. })),
        "{reclaimed:?}"
    );
    assert!(is_free(&env));
}

#[cfg(unix)]
#[test]
fn the_files_of_a_lock_are_its_users_own_unless_asked() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    let mode = || env.lock().metadata().unwrap().permissions().mode() & 0o777;
    let (own, _) = with_board_lock(&env.vault(), &LockOptions::default(), |_| mode());
    assert_eq!(own, 0o600);
}
