//! The configurations that are explored, the mutants that must fail, and the limits of the promise.

use super::Host::{A, B};
use super::{Commit, Latch, Rule};
use crate::checking::{breaks, holds};

const WRITTEN: &str = "what was written is in the board";
const EDIT: &str = "an outsider's edit is in the board";

/// Three updates with nothing but the swap: no lock, no latch.
const EXCHANGE_ONLY: Commit = Commit {
    parties: &[A, A, A],
    edits: 1,
    crashes: 2,
    oversleeps: 1,
    latch: Latch::Absent,
    exchange: true,
    edits_in_the_gap: true,
    without: None,
};

/// One host whose latch everyone waits for, and no swap.
const LATCH_ONLY: Commit = Commit {
    latch: Latch::Kept,
    exchange: false,
    edits_in_the_gap: false,
    ..EXCHANGE_ONLY
};

#[test]
fn exchange_alone_loses_nothing() {
    let one_crash = Commit {
        crashes: 1,
        ..EXCHANGE_ONLY
    };
    holds("commit, exchange only, 3 updates, 1 edit", one_crash);
}

#[test]
fn exchange_alone_loses_nothing_however_often_files_are_adopted() {
    let quiet = Commit {
        edits: 0,
        oversleeps: 6,
        ..EXCHANGE_ONLY
    };
    holds("commit, exchange only, 3 updates, no edit", quiet);
    let pair = Commit {
        parties: &[A, A],
        edits: 2,
        oversleeps: 2,
        ..EXCHANGE_ONLY
    };
    holds("commit, exchange only, 2 updates, 2 edits", pair);
}

#[test]
fn a_latch_that_may_fail_changes_nothing() {
    let quiet = Commit {
        latch: Latch::Bounded,
        parties: &[A, A, B],
        edits: 0,
        ..EXCHANGE_ONLY
    };
    holds("commit, exchange and latch, 2 + 1 updates, no edit", quiet);
    let pair = Commit {
        latch: Latch::Bounded,
        parties: &[A, B],
        edits: 1,
        ..EXCHANGE_ONLY
    };
    holds("commit, exchange and latch, 1 + 1 updates, 1 edit", pair);
}

#[test]
fn without_exchange_a_kept_latch_is_enough_on_one_host() {
    let busy = Commit {
        edits: 2,
        oversleeps: 3,
        ..LATCH_ONLY
    };
    holds("commit, latch only, 3 updates, 2 edits", busy);
}

#[test]
#[ignore = "minutes"]
fn exchange_alone_loses_nothing_whoever_crashes() {
    let all = Commit {
        crashes: 3,
        oversleeps: 2,
        ..EXCHANGE_ONLY
    };
    holds("commit, exchange only, 3 updates, 1 edit, all crash", all);
}

#[test]
fn mutant_three_way_merge_instead_of_join() {
    breaks_without(
        Rule::Join,
        Commit {
            edits: 0,
            ..EXCHANGE_ONLY
        },
        WRITTEN,
    );
}

#[test]
fn mutant_a_leftover_is_removed_unread() {
    breaks_without(
        Rule::LeftoversAreJoined,
        Commit {
            edits: 0,
            ..EXCHANGE_ONLY
        },
        WRITTEN,
    );
}

/// Even on one host with a latch: the owner of the file is paused, and holds it.
#[test]
fn mutant_a_leftover_is_judged_where_it_lies() {
    let latched = Commit {
        latch: Latch::Bounded,
        edits: 0,
        ..EXCHANGE_ONLY
    };
    breaks_without(Rule::LeftoversAreClaimed, latched, WRITTEN);
}

/// Even where nobody gives up the latch.
#[test]
fn mutant_a_displaced_board_is_staged_over() {
    let latched = Commit {
        latch: Latch::Kept,
        ..EXCHANGE_ONLY
    };
    breaks_without(Rule::DisplacedStays, latched, EDIT);
}

/// Even where nobody gives up the latch.
#[test]
fn mutant_prose_is_taken_from_a_leftover() {
    let latched = Commit {
        latch: Latch::Kept,
        ..EXCHANGE_ONLY
    };
    breaks_without(Rule::ProseOfLeftoversIsJoined, latched, EDIT);
}

/// Without a crash, where there is no latch; and across hosts, although each keeps its latch.
#[test]
fn mutant_prose_is_taken_from_the_displaced_board() {
    let wakeful = Commit {
        crashes: 0,
        oversleeps: 0,
        ..EXCHANGE_ONLY
    };
    breaks_without(Rule::ProseIsJoined, wakeful, EDIT);
    let across_hosts = Commit {
        parties: &[A, B],
        latch: Latch::Kept,
        ..EXCHANGE_ONLY
    };
    breaks_without(Rule::ProseIsJoined, across_hosts, EDIT);
}

/// Nobody but an outsider can have written what one host displaces while it keeps its latch.
#[test]
fn prose_of_the_displaced_board_is_enough_on_one_host_with_a_kept_latch() {
    let latched = Commit {
        latch: Latch::Kept,
        without: Some(Rule::ProseIsJoined),
        ..EXCHANGE_ONLY
    };
    holds("commit, prose of the displaced, kept latch", latched);
}

#[test]
fn limit_without_exchange_an_edit_between_compare_and_rename_is_lost() {
    breaks(
        "limit",
        Commit {
            edits_in_the_gap: true,
            ..LATCH_ONLY
        },
        EDIT,
    );
}

#[test]
fn limit_without_exchange_a_latch_that_is_given_up_loses_updates() {
    breaks(
        "limit",
        Commit {
            latch: Latch::Bounded,
            edits: 0,
            ..LATCH_ONLY
        },
        WRITTEN,
    );
}

#[test]
fn limit_without_exchange_or_lock_a_second_host_loses_updates() {
    breaks(
        "limit",
        Commit {
            parties: &[A, A, B],
            edits: 0,
            ..LATCH_ONLY
        },
        WRITTEN,
    );
}

fn breaks_without(rule: Rule, commit: Commit, property: &'static str) {
    breaks(
        &format!("{rule:?}"),
        Commit {
            without: Some(rule),
            ..commit
        },
        property,
    );
}
