//! Conflict copies of sync tools: their rows join the board, then they are archived.

use super::siblings::siblings;
use crate::archive;
use crate::board::{Board, Condition, join_all, to_text};
use crate::commit::JOIN_BUDGET;
use crate::config::vault::BoardPlace;
use crate::config::vault::MAX_BOARD_BYTES;
use crate::disk::{self, Backoff, Entry, Links, Patience, read_small};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

/// For this long a copy whose last line is open is taken for one that a tool
/// has not finished; most write under another name first.
const BEING_WRITTEN: Duration = Duration::from_secs(10);

/// How many copies one update joins of a small board; see [`JOIN_BUDGET`].
const MAX_COPIES: usize = 16;

/// The most bytes of copies that one update joins, and that one copy may have.
///
/// A board of 1,000 rows has a tenth of that. Whoever may write in the vault
/// could else make every hook run out of time and memory.
pub const MAX_COPY_BYTES: u64 = 1024 * 1024;

/// The room kept free below a board's greatest size, for the rows of this host.
const SPARE: u64 = 64 * 1024;

/// How long a missing board is waited for where a copy of it has just been
/// made: a sync tool is between its two renames.
const BETWEEN_RENAMES: Duration = Duration::from_millis(500);

/// Returns the size above which a copy is never joined, as long as the board has
/// its size of now.
pub fn largest_copy(place: &BoardPlace) -> u64 {
    MAX_COPY_BYTES.min(MAX_BOARD_BYTES.saturating_sub(length_of_board(place) + SPARE))
}

fn length_of_board(place: &BoardPlace) -> u64 {
    let board = place.entry().and_then(|board| disk::status(&board));
    board.map_or(0, |status| status.length)
}

/// The copies beside a board that are boards of ours.
#[derive(Debug, Default)]
pub(super) struct ConflictCopies {
    /// What has a sync tool's name, unread.
    candidates: Vec<Entry>,
    /// Files whose names only begin and end as the board's does.
    pub unknown: Vec<Entry>,
    all: Vec<ConflictCopy>,
    /// Where those went whose rows the board has.
    pub archived: Vec<PathBuf>,
}

#[derive(Debug)]
struct ConflictCopy {
    entry: Entry,
    text: String,
    /// Whether the board already had its rows before this update.
    seen: Option<bool>,
}

impl ConflictCopies {
    /// Lists the files beside the board that have a sync tool's name; reads nothing.
    ///
    /// This is one listing of the board's folder an update, outside the lock: 2 ms
    /// for 5,000 notes, nothing measurable for 100. The folder's time cannot spare
    /// it, for every commit changes that itself.
    pub fn beside(place: &BoardPlace) -> Self {
        let (candidates, unknown) = siblings(place).unwrap_or_default();
        Self {
            candidates,
            unknown,
            ..Self::default()
        }
    }

    /// Lists them; waits for a board that a sync tool has just moved to a copy,
    /// and is about to replace.
    pub fn once_settled(place: &BoardPlace) -> Self {
        let copies = Self::beside(place);
        let is_missing = || {
            let status = place.entry().and_then(|board| disk::status(&board));
            status.is_err_and(|error| error.kind() == ErrorKind::NotFound)
        };
        let is_young = |copy: &Entry| {
            disk::status(copy).is_ok_and(|status| {
                let age = status.changed.elapsed();
                age.is_ok_and(|age| age < BEING_WRITTEN)
            })
        };
        if !copies.candidates.iter().any(is_young) || !is_missing() {
            return copies;
        }
        let mut backoff = Backoff::new(Patience::For(BETWEEN_RENAMES), Duration::from_millis(10));
        while is_missing() && backoff.pause() {}
        Self::beside(place)
    }

    /// Reads those that are boards of ours without conflict markers, once.
    ///
    /// One that is still being written, as far as can be told, waits, and so
    /// does one that is too much for this update or would make the board larger
    /// than what can be read.
    pub fn read(&mut self, place: &BoardPlace) {
        if self.candidates.is_empty() {
            return;
        }
        let length = length_of_board(place);
        let bytes = largest_copy(place);
        let mut room = bytes;
        let mut budget = JOIN_BUDGET;
        let mut is_first = true;
        // What is no board is read, too, and stays: the small ones come first, so
        // that a few large files keep no other from being joined.
        if self.candidates.len() as u64 > JOIN_BUDGET / MAX_COPY_BYTES {
            let size = |copy: &Entry| disk::status(copy).map_or(0, |status| status.length);
            self.candidates.sort_by_cached_key(size);
        }
        let copy = |entry: Entry| {
            let contents = read_small(&entry, room.min(budget), Links::Refuse).ok()??;
            let size = contents.bytes.len() as u64;
            budget -= size;
            let age = contents.modified().elapsed();
            let is_young = age.is_ok_and(|age| age < BEING_WRITTEN);
            if is_young && !contents.bytes.ends_with(b"\n") {
                return None;
            }
            let text = to_text(&contents.bytes).ok()?.into_owned();
            if Board::condition_of(&text) != Condition::Ours {
                return None;
            }
            let walk = length + (bytes - room) + size;
            if walk > budget && !is_first {
                return None;
            }
            (is_first, budget, room) = (false, budget.saturating_sub(walk), room - size);
            Some(ConflictCopy {
                entry,
                text,
                seen: None,
            })
        };
        let copies = self.candidates.drain(..).filter_map(copy);
        self.all.extend(copies.take(MAX_COPIES));
    }

    /// Joins all of them into a board; false if nothing changes.
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

    /// Notes which of them the board holds already, the first time it is asked.
    ///
    /// A copy goes only once a later update than the one that joined it has seen
    /// its rows in the board: a sync tool that is at work may still put an older
    /// board in the place of the joined one.
    pub fn look_for_them_in(&mut self, board: &Board<'_>, tidy: impl Fn(&mut Board<'_>)) {
        let time = crate::Timestamp::from_millis(0);
        let before = std::cell::LazyCell::new(|| board.render(time));
        for copy in self.all.iter_mut().filter(|copy| copy.seen.is_none()) {
            let mut joined = join_all(board, &Board::parse(&copy.text));
            tidy(&mut joined);
            copy.seen = Some(joined.render(time) == *before);
        }
    }

    /// Archives those that the board held before this update.
    ///
    /// One that changed meanwhile, or cannot be moved, stays for the next update.
    pub fn archive(&mut self, place: &BoardPlace) {
        let put = |copy: &ConflictCopy| {
            let aside = archive::archive(place, &copy.entry).ok()?;
            if read(&aside).is_some_and(|now| now == copy.text.as_bytes()) {
                return Some(aside.path());
            }
            let _ = disk::move_new("archive.move", &aside, &copy.entry);
            None
        };
        let seen = self.all.iter().filter(|copy| copy.seen == Some(true));
        self.archived = seen.filter_map(put).collect();
    }
}

fn read(entry: &Entry) -> Option<Vec<u8>> {
    let contents = read_small(entry, MAX_BOARD_BYTES, Links::Refuse).ok()??;
    Some(contents.bytes)
}
