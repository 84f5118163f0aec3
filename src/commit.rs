//! The commit: a new content is put in place, and nothing that was there is lost.
//!
//! Under the latch: read, edit, stage, exchange, compare with what was read.
//! If an outsider wrote in between, what the exchange displaced is joined
//! with what was written, and the result is put in place the same way. A
//! displaced content is removed only after the board that holds it all has
//! taken its place, so a crash at any point leaves it to be adopted.

//!
//! [`Document`] is what is put in place; `put.rs` does it, `staged.rs` names the
//! files, `leftovers.rs` finds those of crashed processes.

mod document;
mod error;
mod latch;
mod leftovers;
mod put;
mod staged;

pub use document::{Displaced, Document, Edit};
pub use error::CommitError;
pub use latch::{LATCH_PATIENCE, Latch};
pub use staged::LIMIT;

use crate::disk::{self, Backoff, Patience, Token};
use crate::vault::Place;
use leftovers::Adopted;
use put::Put;
use staged::{Staged, Stamp};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bounds the rounds of one commit; 16 writers without lock or latch need few.
const ROUNDS: usize = 64;

/// An empty board is one that an editor truncated and has not filled yet.
const EMPTY_PATIENCE: Patience = Patience::For(Duration::from_millis(100));

/// Reports a commit.
#[derive(Debug)]
pub struct Committed<R> {
    /// What it came to.
    pub end: End<R>,
    /// Whether the latch was held.
    pub latched: bool,
    /// How many writes of outsiders were met on the way.
    pub conflicts: u32,
}

/// Says what a commit came to.
#[derive(Debug, PartialEq, Eq)]
pub enum End<R> {
    /// The new content is in place.
    Written,
    /// There was nothing to change, and nothing was touched.
    Unchanged,
    /// The content is not ours to touch; it is as it was.
    Refused(R),
}

/// Sets how a commit is done.
#[derive(Clone, Copy, Debug)]
pub struct CommitOptions {
    /// Whether the board and its folder are synced.
    pub sync: bool,
    /// How long the latch is waited for.
    pub latch: Duration,
    /// The age past which a living process's leftovers are adopted.
    pub staleness: Duration,
    /// Who commits: names the temporaries.
    pub token: Token,
}

/// Commits one edit of `document` at `place`.
pub fn commit<D: Document>(
    place: &Place,
    document: &mut D,
    options: CommitOptions,
) -> Result<Committed<D::Refusal>, CommitError> {
    // The lock, which makes the folder too, may have been skipped. What fails
    // here fails again, and is reported, where it is needed.
    let _ = disk::create_folder("folder.create", &place.folder);
    let latch = Latch::take(&place.latch(), options.latch);
    let folder = staging_folder(place);
    let mut commit = Commit {
        place,
        options,
        folder,
        conflicts: 0,
        superseded: Vec::new(),
        written: None,
    };
    let end = commit.run(document)?;
    Ok(Committed {
        end,
        latched: latch.is_some(),
        conflicts: commit.conflicts,
    })
}

/// Stages in `.orchestrator/`, or beside the board where that is another file system.
fn staging_folder(place: &Place) -> PathBuf {
    let beside = place.target.parent().unwrap_or(Path::new("."));
    if is_on_one_device(beside, &place.folder) {
        place.folder.clone()
    } else {
        beside.to_owned()
    }
}

fn is_on_one_device(one: &Path, other: &Path) -> bool {
    let id = |path| {
        std::fs::metadata(path)
            .ok()
            .and_then(|meta| disk::FileId::of(&meta))
    };
    match (id(one), id(other)) {
        (Some(one), Some(other)) => one.same_device(other),
        _ => true,
    }
}

struct Commit<'a> {
    place: &'a Place,
    options: CommitOptions,
    folder: PathBuf,
    conflicts: u32,
    /// Displaced contents that the board will hold once this commit ends.
    superseded: Vec<Staged>,
    /// What was staged last, to know it again.
    written: Option<Stamp>,
}

impl Commit<'_> {
    fn run<D: Document>(&mut self, document: &mut D) -> Result<End<D::Refusal>, CommitError> {
        let mut backoff = Backoff::new(Patience::For(Duration::MAX), Duration::from_millis(2));
        let mut is_done = false;
        for _ in 0..ROUNDS {
            let leftovers = self.leftovers();
            let (current, like) = self.read()?;
            let refusal = current
                .as_deref()
                .and_then(|current| document.refusal(current));
            if let Some(refusal) = refusal {
                return Ok(End::Refused(refusal));
            }
            let joined = match self.adopt(document, leftovers, current.as_deref())? {
                Adopted::Nothing => None,
                Adopted::Joined(joined) => Some(joined),
                Adopted::PutBack => continue,
            };
            let new = match document.edit(joined.as_deref().or(current.as_deref())) {
                // Whoever wrote over ours kept what we did, or did more.
                Edit::Refuse(_) | Edit::Unchanged if is_done && joined.is_none() => {
                    return Ok(self.finish(End::Written));
                }
                Edit::Refuse(refusal) => return Ok(End::Refused(refusal)),
                Edit::Write(new) => {
                    self.conflicts += u32::from(is_done);
                    new
                }
                Edit::Unchanged => match joined {
                    Some(joined) => joined,
                    None => return Ok(self.finish(End::Unchanged)),
                },
            };
            let put = match current {
                None => self.publish(&new)?,
                Some(current) => self.put(document, new, current, like.as_ref())?,
            };
            match put {
                Put::Done if document.looks_again() && !self.is_in_place() => {
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
        Err(CommitError::Contended(self.place.board.clone()))
    }

    /// Reads the board; `None` if there is none.
    fn read(&self) -> Result<(Option<Vec<u8>>, Option<Metadata>), CommitError> {
        let mut backoff = Backoff::new(EMPTY_PATIENCE, Duration::from_millis(5));
        let path = &self.place.target;
        loop {
            let read = disk::read_regular(path, LIMIT);
            match read.map_err(|source| CommitError::Unreadable {
                path: path.clone(),
                source,
            })? {
                Some(contents) if contents.bytes.is_empty() && backoff.pause() => {}
                Some(contents) => return Ok((Some(contents.bytes), Some(contents.meta))),
                None if std::fs::symlink_metadata(self.place.placeholder()).is_ok() => {
                    return Err(CommitError::NotDownloaded(self.place.board.clone()));
                }
                None => return Ok((None, None)),
            }
        }
    }

    /// Says whether what was written last is the board, and is as it was written.
    ///
    /// An editor that had read the board before our write saves over it without
    /// asking. While we are here, what it took away is written again.
    fn is_in_place(&self) -> bool {
        let now = std::fs::symlink_metadata(&self.place.target);
        now.ok().map(|now| Stamp::of(&now)) == self.written
    }

    /// Removes what the board now holds.
    fn finish<R>(&mut self, end: End<R>) -> End<R> {
        for staged in self.superseded.drain(..) {
            // One that stays is adopted, and joined once more, by the next commit.
            let _ = staged.discard();
        }
        end
    }
}
