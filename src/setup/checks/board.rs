//! Whether the board can be read, and is one that will be written.

use crate::Timestamp;
use crate::board::{Board, Condition, Field, MOST_CELLS, Slot, Status, Table, tables, to_text};
use crate::commit::LIMIT;
use crate::disk::{Links, read_small};
use crate::setup::check::{Finding, Inspection};
use std::collections::{BTreeSet, HashSet};

const PRUNE_AFTER_MS: i64 = 30 * 24 * 60 * 60 * 1000;
/// The old rows from which on it is worth a word.
const MANY: usize = 20;

/// Checks the board.
pub fn check(inspection: &Inspection) -> Vec<Finding> {
    let Ok(place) = &inspection.place else {
        return Vec::new();
    };
    let mut checks = Vec::new();
    let path = place.board.display();
    let fail = |text: String, advice: &str| Finding::fail("board", text, advice.to_owned());
    let bytes = match read_small(&place.target, LIMIT, Links::Refuse) {
        Ok(Some(read)) => read.bytes,
        Ok(None) => {
            checks.push(Finding::note(
                "board",
                format!("`{path}` does not exist yet; the first update creates it"),
            ));
            return checks;
        }
        Err(error) => {
            checks.push(fail(
                format!("`{path}` cannot be read: {error}"),
                "move it away, or name another with --board",
            ));
            return checks;
        }
    };
    let text = match to_text(&bytes) {
        Ok(text) => text,
        Err(error) => {
            checks.push(fail(
                format!("`{path}` is not UTF-8 text ({error})"),
                "move it away, or name another with --board",
            ));
            return checks;
        }
    };
    checks.push(match Board::condition_of(&text) {
        Condition::Handwritten => fail(
            format!("`{path}` was not created by boardsync, and is never written"),
            "move it away, or name another with --board",
        ),
        Condition::Conflicted => fail(
            format!("`{path}` has conflict markers"),
            "repair it with `boardsync merge --resolve`",
        ),
        Condition::Damaged { line } => fail(
            format!("line {line} of `{path}` is a row or head of the board, but not in a table"),
            "repair the table by hand",
        ),
        Condition::TooManyCells => {
            checks.push(fail(
                format!("`{path}` has more than {MOST_CELLS} cells"),
                "repair the table by hand, or move it away",
            ));
            return checks;
        }
        Condition::Ours => table(&text).unwrap_or_else(|| {
            Finding::ok("board", format!("`{path}` is a board that can be read"))
        }),
    });
    let board = Board::parse(&text);
    checks.extend(twins(&board));
    checks.extend(old(&board, inspection.now));
    checks
}

/// Looks for a table with the seven columns; `None` if it is there.
fn table(text: &str) -> Option<Finding> {
    let is = |title: &str, field: Field| title.trim().eq_ignore_ascii_case(field.title());
    let all = tables(text).into_iter().filter(|placed| {
        let titles = placed.table.titles();
        [Field::Repo, Field::Status]
            .iter()
            .all(|field| titles.iter().any(|title| is(title, *field)))
    });
    let all: Vec<Table> = all.map(|placed| placed.table).collect();
    if all.len() > 1 {
        return Some(Finding::warn(
            "board",
            format!(
                "{} tables have the columns Repo and Status; only the first is read",
                all.len()
            ),
            "move all rows into the first, and remove the others",
        ));
    }
    let Some(table) = all.first() else {
        return Some(Finding::warn(
            "board",
            "it has no table with the columns Repo and Status that is not code or comment",
            "the next update adds one; repair the old one if there was one",
        ));
    };
    let titles = table.titles();
    let missing: Vec<&str> = Field::ALL
        .into_iter()
        .filter(|field| *field != Field::Host)
        .filter(|field| !titles.iter().any(|title| is(title, *field)))
        .map(Field::title)
        .collect();
    (!missing.is_empty()).then(|| {
        Finding::warn(
            "board",
            format!("its table lacks the columns {}", missing.join(", ")),
            "the next update that has something for them adds them",
        )
    })
}

fn twins(board: &Board) -> Option<Finding> {
    let mut seen: HashSet<Slot> = HashSet::new();
    let twin: BTreeSet<String> = board
        .rows
        .iter()
        .filter(|row| !seen.insert(board.slot_of(row)))
        .map(|row| row.repo().into_owned())
        .collect();
    let first = twin.first()?;
    Some(Finding::warn(
        "duplicate-rows",
        format!("{} repositories have two rows, like `{first}`", twin.len()),
        "the next update keeps the newer of each",
    ))
}

fn old(board: &Board, now: Timestamp) -> Option<Finding> {
    let is_old = |row: &&crate::board::Row| {
        matches!(row.status(), Some(Status::Closed | Status::ForceClosed))
            && row
                .heartbeat()
                .is_some_and(|heartbeat| now.since(heartbeat) > PRUNE_AFTER_MS)
    };
    let count = board.rows.iter().filter(is_old).count();
    (count >= MANY).then(|| {
        Finding::note(
            "old-rows",
            format!("{count} rows were closed more than 30 days ago: `boardsync prune` drops them"),
        )
    })
}
