//! Boards beside the board whose names no known sync tool gives: told of, and
//! left alone, for a person may have made them.

use super::refusal::is_ours;
use crate::commit::LIMIT;
use crate::disk::{self, read_regular};
use crate::is_conflict_copy;
use crate::vault::Place;
use std::path::Path;

/// Lists the siblings with the name of a conflict copy, and those whose names
/// only begin and end as the board's does.
pub fn siblings(place: &Place) -> (Vec<String>, Vec<String>) {
    let board = place.target.file_name().unwrap_or_default();
    let board = board.to_string_lossy();
    let names = disk::list(folder(place), |name: &str| is_sibling(&board, name));
    let names = names.unwrap_or_default().into_iter();
    names.partition(|name| is_conflict_copy(&board, name))
}

/// Tells whether a name begins and ends as the board's does.
pub(super) fn is_sibling(board: &str, name: &str) -> bool {
    let (stem, extension) = board.rsplit_once('.').unwrap_or((board, ""));
    name != board && name.starts_with(stem) && name.ends_with(extension)
}

/// Tells whether a sibling is a board of ours.
pub fn is_a_board(place: &Place, name: &str) -> bool {
    let read = read_regular(&folder(place).join(name), LIMIT);
    read.is_ok_and(|read| read.is_some_and(|read| is_ours(&read.bytes)))
}

/// Gives the command that has the next update join a sibling.
pub fn command_to_adopt(place: &Place, name: &str) -> String {
    let stem = place
        .target
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let mut names = (1..100).map(|count| folder(place).join(format!("{stem} ({count}).md")));
    let free = names.find(|path| path.symlink_metadata().is_err());
    format!(
        "mv {} {}",
        quoted(&folder(place).join(name)),
        quoted(&free.unwrap_or_default())
    )
}

fn folder(place: &Place) -> &Path {
    place.target.parent().unwrap_or(Path::new("."))
}

/// Quotes a path for a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}
