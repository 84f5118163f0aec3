//! Whether the board can be read, and is one that will be written.

use crate::Timestamp;
use crate::board::{Board, Condition, Field, MAX_CELLS, Row, Slot, Status, Table, tables, to_text};
use crate::setup::check::{Findings, Inspection};
use std::collections::{BTreeSet, HashSet};

const PRUNE_AFTER_MS: i64 = 30 * 24 * 60 * 60 * 1000;
const ELSEWHERE: &str = "move it away, or name another with --board";
/// The number of old rows that is worth a note.
const MANY: usize = 20;

/// Checks the board.
pub fn check(inspection: &Inspection, findings: &mut Findings) {
    let Ok(place) = &inspection.place else {
        return;
    };
    let path = place.board.display();
    let id = "board";
    let bytes = match place.read() {
        Ok(Some(read)) => read.bytes,
        Ok(None) => {
            let text = format!("`{path}` does not exist yet; the first update creates it");
            return findings.note(id, text);
        }
        Err(error) => {
            let text = format!("`{path}` cannot be read: {error}");
            return findings.fail(id, text, ELSEWHERE);
        }
    };
    let text = match to_text(&bytes) {
        Ok(text) => text,
        Err(error) => {
            let text = format!("`{path}` is not UTF-8 text ({error})");
            return findings.fail(id, text, ELSEWHERE);
        }
    };
    match Board::condition_of(&text) {
        Condition::Handwritten => findings.fail(
            id,
            format!("`{path}` was not created by boardsync, and is never written"),
            ELSEWHERE,
        ),
        Condition::Conflicted => findings.fail(
            id,
            format!("`{path}` has conflict markers"),
            "repair it with `boardsync merge --resolve`",
        ),
        Condition::Damaged { line } => findings.fail(
            id,
            format!("line {line} of `{path}` is a row or head of the board, but not in a table"),
            "repair the table by hand",
        ),
        Condition::TooManyCells => {
            let text = format!("`{path}` has more than {MAX_CELLS} cells");
            return findings.fail(id, text, "repair the table by hand, or move it away");
        }
        Condition::Ours => match table_fault(&text) {
            Some((fault, advice)) => findings.warn(id, fault, advice),
            None => findings.ok(id, format!("`{path}` is a board that can be read")),
        },
    }
    let board = Board::parse(&text);
    if let Some((count, first)) = duplicates(&board) {
        findings.warn(
            "duplicate-rows",
            format!("{count} repositories have two rows, like `{first}`"),
            "the next update keeps the newer of each",
        );
    }
    let count = board
        .rows
        .iter()
        .filter(|row| is_old(row, inspection.now))
        .count();
    if count >= MANY {
        findings.note(
            "old-rows",
            format!("{count} rows were closed more than 30 days ago: `boardsync prune` drops them"),
        );
    }
}

/// Looks for a table with the seven columns; returns what is wrong, and what to do.
fn table_fault(text: &str) -> Option<(String, &'static str)> {
    let has = |table: &Table, field: Field| {
        let mut titles = table.titles().into_iter();
        titles.any(|title| title.trim().eq_ignore_ascii_case(field.title()))
    };
    let all = tables(text).into_iter().map(|placed| placed.table);
    let all = all.filter(|table| has(table, Field::Repo) && has(table, Field::Status));
    let all: Vec<Table> = all.collect();
    let count = all.len();
    if count > 1 {
        return Some((
            format!("{count} tables have the columns Repo and Status; only the first is read"),
            "move all rows into the first, and remove the others",
        ));
    }
    let Some(table) = all.first() else {
        return Some((
            "it has no table with the columns Repo and Status that is not code or comment"
                .to_owned(),
            "the next update adds one; repair the old one if there was one",
        ));
    };
    let mut missing = Field::ALL.to_vec();
    missing.retain(|field| *field != Field::Host && !has(table, *field));
    let missing: Vec<&str> = missing.into_iter().map(Field::title).collect();
    (!missing.is_empty()).then(|| {
        (
            format!("its table lacks the columns {}", missing.join(", ")),
            "the next update that has something for them adds them",
        )
    })
}

/// Counts the repositories with more than one row, and names the first.
fn duplicates(board: &Board) -> Option<(usize, String)> {
    let mut slots: HashSet<Slot> = HashSet::new();
    let again = board
        .rows
        .iter()
        .filter(|row| !slots.insert(board.slot_of(row)));
    let names: BTreeSet<String> = again.map(|row| row.repo().into_owned()).collect();
    Some((names.len(), names.first()?.clone()))
}

fn is_old(row: &Row, now: Timestamp) -> bool {
    let is_closed = matches!(row.status(), Some(Status::Closed | Status::ForceClosed));
    let heartbeat = row.heartbeat();
    is_closed && heartbeat.is_some_and(|heartbeat| now.since(heartbeat) > PRUNE_AFTER_MS)
}
