//! The configurations that are explored, and the mutants that must fail.

use super::Host::{A, B};
use super::Kind::{Boardsync, Node};
use super::{Lock, Rule};
use crate::checking::{breaks, holds};

const ONE_HOLDER: &str = "at most one wakeful holder";
const FOREIGN: &str = "a foreign lock or guard is never removed";
const ENDS_LOCKED: &str = "a new update ends locked";

/// Two boardsyncs on one host, a third on another, one volume.
const TWO_HOSTS: Lock = Lock {
    parties: &[(Boardsync, A), (Boardsync, A), (Boardsync, B)],
    kernel_locks: true,
    without: None,
};

/// Three boardsyncs on one host.
const ONE_HOST: Lock = Lock { parties: &[(Boardsync, A); 3], ..TWO_HOSTS };

/// Two boardsyncs and the Node peer on one host.
const WITH_NODE: Lock = Lock { parties: &[(Boardsync, A), (Boardsync, A), (Node, A)], ..TWO_HOSTS };

#[test]
fn lock_two_hosts() {
    holds("lock, two hosts", TWO_HOSTS);
}

#[test]
fn lock_one_host() {
    holds("lock, one host", ONE_HOST);
}

#[test]
fn lock_with_node() {
    holds("lock, with Node", WITH_NODE);
}

#[test]
fn lock_four() {
    holds("lock, 4 one host", Lock { parties: &[(Boardsync, A); 4], ..TWO_HOSTS });
}
#[test]
fn lock_four_mixed() {
    holds("lock, BBN on A, B on B", Lock { parties: &[(Boardsync, A), (Boardsync, A), (Node, A), (Boardsync, B)], ..TWO_HOSTS });
}

#[test]
fn mutants() {
    for (rule, property) in [
        (Rule::TakeOverUnderGuard, ONE_HOLDER),
        (Rule::TakeOverLooksAgain, ONE_HOLDER),
        (Rule::ReleaseUnderGuard, ONE_HOLDER),
        (Rule::ReleaseChecksToken, ONE_HOLDER),
        (Rule::OnlyGatedRecordsProveDeath, ONE_HOLDER),
        (Rule::OnlyGateHoldersRemoveGuards, ONE_HOLDER),
        (Rule::ForeignLocksStay, FOREIGN),
    ] {
        let mutant = Lock { without: Some(rule), ..ONE_HOST };
        let mutant = if rule == Rule::ForeignLocksStay { Lock { without: Some(rule), ..TWO_HOSTS } } else { mutant };
        breaks(&format!("{rule:?}"), mutant, property);
    }
}

#[test]
fn no_kernel_locks() {
    breaks("no kernel locks", Lock { kernel_locks: false, ..ONE_HOST }, ENDS_LOCKED);
}
