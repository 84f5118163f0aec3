//! Random runs of the model in steps that real processes can take.
//!
//! What the code does in one go is one step here: to try for the gate and to look;
//! to find the guard busy and to give up. Parties do not wait, for nobody could tell
//! when one looks again, but for a patient one that has let go of the gate.

use stateright::Model;

use super::Host::{A, B};
use super::Kind::Boardsync;
use super::{Id, LATE, Lock, NAMES, Next, Rule, World};
use crate::checking::Action;

/// Two hosts on one file system share its gate.
pub const LOCK: Lock = Lock {
    parties: &[
        (Boardsync, A),
        (Boardsync, A),
        (Boardsync, A),
        (Boardsync, B),
    ],
    kernel_locks: true,
    shared_gate: true,
    jumps: true,
    without: None,
};

pub const RULES: [Rule; 9] = [
    Rule::TakeOverUnderGuard,
    Rule::TakeOverLooksAgain,
    Rule::ReleaseUnderGuard,
    Rule::ReleaseChecksToken,
    Rule::OnlyGatedRecordsProveDeath,
    Rule::OnlyGateHoldersRemoveGuards,
    Rule::ForeignLocksStay,
    Rule::WaitersLetGoOfTheGate,
    Rule::AgeOfALiveGateIsWatched,
];

/// One step of the code: steps of the model that nothing comes between.
pub type Step = Vec<Action<World>>;

/// A run of the model, chosen by its number.
pub fn run(number: u64) -> Vec<Step> {
    let mut random = fastrand::Rng::with_seed(number);
    let patient = is_patient(number);
    let mut run = Vec::new();
    let [mut world] = LOCK.init_states().try_into().unwrap();
    loop {
        let mut steps = steps(&world, patient);
        // Most of what happens is no misfortune.
        let is_crash = |step: &Step| ["crashes", "oversleeps"].contains(&step[0].what);
        if steps.iter().any(|step| !is_crash(step)) && random.u8(..4) > 0 {
            steps.retain(|step| !is_crash(step));
        }
        if steps.is_empty() {
            return run;
        }
        let step = steps.swap_remove(random.usize(..steps.len()));
        world = step.last().unwrap().next.clone();
        run.push(step);
    }
}

pub fn is_patient(number: u64) -> bool {
    number % 4 == 3
}

/// Returns the steps of the code that are possible in a world.
fn steps(world: &World, patient: bool) -> Vec<Step> {
    let first = actions(&LOCK, world);
    let first = first.into_iter().filter(|action| {
        // No section is long enough to beat, or to look for a dead guard twice.
        !["Lease::beat", "sweep: Guard::remove_dead/look"].contains(&action.what)
    });
    first.filter_map(|action| whole(action, patient)).collect()
}

/// Adds to an action what the code does with it in one go; `None` if nobody could
/// tell when that will be.
fn whole(action: Action<World>, patient: bool) -> Option<Step> {
    let who = match id(&action) {
        Some(who) if action.what != "oversleeps" => who,
        _ => return Some(vec![action]),
    };
    let patient = patient && who != LATE;
    let mut step = vec![action];
    loop {
        let last = step.last().unwrap();
        let world = &last.next;
        let next: &[&str] = match world.processes[who].next {
            Next::Look if patient => &["look, judge"],
            Next::Look => &["times out", "look, judge"],
            Next::Watch if !patient => &["times out"],
            Next::Wait if patient && step.len() == 2 && !world.aged && world.gates[0].is_none() => {
                &["Gate::pause"]
            }
            Next::ReleaseDropGate => &["Lease::release/drop gate"],
            // Who has lost a race has no time left to try again.
            Next::TryGate if !patient && is_lost(last.what) => &["crashes"],
            Next::Section if last.what != SWEPT => &["sweep: Guard::remove_dead/look"],
            Next::TryGate if is_lost(last.what) => return None,
            Next::Watch | Next::Wait => return None,
            Next::Ended { locked: false } if patient => return None,
            // A patient one gives the holder of the gate time to publish first.
            Next::Publish if patient && !world.gated(who) => return None,
            _ => return Some(step),
        };
        let mut actions = actions(&LOCK, world);
        actions.retain(|action| id(action) == Some(who));
        let first = next.iter().find_map(|name| {
            let is_named = |action: &Action<World>| action.what.starts_with(name);
            actions.iter().position(is_named)
        });
        match first {
            Some(first) => step.push(actions.swap_remove(first)),
            None => return Some(step),
        }
    }
}

const SWEPT: &str = "sweep: Guard::remove_dead/unlink";

fn is_lost(what: &str) -> bool {
    what == "publish" || what.ends_with(": lost")
}

fn actions(lock: &Lock, world: &World) -> Vec<Action<World>> {
    let mut actions = Vec::new();
    lock.actions(world, &mut actions);
    actions
}

/// Returns who takes an action; `None` if it is the clock.
pub fn id(action: &Action<World>) -> Option<Id> {
    NAMES.iter().position(|name| *name == action.who)
}

/// Returns whether a run goes otherwise without a rule.
pub fn hangs_on(rule: Rule, run: &[Step]) -> bool {
    let without = Lock {
        without: Some(rule),
        ..LOCK
    };
    let [mut world] = LOCK.init_states().try_into().unwrap();
    run.iter().flatten().any(|action| {
        let hangs = !actions(&without, &world).contains(action);
        world = action.next.clone();
        hangs
    })
}
