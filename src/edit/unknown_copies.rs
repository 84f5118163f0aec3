//! Boards beside the board whose names no known sync tool gives: reported, and
//! left alone, for a person may have made them.

use super::conflict_copies::MAX_COPY_BYTES;
use super::siblings::{name_of, sort};
use crate::config::vault::BoardPlace;
use crate::disk::Entry;
use crate::printable::{printable, shell_quoted};
use std::path::Path;

/// Returns the boards among `copies` whose names are not in `reported` yet, and
/// replaces those names by the names of all boards among `copies`.
pub fn unreported(copies: &[Entry], reported: &mut Vec<String>) -> Vec<Entry> {
    let (known, new): (Vec<_>, Vec<_>) = copies
        .iter()
        .partition(|entry| reported.contains(&name_of(entry)));
    let new = sort(new.into_iter().cloned(), MAX_COPY_BYTES, MAX_COPY_BYTES).boards;
    // Those that are gone need no remembering.
    *reported = known.into_iter().chain(&new).map(name_of).collect();
    new
}

/// Reports boards in one line, with the command that adopts the first.
pub fn note_of(copies: &[Entry], place: &BoardPlace) -> Option<String> {
    const NAMED: usize = 3;
    let first = copies.first()?;
    let adopt = command_to_adopt(place, first);
    let named: Vec<String> = copies
        .iter()
        .take(NAMED)
        .map(|copy| format!("`{}`", printable(&name_of(copy), 100)))
        .collect();
    let named = named.join(", ");
    Some(match copies.len() {
        1 => format!(
            "{named}, beside the board, is also a board; if it is a copy, let the next update join it: {adopt}"
        ),
        count => {
            let more = match count.saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more, named by `boardsync doctor`"),
            };
            format!(
                "{count} files beside the board are also boards: {named}{more}; if they are copies, \
                 let the next update join them, the first one by: {adopt}"
            )
        }
    })
}

/// Returns the command that has the next update join a sibling.
pub fn command_to_adopt(place: &BoardPlace, sibling: &Entry) -> String {
    let stem = place.target.file_stem().unwrap_or_default();
    let stem = stem.to_string_lossy();
    let folder = place.target.parent().unwrap_or(Path::new("."));
    let mut names = (1..100).map(|count| folder.join(format!("{stem} ({count}).md")));
    let free = names.find(|path| path.symlink_metadata().is_err());
    format!(
        "mv {} {}",
        shell_quoted(&sibling.path().to_string_lossy()),
        shell_quoted(&free.unwrap_or_default().to_string_lossy())
    )
}
