//! What sync tools put beside the board, and what they have not fetched yet.

use crate::disk::Entry;
use crate::edit::{MAX_SIBLINGS, command_to_adopt, largest_copy, siblings, sort};
use crate::setup::check::{Findings, Inspection};

const ID: &str = "conflict-copies";
/// The bytes that are read of copies, and as many of other siblings.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// The boards of unknown names that are listed.
const MAX_SHOWN: usize = 10;

/// Checks the folder of the board.
pub fn check(inspection: &Inspection, findings: &mut Findings) {
    let Ok(place) = &inspection.place else {
        return;
    };
    let before = findings.0.len();
    if std::fs::symlink_metadata(place.placeholder()).is_ok() {
        let path = place.board.display();
        let text = format!("`{path}` is in iCloud but not on this disk");
        findings.fail("icloud", text, "open it once in the Finder");
    }
    let (copies, unknown) = siblings(place).unwrap_or_default();
    let is_all = copies.len() + unknown.len() < MAX_SIBLINGS;
    let copies = sort(copies, largest_copy(place), MAX_BYTES);
    let unknown = sort(unknown, largest_copy(place), MAX_BYTES);
    if let Some(text) = many(&copies.boards, "copy of the board", "copies of the board") {
        let advice = match copies.boards.len() {
            1..=16 => "the next update joins them, and a later one moves them away",
            _ => "the next updates join them, a few at a time, and move them away",
        };
        findings.warn(ID, text, advice);
    }
    let largest = largest_copy(place) / 1024;
    for (files, why) in [
        (
            &copies.too_large,
            format!("more than {largest} KiB, which no update joins"),
        ),
        (&copies.others, "not a board".to_owned()),
    ] {
        if let Some(text) = many(files, "file named like a copy", "files named like copies") {
            findings.warn(ID, format!("{text}: {why}"), "look at it, and move it away");
        }
    }
    let unread = copies.unread + unknown.unread;
    if unread > 0 || !is_all {
        let count = match is_all {
            true => format!("{unread} were not looked at"),
            false => format!("only {MAX_SIBLINGS} were looked at"),
        };
        let text = format!("more files than this are named like the board: {count}");
        findings.warn(ID, text, "move those away that are not needed");
    }
    for entry in unknown.boards.iter().take(MAX_SHOWN) {
        let path = entry.path();
        let path = path.display();
        let text = format!("`{path}` is a board too, but no known sync tool uses such a name");
        let command = command_to_adopt(place, entry);
        let advice = format!("if it is a copy, have the next update join it: {command}");
        findings.warn(ID, text, advice);
    }
    if findings.0.len() == before {
        findings.ok(ID, "no sync tool left a copy of the board");
    }
}

/// Counts entries, and names the first; `None` for an empty list.
fn many(entries: &[Entry], one: &str, several: &str) -> Option<String> {
    let first = entries.first()?.path();
    let first = first.display();
    Some(match entries.len() {
        1 => format!("1 {one}, `{first}`"),
        count => format!("{count} {several}, like `{first}`"),
    })
}
