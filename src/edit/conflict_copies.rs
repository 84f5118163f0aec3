//! Conflict copies of sync tools: their rows join the board, then they go aside.

use crate::aside;
use crate::board::{Board, Condition, join_all};
use crate::commit::LIMIT;
use crate::conflict_copy::is_conflict_copy;
use crate::disk::{self, Entry, Links, read_small};
use crate::vault::Place;
use std::path::PathBuf;
use std::time::Duration;

/// For this long a copy whose last line is open is taken for one that a tool
/// has not finished; most write under another name first.
const BEING_WRITTEN: Duration = Duration::from_secs(10);

/// How many copies one update looks at; the rest waits for the next.
const COPIES: usize = 100;

/// The copies beside a board that are boards of ours.
#[derive(Debug, Default)]
pub(super) struct ConflictCopies {
    /// What has a sync tool's name, unread.
    candidates: Vec<Entry>,
    all: Vec<ConflictCopy>,
    /// Where those went whose rows the board has.
    pub put_away: Vec<PathBuf>,
}

#[derive(Debug)]
struct ConflictCopy {
    entry: Entry,
    text: String,
}

impl ConflictCopies {
    /// Lists what has a sync tool's name beside the board; reads nothing.
    ///
    /// This is one listing of the board's folder an update, outside the lock: 2 ms
    /// for 5,000 notes, nothing measurable for 100. The folder's time cannot spare
    /// it, for every commit changes that itself.
    pub fn beside(place: &Place) -> Self {
        let name = place.target.file_name().unwrap_or_default();
        let (Ok(board), Some(name)) = (place.entry(), name.to_str()) else {
            return Self::default();
        };
        let is_copy = |other: &str| is_conflict_copy(name, other);
        let mut names = board.in_folder().list(COPIES, is_copy).unwrap_or_default();
        names.sort();
        Self {
            candidates: names.iter().map(|name| board.sibling(name)).collect(),
            ..Self::default()
        }
    }

    /// Reads those that are boards of ours without conflict markers, once.
    ///
    /// One that is still being written, as far as can be told, waits.
    pub fn read(&mut self) {
        let copy = |entry: Entry| {
            let contents = read_small(&entry, LIMIT, Links::Refuse).ok()??;
            let age = contents.modified().elapsed();
            let is_young = age.is_ok_and(|age| age < BEING_WRITTEN);
            if is_young && !contents.bytes.ends_with(b"\n") {
                return None;
            }
            let text = String::from_utf8(contents.bytes).ok()?;
            (Board::condition_of(&text) == Condition::Ours).then_some(ConflictCopy { entry, text })
        };
        self.all.extend(self.candidates.drain(..).filter_map(copy));
    }

    /// Joins all of them into a board; false if that changes nothing in it.
    pub fn join_into<'a>(&'a self, board: &mut Board<'a>) -> bool {
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

    /// Moves them aside, now that the board holds them.
    ///
    /// One that changed meanwhile, or cannot be moved, stays for the next update.
    pub fn put_away(&mut self, place: &Place) {
        let put = |copy: &ConflictCopy| {
            let aside = aside::put_away(place, &copy.entry).ok()?;
            if read(&aside).is_some_and(|now| now == copy.text.as_bytes()) {
                return Some(aside.path());
            }
            let _ = disk::move_new("aside.move", &aside, &copy.entry);
            None
        };
        self.put_away = self.all.iter().filter_map(put).collect();
    }
}

fn read(entry: &Entry) -> Option<Vec<u8>> {
    let contents = read_small(entry, LIMIT, Links::Refuse).ok()??;
    Some(contents.bytes)
}
