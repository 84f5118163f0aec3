//! What sync tools put beside the board, and what they have not fetched yet.

use crate::disk::{self, read_regular};
use crate::edit::is_ours;
use crate::setup::check::{Finding, Inspection};
use crate::vault::Place;
use crate::{commit, is_conflict_copy};
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
    let is_board = |name: &&String| is_a_board(&folder.join(name));
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
                "if it is a copy, have the next update join it: mv {} {}",
                quoted(&shown(name)),
                quoted(&adopted(place))
            ),
        )
    }));
    if checks.is_empty() {
        checks.push(Finding::ok(ID, "no sync tool left a copy of the board"));
    }
    checks
}

fn is_a_board(path: &Path) -> bool {
    read_regular(path, commit::LIMIT)
        .is_ok_and(|read| read.is_some_and(|read| is_ours(&read.bytes)))
}

/// Lists the siblings with the name of a conflict copy, and those whose names
/// only begin and end as the board's does.
pub fn siblings(place: &Place) -> (Vec<String>, Vec<String>) {
    let board = place.target.file_name().unwrap_or_default();
    let board = board.to_string_lossy();
    let (stem, extension) = board.rsplit_once('.').unwrap_or((&board, ""));
    let is_sibling =
        |name: &str| name != board && name.starts_with(stem) && name.ends_with(extension);
    let folder = place.target.parent().unwrap_or(Path::new("."));
    let names = disk::list(folder, is_sibling).unwrap_or_default();
    names
        .into_iter()
        .partition(|name| is_conflict_copy(&board, name))
}

/// Gives a name that nothing has, and that an update takes for a copy's.
fn adopted(place: &Place) -> String {
    let stem = place
        .target
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let names = (1..100).map(|count| place.target.with_file_name(format!("{stem} ({count}).md")));
    let mut free = names.filter(|path| path.symlink_metadata().is_err());
    free.next().unwrap_or_default().display().to_string()
}

/// Quotes a path for a shell.
fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', r"'\''"))
}
