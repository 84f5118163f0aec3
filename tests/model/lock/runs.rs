//! The configurations that are explored, and the mutants that must fail.

use super::Host::{A, B};
use super::Kind::{Boardsync, Node};
use super::{Lock, Rule};
use crate::checking::{breaks, holds, holds_except};

const ONE_HOLDER: &str = "at most one wakeful holder";
const FOREIGN: &str = "a foreign lock or guard is never removed";
const STARVED: &str = "nobody waits for one host's lock with the gate that another host needs";
const ENDS_LOCKED: &str = "a new update ends locked";

const ONE_HOST: Lock = Lock {
    parties: &[(Boardsync, A), (Boardsync, A), (Boardsync, A)],
    kernel_locks: true,
    shared_gate: false,
    jumps: false,
    without: None,
};

/// Two of one host and one of another, on a network file system with locks.
const SHARED_GATE: Lock = Lock {
    parties: &[(Boardsync, A), (Boardsync, B), (Boardsync, B)],
    shared_gate: true,
    ..ONE_HOST
};

const JUMPING: Lock = Lock {
    jumps: true,
    ..ONE_HOST
};

const TWO_HOSTS: Lock = Lock {
    parties: &[(Boardsync, A), (Boardsync, A), (Boardsync, B)],
    ..ONE_HOST
};

#[test]
fn three_on_two_hosts() {
    holds("lock, BB+B", TWO_HOSTS);
}

#[test]
fn four_on_two_hosts() {
    let parties = &[
        (Boardsync, A),
        (Boardsync, A),
        (Boardsync, B),
        (Boardsync, B),
    ];
    holds(
        "lock, BB+BB",
        Lock {
            parties,
            ..ONE_HOST
        },
    );
}

#[test]
fn four_on_one_host() {
    holds(
        "lock, BBBB",
        Lock {
            parties: &[(Boardsync, A); 4],
            ..ONE_HOST
        },
    );
}

#[test]
fn two_with_the_node_peer() {
    let parties = &[(Boardsync, A), (Boardsync, A), (Node, A)];
    holds(
        "lock, BBN",
        Lock {
            parties,
            ..ONE_HOST
        },
    );
}

#[test]
fn three_with_the_node_peer_on_two_hosts() {
    let parties = &[(Boardsync, A), (Boardsync, A), (Node, A), (Boardsync, B)];
    holds(
        "lock, BBN+B",
        Lock {
            parties,
            ..ONE_HOST
        },
    );
}

#[test]
fn three_on_two_hosts_that_share_a_gate() {
    holds("lock, B+BB, one gate", SHARED_GATE);
}

#[test]
fn three_on_one_host_whose_clock_jumps() {
    holds("lock, BBB, the clock jumps", JUMPING);
}

/// Age alone decides, and nobody may remove the guard of a crashed process: until a person does,
/// updates that find a lock left behind run unlocked.
#[test]
fn without_kernel_locks_a_dead_guard_stays() {
    let gateless = Lock {
        kernel_locks: false,
        ..ONE_HOST
    };
    holds_except("lock, BBB, no kernel locks", gateless, &[ENDS_LOCKED]);
}

#[test]
fn mutant_take_over_without_the_guard() {
    breaks_without(Rule::TakeOverUnderGuard, ONE_HOST, ONE_HOLDER);
}

#[test]
fn mutant_take_over_without_a_second_look() {
    breaks_without(Rule::TakeOverLooksAgain, ONE_HOST, ONE_HOLDER);
}

#[test]
fn mutant_release_without_the_guard() {
    breaks_without(Rule::ReleaseUnderGuard, ONE_HOST, ONE_HOLDER);
}

#[test]
fn mutant_release_without_the_token() {
    breaks_without(Rule::ReleaseChecksToken, ONE_HOST, ONE_HOLDER);
}

#[test]
fn mutant_a_record_without_gate_is_judged_dead() {
    breaks_without(Rule::OnlyGatedRecordsProveDeath, ONE_HOST, ONE_HOLDER);
}

#[test]
fn mutant_anyone_removes_a_dead_guard() {
    breaks_without(Rule::OnlyGateHoldersRemoveGuards, ONE_HOST, ONE_HOLDER);
}

#[test]
fn mutant_a_foreign_lock_is_stolen_when_old() {
    breaks_without(Rule::ForeignLocksStay, TWO_HOSTS, FOREIGN);
}

#[test]
fn mutant_a_waiter_for_a_foreign_lock_keeps_the_gate() {
    breaks_without(Rule::WaitersLetGoOfTheGate, SHARED_GATE, STARVED);
}

#[test]
fn mutant_the_age_of_a_holder_with_its_gate_is_believed_at_once() {
    breaks_without(Rule::AgeOfALiveGateIsWatched, JUMPING, ONE_HOLDER);
}

fn breaks_without(rule: Rule, lock: Lock, property: &'static str) {
    breaks(
        &format!("{rule:?}"),
        Lock {
            without: Some(rule),
            ..lock
        },
        property,
    );
}
