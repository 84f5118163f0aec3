//! What sync tools put beside the board, and what they have not fetched yet.

use super::Check;
use crate::disk::{self, read_regular};
use crate::edit::is_ours;
use crate::vault::Place;
use crate::{commit, is_conflict_copy};
use std::path::{Path, PathBuf};

/// Checks the folder of the board; true if there are conflict copies.
pub fn check(place: &Place, checks: &mut Vec<Check>) -> bool {
    if std::fs::symlink_metadata(place.placeholder()).is_ok() {
        checks.push(Check::fail(
            "icloud",
            format!(
                "`{}` is in iCloud but not on this disk",
                place.board.display()
            ),
            "open it once in the Finder",
        ));
    }
    let folder = place.target.parent().unwrap_or(Path::new("."));
    let board = place
        .target
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let names = disk::list(folder, |name| is_conflict_copy(&board, name)).unwrap_or_default();
    let (ours, foreign): (Vec<PathBuf>, Vec<PathBuf>) = names
        .iter()
        .map(|name| folder.join(name))
        .partition(|path| is_a_board(path));
    if names.is_empty() {
        checks.push(Check::ok(
            "conflict-copies",
            "no sync tool left a copy of the board",
        ));
    }
    if let Some(path) = ours.first() {
        checks.push(Check::warn(
            "conflict-copies",
            format!("{} beside the board, like `{}`", ours.len(), path.display()),
            "the next update joins them",
        ));
    }
    if let Some(path) = foreign.first() {
        checks.push(Check::warn(
            "conflict-copies",
            format!(
                "`{}` has the name of a copy, but is no board of ours",
                path.display()
            ),
            "look at it, and move it away",
        ));
    }
    !names.is_empty()
}

fn is_a_board(path: &Path) -> bool {
    read_regular(path, commit::LIMIT)
        .is_ok_and(|read| read.is_some_and(|read| is_ours(&read.bytes)))
}
