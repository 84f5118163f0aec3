//! Each step of an update fails, before it was done or after, with each error
//! in turn: the update says what happened, and the next one works.

use crate::env::situation::{SITUATIONS, Situation, all_hold, has_victim};
use crate::env::{Said, TestEnv};
use std::collections::BTreeSet;

const ERRORS: &[(&str, i32)] = &[
    ("ENOENT", 2),
    ("EINTR", 4),
    ("EIO", 5),
    ("EACCES", 13),
    ("EBUSY", 16),
    ("EMFILE", 24),
    ("EFBIG", 27),
    ("ENOSPC", 28),
    ("EROFS", 30),
    ("ESTALE", 116),
];

fn fails_harmlessly(situation: &Situation, point: &str, (name, errno): (&str, i32)) {
    let what = format!("{}, {name} at {point}", situation.name);
    let env = TestEnv::new();
    (situation.prepare)(&env);
    let action = format!("return({errno})");
    let said = Said::from(situation.run(&env, "victim", &[(point, &action)]));
    assert_says_what_happened(&said, &what);
    let has_row = has_victim(&env);
    let is_written = said.code == Some(0) && said.json()["action"] == "written";
    if !situation.note {
        assert_eq!(has_row, is_written, "{what}: {said:?}");
    }
    situation.next_update(&env, has_row, &what);
}

/// Asserts one outcome on stdout, and one line on stderr for whatever went wrong.
fn assert_says_what_happened(said: &Said, what: &str) {
    assert!(matches!(said.code, Some(0 | 1)), "{what}: {said:?}");
    let json = said.json();
    let action = json["action"].as_str();
    assert_eq!(action.is_some(), said.code == Some(0), "{what}: {said:?}");
    assert_eq!(json["error"].is_string(), said.code == Some(1), "{what}");
    let unlocked = json["lock"]["locked"] == false && json["lock"]["reason"] != "skipped";
    let failed = said.code == Some(1) || action == Some("skipped-write-failed");
    let lines = usize::from(unlocked || failed);
    assert_eq!(said.err.lines().count(), lines, "{what}: {said:?}");
    let is_both = said.err.contains("the lock could not be acquired either");
    assert_eq!(is_both, unlocked && failed, "{what}: {said:?}");
    for line in said.err.lines() {
        assert!(line.starts_with("boardsync: "), "{what}: {line}");
    }
}

/// Says whether two troubles at once cost more than a wait: these are known.
///
/// Without the gate a dead peer's guard may not be removed, so our lock stays,
/// and only its age will speak against it. A note that cannot be claimed is
/// not put back in its place, but kept beside the lock.
fn is_known(situation: &Situation, point: &str) -> bool {
    let is_gate = point.starts_with("gate.") && situation.name.contains("the guard of a dead");
    let is_claim = point.starts_with("leftover.claim.") && situation.note;
    is_gate || is_claim
}

#[test]
fn whatever_fails_is_said_and_harms_nothing() {
    let mut seen = BTreeSet::new();
    let mut jobs = Vec::new();
    let mut turn = 0;
    for (at, situation) in SITUATIONS.iter().enumerate() {
        let points = situation.reached();
        for point in points.into_iter().filter(|it| !is_known(situation, it)) {
            // Every error where a point is first met, one elsewhere.
            let errors = if seen.insert(point.clone()) {
                ERRORS.to_vec()
            } else {
                turn += 1;
                vec![ERRORS[turn % ERRORS.len()]]
            };
            let job = |error| (situation.name, at, point.clone(), error);
            jobs.extend(errors.into_iter().map(job));
        }
    }
    all_hold(&jobs, |(_, at, point, error)| {
        fails_harmlessly(&SITUATIONS[*at], point, *error);
    });
    assert!(jobs.len() > 1_900, "only {} updates failed", jobs.len());
    println!("failed {} updates", jobs.len());
}
