//! The commit: a new content is put in place, and nothing that was there is lost.
//!
//! Under the latch: read, edit, stage, exchange, compare with what was read.
//! If an outsider wrote in between, what the exchange displaced is joined
//! with what was written, and the result is put in place the same way. A
//! displaced content is removed only after the board that holds it all has
//! taken its place, so a crash at any point leaves it to be adopted.
//!
//! A failure before the swap is an error, and the board is as it was. After
//! the swap the board is written, and trouble is a warning.
//!
//! [`Document`] is what is put in place: `current.rs` reads it, `put.rs` puts the
//! new one in place, by `swap.rs`, or by `replace.rs` where nothing can be
//! exchanged; `staged.rs` names the files, `leftovers.rs` finds those of crashed
//! processes.

mod current;
mod document;
mod error;
mod latch;
mod leftover_name;
mod leftovers;
mod put;
mod replace;
mod staged;
mod swap;

pub use document::{Displaced, Document, EditOutcome};
pub use error::CommitError;
pub use latch::{LATCH_PATIENCE, Latch};
pub use leftovers::has_leftovers;
pub use staged::JOIN_BUDGET;

use crate::config::vault::BoardPlace;
use crate::disk::{self, Backoff, Durability, Entry, Folder, Patience, Token};
use current::Current;
use error::io_at;
use leftovers::Adopted;
use put::Put;
use staged::{Staged, Stamp};
use std::io::{self, ErrorKind};
use std::time::Duration;

/// The most rounds of one commit; 16 writers without lock or latch need few.
const ROUNDS: usize = 64;

/// If neither the lock nor an exchange separates writers, a write in flight on
/// another host will have landed after this long.
const SECOND_LOOK: Duration = Duration::from_millis(150);

/// The report of a commit.
#[derive(Debug)]
pub struct Committed<R> {
    /// The outcome.
    pub end: End<R>,
    /// Whether the latch was held.
    pub latched: bool,
    /// The number of writes of other programs that were joined.
    pub conflicts: u32,
    /// A problem after the board was written, as one line.
    pub warning: Option<String>,
}

/// The outcome of a commit.
#[derive(Debug, PartialEq, Eq)]
pub enum End<R> {
    /// The new content is in place.
    Written,
    /// Nothing had to be changed, and nothing was touched.
    Unchanged,
    /// The content must not be changed; it is as it was.
    Refused(R),
}

/// The options of a commit.
#[derive(Clone, Copy, Debug)]
pub struct CommitOptions {
    /// Whether the board and its folder are synced.
    pub durability: Durability,
    /// How long the latch is waited for.
    pub latch: Duration,
    /// The age past which a living process's leftovers are adopted.
    pub staleness: Duration,
    /// Who commits: names the temporaries.
    pub token: Token,
    /// Whether the lock keeps other hosts away meanwhile.
    pub locked: bool,
}

/// Commits one edit of `document` at `place`.
pub fn commit<D: Document>(
    place: &BoardPlace,
    document: &mut D,
    options: CommitOptions,
) -> Result<Committed<D::Refusal>, CommitError> {
    let mut commit = Commit {
        place,
        options,
        latch: None,
        orchestrator: None,
        is_beside: false,
        has_exchange: true,
        conflicts: 0,
        superseded: Vec::new(),
        written: None,
        warnings: Vec::new(),
    };
    // The lock, which makes the folder too, may have been skipped.
    match place.create_orchestrator() {
        Ok(folder) => commit.orchestrator = Some(folder),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            let folder = place.folder.display();
            commit.warn(format!("`{folder}` is not used: {error}"));
        }
        // A failure here recurs where the folder is needed, and is reported there.
        Err(_) => {}
    }
    commit.take_latch();
    let is_latched = commit.latch.is_some();
    let end = commit.run(document)?;
    let warnings = std::mem::take(&mut commit.warnings);
    Ok(Committed {
        end,
        latched: is_latched,
        conflicts: commit.conflicts,
        warning: (!warnings.is_empty()).then(|| warnings.join("; ")),
    })
}

struct Commit<'a> {
    place: &'a BoardPlace,
    options: CommitOptions,
    latch: Option<Latch>,
    /// The folder of temporaries, if it can be used.
    orchestrator: Option<Folder>,
    /// Whether temporaries lie beside the board instead.
    is_beside: bool,
    has_exchange: bool,
    conflicts: u32,
    /// Displaced contents that the board will hold once this commit ends.
    superseded: Vec<Staged>,
    /// What was staged last, to know it again.
    written: Option<Stamp>,
    /// What went wrong without harm to the board.
    warnings: Vec<String>,
}

