//! What sync tools put beside the board, and what they have not fetched yet.

use crate::disk::{self, read_regular};
use crate::edit::is_ours;
use crate::setup::check::{Finding, Inspection};
use crate::vault::Place;
use crate::{commit, is_conflict_copy};
use std::path::{Path, PathBuf};

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
    let names = names(place);
    let (ours, foreign): (Vec<PathBuf>, Vec<PathBuf>) = names
        .iter()
        .map(|name| folder.join(name))
        .partition(|path| is_a_board(path));
    if names.is_empty() {
        checks.push(Finding::ok(
            "conflict-copies",
            "no sync tool left a copy of the board",
        ));
    }
    if let Some(path) = ours.first() {
        checks.push(Finding::warn(
            "conflict-copies",
            format!("{} beside the board, like `{}`", ours.len(), path.display()),
            "the next update joins them",
        ));
    }
    if let Some(path) = foreign.first() {
        checks.push(Finding::warn(
            "conflict-copies",
            format!(
                "`{}` has the name of a copy, but is no board of ours",
                path.display()
            ),
            "look at it, and move it away",
        ));
    }
    checks
}

fn is_a_board(path: &Path) -> bool {
    read_regular(path, commit::LIMIT)
        .is_ok_and(|read| read.is_some_and(|read| is_ours(&read.bytes)))
}

/// Lists what has the name of a conflict copy.
pub fn names(place: &Place) -> Vec<String> {
    let board = place.target.file_name().unwrap_or_default();
    let board = board.to_string_lossy();
    let folder = place.target.parent().unwrap_or(Path::new("."));
    disk::list(folder, |name| is_conflict_copy(&board, name)).unwrap_or_default()
}
