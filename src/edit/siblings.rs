//! Files beside the board whose names are like the board's.

use super::refusal::is_ours;
use crate::config::vault::BoardPlace;
use crate::conflict_copy::is_conflict_copy;
use crate::disk::{self, Entry, FileKind, Links, read_small};
use std::io;

/// How many files beside a board one update looks at.
pub const MAX_SIBLINGS: usize = 300;

/// Lists the siblings with the name of a conflict copy, and those whose names
/// only begin and end as the board's does; at most [`MAX_SIBLINGS`] in all.
pub fn siblings(place: &BoardPlace) -> io::Result<(Vec<Entry>, Vec<Entry>)> {
    let board = place.entry()?;
    let name = place.target.file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let is_beside = |other: &str| is_sibling(&name, other);
    let mut names = board.in_folder().list(MAX_SIBLINGS, is_beside)?;
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
        // It has been removed meanwhile.
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

/// Returns the name of a sibling.
pub fn name_of(entry: &Entry) -> String {
    let path = entry.path();
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
