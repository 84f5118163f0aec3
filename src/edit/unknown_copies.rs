//! Boards beside the board whose names no known sync tool gives: reported, and
//! left alone, for a person may have made them.

use super::conflict_copies::{BYTES, LISTED};
use super::refusal::is_ours;
use crate::config::vault::BoardPlace;
use crate::conflict_copy::is_conflict_copy;
use crate::disk::{self, Entry, FileKind, Links, read_small};
use crate::printable::shell_quoted;
use std::io;
use std::path::Path;

/// Lists the siblings with the name of a conflict copy, and those whose names
/// only begin and end as the board's does; at most [`LISTED`] in all.
pub fn siblings(place: &BoardPlace) -> io::Result<(Vec<Entry>, Vec<Entry>)> {
    let board = place.entry()?;
    let name = place.target.file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let is_beside = |other: &str| is_sibling(&name, other);
    let mut names = board.in_folder().list(LISTED, is_beside)?;
    names.sort();
    let (copies, unknown): (Vec<_>, Vec<_>) = names
        .into_iter()
        .partition(|other| is_conflict_copy(&name, other));
    let entries = |names: Vec<String>| names.iter().map(|name| board.sibling(name)).collect();
    Ok((entries(copies), entries(unknown)))
}

/// Returns whether a name begins and ends as the board's does.
fn is_sibling(board: &str, name: &str) -> bool {
    let (stem, extension) = board.rsplit_once('.').unwrap_or((board, ""));
    name != board && name.starts_with(stem) && name.ends_with(extension)
}

/// Siblings of the board by what they are.
#[derive(Debug, Default)]
pub struct Sorted {
    /// Boards of ours.
    pub boards: Vec<Entry>,
    /// Files that are too large, boards or not.
    pub too_large: Vec<Entry>,
    /// Anything else.
    pub others: Vec<Entry>,
    /// Files that were not read, since `budget` was used up.
    pub unread: usize,
}

/// Sorts siblings by what they are, for which it reads at most `budget` bytes,
/// and none that has more than `largest`.
pub fn sort(siblings: impl IntoIterator<Item = Entry>, largest: u64, mut budget: u64) -> Sorted {
    let mut sorted = Sorted::default();
    for entry in siblings {
        // Gone meanwhile: then it is none.
        let Ok(status) = disk::status(&entry) else {
            continue;
        };
        let is_file = status.kind.is_none();
        if is_file && status.length > largest {
            sorted.too_large.push(entry);
        } else if is_file && status.length > budget {
            sorted.unread += 1;
        } else if let Ok(Some(read)) = read_small(&entry, largest.min(budget), Links::Refuse) {
            budget -= read.bytes.len() as u64;
            match is_ours(&read.bytes) {
                true => sorted.boards.push(entry),
                false => sorted.others.push(entry),
            }
        } else if status.kind != Some(FileKind::Folder) {
            sorted.others.push(entry);
        }
    }
    sorted
}

/// Returns the boards among `copies` whose names are not in `reported` yet, and
/// replaces those names by the names of all boards among `copies`.
pub fn unreported(copies: &[Entry], reported: &mut Vec<String>) -> Vec<Entry> {
    let (known, new): (Vec<_>, Vec<_>) = copies
        .iter()
        .partition(|entry| reported.contains(&name_of(entry)));
    let new = sort(new.into_iter().cloned(), BYTES, BYTES).boards;
    // Those that are gone need no remembering.
    *reported = known.into_iter().chain(&new).map(name_of).collect();
    new
}

/// Returns the name of a sibling.
pub fn name_of(entry: &Entry) -> String {
    let path = entry.path();
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
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
