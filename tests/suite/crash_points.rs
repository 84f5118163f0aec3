//! A process dies at each named step, before it and after it, in each
//! situation; the next update of another repository finds nothing amiss.

use crate::env::TestEnv;
use crate::env::situation::{SITUATIONS, Situation, all_hold, all_points, has_victim};
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;

fn dies_harmlessly(situation: &Situation, point: &str) {
    let what = format!("{}, killed at {point}", situation.name);
    let env = TestEnv::new();
    (situation.prepare)(&env);
    let output = situation.run(&env, "victim", &[(point, "return(kill)")]);
    assert_eq!(output.status.signal(), Some(9), "{what}: it lives");
    situation.next_update(&env, has_victim(&env), &what);
}

/// What fails open in every situation would pass the walk below, too.
#[test]
fn an_update_that_nothing_disturbs_is_locked_and_says_so() {
    let names = SITUATIONS.iter().map(|situation| situation.name);
    let jobs: Vec<(usize, &str)> = names.enumerate().collect();
    all_hold(&jobs, |(at, _)| SITUATIONS[*at].undisturbed());
}

#[test]
fn whoever_dies_at_any_step_leaves_nothing_that_matters() {
    let jobs: Vec<(&str, usize, String)> = SITUATIONS
        .iter()
        .enumerate()
        .flat_map(|(at, situation)| {
            let reached = situation.reached().into_iter();
            reached.map(move |point| (situation.name, at, point))
        })
        .collect();
    let reached: BTreeSet<&str> = jobs.iter().map(|(_, _, point)| &**point).collect();
    let mut missed = all_points();
    missed.retain(|point| !reached.contains(&**point));
    assert!(missed.is_empty(), "no situation leads to {missed:?}");
    all_hold(&jobs, |(_, at, point)| {
        dies_harmlessly(&SITUATIONS[*at], point)
    });
    assert!(
        jobs.len() > 1_200,
        "only {} updates were killed",
        jobs.len()
    );
    println!("killed {} updates", jobs.len());
}
