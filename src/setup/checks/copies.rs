//! What sync tools put beside the board, and what they have not fetched yet.

use crate::edit::{command_to_adopt, is_a_board, siblings};
use crate::setup::check::{Finding, Inspection};
use std::path::Path;

const ID: &str = "conflict-copies";

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
    let folder = place.target.parent().unwrap_or(Path::new("."));
    let (known, unknown) = siblings(place);
    let is_board = |name: &&String| is_a_board(place, name);
    let (ours, foreign): (Vec<&String>, Vec<&String>) = known.iter().partition(is_board);
    let strangers: Vec<&String> = unknown.iter().filter(is_board).collect();
    let shown = |name: &str| folder.join(name).display().to_string();
    if let Some(name) = ours.first() {
        checks.push(Finding::warn(
            ID,
            format!("{} beside the board, like `{}`", ours.len(), shown(name)),
            "the next update joins them",
        ));
    }
    if let Some(name) = foreign.first() {
        checks.push(Finding::warn(
            ID,
            format!("`{}` is named like a copy, but is not a board", shown(name)),
            "look at it, and move it away",
        ));
    }
    checks.extend(strangers.iter().map(|name| {
        Finding::warn(
            ID,
            format!(
                "`{}` is a board too, but no known sync tool uses such a name",
                shown(name)
            ),
            format!(
                "if it is a copy, have the next update join it: {}",
                command_to_adopt(place, name)
            ),
        )
    }));
    if checks.is_empty() {
        checks.push(Finding::ok(ID, "no sync tool left a copy of the board"));
    }
    checks
}
