//! Whether rows tell hosts apart, where several hosts write.

use super::lock;
use crate::board::{Board, Condition, Field};
use crate::edit;
use crate::setup::check::{Findings, Inspection};
use std::collections::BTreeSet;

/// Looks for other hosts' locks, copies and rows.
pub fn check(inspection: &Inspection, findings: &mut Findings) {
    let Ok(place) = &inspection.place else {
        return;
    };
    let read = place.read().ok().flatten();
    let Some(text) = read.map(|read| String::from_utf8_lossy(&read.bytes).into_owned()) else {
        return;
    };
    if Board::condition_of(&text) != Condition::Ours {
        return;
    }
    let board = Board::parse(&text);
    let hosts = board.rows.iter().filter_map(|row| row.get(Field::Host));
    let count = hosts.collect::<BTreeSet<_>>().len();
    if board.is_shared() {
        findings.ok("hosts", format!("rows name their host, {count} so far"));
    } else if lock::is_foreign(inspection, place)
        || edit::siblings(place).is_ok_and(|(copies, _)| !copies.is_empty())
    {
        findings.warn(
            "hosts",
            "another host seems to write this board, but its rows do not name hosts",
            "run `boardsync init --shared`",
        );
    } else {
        findings.ok("hosts", "no other host was seen here");
    }
}
