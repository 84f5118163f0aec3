//! Conflict copies of sync tools: their rows join the board, then they go aside.

use crate::aside;
use crate::board::{Board, Origin, join_all};
use crate::commit::LIMIT;
use crate::conflict_copy::is_conflict_copy;
use crate::disk::{self, read_regular};
use crate::vault::Place;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// For this long a copy whose last line is open is taken for one that a tool
/// has not finished; most write under another name first.
const BEING_WRITTEN: Duration = Duration::from_secs(10);

/// Holds the copies that are boards of ours.
#[derive(Debug, Default)]
pub(super) struct Copies {
    all: Vec<ConflictCopy>,
}

#[derive(Debug)]
struct ConflictCopy {
    path: PathBuf,
    text: String,
}

/// Lists what has a sync tool's name beside the board; unread.
///
/// This is one listing of the board's folder an update, outside the lock: 2 ms
/// for 5,000 notes, nothing measurable for 100. The folder's time cannot spare
/// it, for every commit changes that itself.
pub(super) fn candidates(place: &Place) -> Vec<PathBuf> {
    let name = place.target.file_name().unwrap_or_default();
    let (Some(folder), Some(name)) = (place.target.parent(), name.to_str()) else {
        return Vec::new();
    };
    let mut names = disk::list(folder, |other| is_conflict_copy(name, other)).unwrap_or_default();
    names.sort();
    names.iter().map(|name| folder.join(name)).collect()
}

impl Copies {
    /// Reads those candidates that are boards of ours without conflict markers.
    ///
    /// One that is still being written, as far as can be told, waits.
    pub(super) fn read(candidates: Vec<PathBuf>) -> Self {
        let copy = |path: PathBuf| {
            let contents = read_regular(&path, LIMIT).ok()??;
            let age = contents.modified().elapsed();
            let is_young = age.is_ok_and(|age| age < BEING_WRITTEN);
            if is_young && !contents.bytes.ends_with(b"\n") {
                return None;
            }
            let text = String::from_utf8(contents.bytes).ok()?;
            (Board::origin_of(&text) == Origin::Ours).then_some(ConflictCopy { path, text })
        };
        Self {
            all: candidates.into_iter().filter_map(copy).collect(),
        }
    }

    /// Joins all of them into a board; false if that changes nothing in it.
    pub(super) fn join_into<'a>(&'a self, board: &mut Board<'a>) -> bool {
        if self.all.is_empty() {
            return false;
        }
        let time = crate::Timestamp::from_millis(0);
        let before = board.render(time);
        for copy in &self.all {
            *board = join_all(board, &Board::parse(&copy.text));
        }
        board.render(time) != before
    }

    /// Moves them aside, now that the board holds them, and says where they are.
    ///
    /// One that changed meanwhile, or cannot be moved, stays for the next update.
    pub(super) fn put_away(&self, place: &Place) -> Vec<PathBuf> {
        let put = |copy: &ConflictCopy| {
            let aside = aside::put_away(place, &copy.path).ok()?;
            if read(&aside).is_some_and(|now| now == copy.text.as_bytes()) {
                return Some(aside);
            }
            let _ = disk::move_new("aside.move", &aside, &copy.path);
            None
        };
        self.all.iter().filter_map(put).collect()
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let contents = read_regular(path, LIMIT).ok()??;
    Some(contents.bytes)
}
