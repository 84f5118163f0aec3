//! A process dies at each named step, before it and after it, in each
//! situation; the next update of another repository finds nothing amiss.

use crate::env::situation::{SITUATIONS, Situation, all_hold, all_points, has_victim};
use crate::env::{Said, TestEnv};
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

#[test]
fn a_parked_update_ends_with_whoever_parked_it() {
    let env = TestEnv::new();
    let park = env.path("park");
    // The shell ends once the update is parked; the pipe of its stdout, once that has ended.
    let script = "\"$@\" & while ! [ -e \"$0\" ]; do sleep 0.01; done";
    let mut shell = env.command_of("sh");
    shell
        .args(["-c", script])
        .arg(park.with_extension("reached"));
    shell.arg(env!("CARGO_BIN_EXE_boardsync"));
    shell
        .args(["update", "--status", "closed", "--repo"])
        .arg(env.repo("app"));
    let point = format!("latch.open.before=return(park:{})", park.display());
    let said = Said::from(shell.env("FAILPOINTS", point).output().unwrap());
    assert_eq!((said.code, &*said.out), (Some(0), ""), "{said:?}");
    assert!(!env.board().exists());
}