impl Commit<'_> {
    fn run<D: Document>(&mut self, document: &mut D) -> Result<End<D::Refusal>, CommitError> {
        let mut backoff = Backoff::new(Patience::For(Duration::MAX), Duration::from_millis(2));
        let (mut is_done, mut is_tried) = (false, false);
        for _ in 0..ROUNDS {
            let board = self.board()?;
            let current = match &board {
                Some(board) => self.read(board)?,
                None => None,
            };
            let bytes = current.as_ref().map(|current| &*current.bytes);
            let joined = match self.adopt(document, board.as_ref(), bytes)? {
                Adopted::Nothing => None,
                Adopted::Joined(joined) => Some(joined),
                Adopted::PutBack => continue,
            };
            // The first edit of what was read finds that out itself.
            let other = bytes.filter(|_| is_done || joined.is_some());
            if let Some(refusal) = other.and_then(|bytes| document.refusal(bytes)) {
                return Ok(End::Refused(refusal));
            }
            let new = match document.edit(joined.as_deref().or(bytes)) {
                // Whoever wrote over ours kept what we did, or did more.
                EditOutcome::Refuse(_) | EditOutcome::Unchanged if is_done && joined.is_none() => {
                    return Ok(self.finish(End::Written));
                }
                // Another process of this host has brought what we came with.
                EditOutcome::Unchanged if is_tried && joined.is_none() => {
                    return Ok(self.finish(End::Written));
                }
                EditOutcome::Refuse(refusal) => return Ok(End::Refused(refusal)),
                EditOutcome::Write(new) => {
                    self.conflicts += u32::from(is_done);
                    is_tried = true;
                    new
                }
                EditOutcome::Unchanged => match joined {
                    Some(joined) => joined,
                    None => return Ok(self.finish(End::Unchanged)),
                },
            };
            let put = match (&board, current) {
                (Some(board), Some(current)) => self.put(document, board, new, current)?,
                _ => self.publish(&new)?,
            };
            match put {
                Put::Done if document.looks_again() && !self.is_in_place(board.as_ref()) => {
                    // The board held it all: what was displaced is not needed.
                    self.finish(End::<D::Refusal>::Written);
                    is_done = true;
                }
                Put::Done => return Ok(self.finish(End::Written)),
                Put::Refused(refusal) => return Ok(End::Refused(refusal)),
                Put::Changed => self.conflicts += 1,
                Put::Moved => {}
            }
            // Whatever was joined so far did not get there: it stays to be adopted.
            self.superseded.clear();
            backoff.pause();
        }
        if is_done {
            self.warn("other programs write faster than the board could be checked".to_owned());
            return Ok(End::Written);
        }
        Err(CommitError::Contended(self.place.board.clone()))
    }

    fn take_latch(&mut self) {
        if let Some(folder) = &self.orchestrator {
            let latch = folder.entry(self.place.latch_name());
            self.latch = Latch::take(&latch, self.place.mode, self.options.latch);
        }
    }

    /// Compares the board with what was written last.
    ///
    /// An editor that had read the board before our write saves over it without
    /// asking. While we are here, what it took away is written again. Where
    /// nothing excludes other hosts, the latch is released and their write awaited.
    fn is_in_place(&mut self, board: Option<&Entry>) -> bool {
        if !self.has_exchange && !self.options.locked {
            self.latch = None;
            std::thread::sleep(SECOND_LOOK);
            self.take_latch();
        }
        let now = match board {
            Some(board) => disk::status(board),
            None => self.place.entry().and_then(|board| disk::status(&board)),
        };
        now.ok().map(|now| Stamp::of(&now)) == self.written
    }

    /// Removes what the board now holds.
    fn finish<R>(&mut self, end: End<R>) -> End<R> {
        for staged in std::mem::take(&mut self.superseded) {
            // One that stays is adopted, and joined once more, by the next commit.
            if let Err(error) = disk::retry_briefly(|| staged.discard()) {
                let path = staged.entry.path();
                self.warn(format!("cannot remove `{}`: {error}", path.display()));
            }
        }
        end
    }

    fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Syncs the folder of a board that is written: trouble is a warning.
    fn sync_folder(&mut self, board: &Entry) {
        if self.options.durability == Durability::Unsynced {
            return;
        }
        if let Err(error) = board.in_folder().sync("board.sync-folder") {
            let folder = board.in_folder().path().display();
            self.warn(format!(
                "cannot sync `{folder}`: {error}; the board is written, but a power cut may undo that"
            ));
        }
    }

    /// Returns the error of a board that could not be written.
    fn failed(&self, doing: &'static str, error: io::Error) -> CommitError {
        io_at(doing, &self.place.board)(error)
    }
}
