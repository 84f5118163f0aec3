use super::Host::{A, B};
use super::{Commit, Latch, Rule};
use crate::checking::{breaks, holds};
const WRITTEN: &str = "what was written is in the board";
const EDIT: &str = "an outsider's edit is in the board";

const TWO_HOSTS: Commit = Commit {
    parties: &[A, A, A],
    edits: 1,
    crashes: 1,
    oversleeps: 1,
    latch: Latch::Bounded,
    exchange: true,
    edits_in_the_gap: true,
    without: None,
};
#[test]
fn commit_trio() {
    for (crashes, oversleeps, edits) in [(1,0,1),(1,1,1),(2,0,1),(2,1,1)] {
        holds(&format!("commit, exchange only 3, {crashes} {oversleeps} {edits}"), Commit { latch: Latch::Absent, edits, crashes, oversleeps, ..TWO_HOSTS });
    }
}
#[test]
fn commit_pair() {
    for (crashes, oversleeps, edits) in [(2,2,0), (2,2,1), (2,1,2), (2,2,2)] {
        holds(&format!("commit, exchange only 2, {crashes} {oversleeps} {edits}"), Commit { parties: &[A,A], latch: Latch::Absent, edits, crashes, oversleeps, ..TWO_HOSTS });
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
