//! What sync tools put beside the board, and what they have not fetched yet.

use crate::disk::Entry;
use crate::edit::{LISTED, command_to_adopt, largest_copy, siblings, sort};
use crate::setup::check::{Finding, Inspection};

const ID: &str = "conflict-copies";
/// How many bytes of copies are read, and as many of other siblings.
const READ: u64 = 16 * 1024 * 1024;
/// How many boards of unknown names are shown, a line each.
const SHOWN: usize = 10;

/// Checks the folder of the board.
pub fn check(inspection: &Inspection) -> Vec<Finding> {
    let Ok(place) = &inspection.place else {
        return Vec::new();
    };
    let mut checks = Vec::new();
    if std::fs::symlink_metadata(place.placeholder()).is_ok() {
        checks.push(Finding::fail(
            "icloud",
            format!(
                "`{}` is in iCloud but not on this disk",
                place.board.display()
            ),
            "open it once in the Finder",
        ));
    }
    let (copies, unknown) = siblings(place).unwrap_or_default();
    let is_all = copies.len() + unknown.len() < LISTED;
    let copies = sort(copies, largest_copy(place), READ);
    let unknown = sort(unknown, largest_copy(place), READ);
    if let Some(text) = many(&copies.boards, "copy of the board", "copies of the board") {
        let advice = match copies.boards.len() {
            1..=16 => "the next update joins them, and a later one moves them away",
            _ => "the next updates join them, a few at a time, and move them away",
        };
        checks.push(Finding::warn(ID, text, advice));
    }
    if let Some(text) = many(
        &copies.too_large,
        "file named like a copy",
        "files named like copies",
    ) {
        let largest = largest_copy(place) / 1024;
        let text = format!("{text}: more than {largest} KiB, which no update joins");
        checks.push(Finding::warn(ID, text, "look at it, and move it away"));
    }
    if let Some(text) = many(
        &copies.others,
        "file named like a copy",
        "files named like copies",
    ) {
        let text = format!("{text}: not a board");
        checks.push(Finding::warn(ID, text, "look at it, and move it away"));
    }
    let unread = copies.unread + unknown.unread;
    if unread > 0 || !is_all {
        let text = format!(
            "more files than this are named like the board: {}",
            match is_all {
                true => format!("{unread} were not looked at"),
                false => format!("only {LISTED} were looked at"),
            }
        );
        checks.push(Finding::warn(
            ID,
            text,
            "move those away that are not needed",
        ));
    }
    checks.extend(unknown.boards.iter().take(SHOWN).map(|entry| {
        let text = format!(
            "`{}` is a board too, but no known sync tool uses such a name",
            entry.path().display()
        );
        let command = command_to_adopt(place, entry);
        let advice = format!("if it is a copy, have the next update join it: {command}");
        Finding::warn(ID, text, advice)
    }));
    if checks.is_empty() {
        checks.push(Finding::ok(ID, "no sync tool left a copy of the board"));
    }
    checks
}

/// Counts entries, and names the first; `None` if there is none.
fn many(entries: &[Entry], one: &str, several: &str) -> Option<String> {
    let first = entries.first()?.path();
    let first = first.display();
    Some(match entries.len() {
        1 => format!("1 {one}, `{first}`"),
        count => format!("{count} {several}, like `{first}`"),
    })
}
