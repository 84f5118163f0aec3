//! The configurations that are explored, and the mutants that must fail.

use super::Host::{A, B};
use super::{Commit, Latch, Rule};
use crate::checking::{breaks, holds};

const WRITTEN: &str = "what was written is in the board";
const EDIT: &str = "an outsider's edit is in the board";

const TWO_HOSTS: Commit = Commit {
    parties: &[A, A, B],
    edits: 1,
    latch: Latch::Bounded,
    exchange: true,
    edits_in_the_gap: true,
    without: None,
};

#[test]
fn commit_pair() {
    for edits in 0..3 {
        holds(&format!("commit, exchange only, 2, {edits} edits"), Commit { parties: &[A, A], latch: Latch::Absent, edits, ..TWO_HOSTS });
    }
}

#[test]
fn commit_trio_noedits() {
    holds("commit, exchange only 3, 0 edits", Commit { latch: Latch::Absent, edits: 0, ..TWO_HOSTS });
}

#[test]
fn commit_trio_bounded() {
    holds("commit, 3 on 2 hosts, bounded, 0 edits", Commit { edits: 0, ..TWO_HOSTS });
    holds("commit, 3 on 1 hosts, bounded, 0 edits", Commit { edits: 0, parties: &[A,A,A], ..TWO_HOSTS });
    holds("commit, 3 on 2 hosts, bounded, 1 edits", Commit { edits: 1, ..TWO_HOSTS });
}
#[test]
fn commit_trio() {
    holds("commit, exchange only 3, 1 edits", Commit { latch: Latch::Absent, edits: 1, ..TWO_HOSTS });
}
#[test]
fn commit_noexchange() {
    for edits in 0..3 {
    holds("commit, no exchange 3, kept", Commit { parties: &[A,A,A], latch: Latch::Kept, exchange: false, edits_in_the_gap: false, edits, ..TWO_HOSTS });
    }
}
#[test]
fn commit_mutants() {
    for rule in [Rule::Join, Rule::LeftoversAreJoined, Rule::LeftoversAreClaimed, Rule::DisplacedStays] {
        breaks(&format!("{rule:?}"), Commit { edits: 0, latch: Latch::Absent, without: Some(rule), ..TWO_HOSTS }, WRITTEN);
    }
    breaks("prose", Commit { edits: 1, latch: Latch::Absent, without: Some(Rule::ProseIsJoined), ..TWO_HOSTS }, EDIT);
    breaks("prose, latch", Commit { edits: 1, parties: &[A,A], latch: Latch::Kept, without: Some(Rule::ProseIsJoined), ..TWO_HOSTS }, EDIT);
}
