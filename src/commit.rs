//! The commit: a new content is put in place, and nothing that was there is lost.
//!
//! Under the latch: read, edit, stage, exchange, compare with what was read.
//! If an outsider wrote in between, what the exchange displaced is joined
//! with what was written, and the result is put in place the same way. A
//! displaced content is removed only after the board that holds it all has
//! taken its place, so a crash at any point leaves it to be adopted.

mod latch;
mod leftovers;
mod staged;

pub use latch::Latch;
pub use staged::LIMIT;

use crate::disk::{self, Backoff, Patience, ReadError, Token};
use crate::vault::Place;
use leftovers::{Leftover, adopt_leftovers};
use staged::Staged;
use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bounds the rounds of one commit; 16 writers without lock or latch need few.
const ROUNDS: usize = 64;
/// An empty board is one that an editor truncated and has not filled yet.
const EMPTY_PATIENCE: Patience = Patience::For(Duration::from_millis(100));

/// Knows how a file's content is changed, and how two versions of it become one.
pub trait Document {
    /// Why a content is not to be touched.
    type Refusal;

    /// Says why `content` is not to be touched; `None` if it may be.
    fn refusal(&self, content: &[u8]) -> Option<Self::Refusal>;

    /// Gives the new content for the one on disk; `None` if there is no file.
    fn edit(&mut self, current: Option<&[u8]>) -> Edit<Self::Refusal>;

    /// Joins what was displaced with what displaced it; neither is refused.
    fn join(&self, displaced: &[u8], written: &[u8], when: Displaced) -> Vec<u8>;
}

/// Says what an edit of one content came to.
#[derive(Debug)]
pub enum Edit<R> {
    /// Nothing to change: touch nothing.
    Unchanged,
    /// This is the new content.
    Write(Vec<u8>),
    /// This content is not to be touched.
    Refuse(R),
}

/// Says when a content was displaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Displaced<'a> {
    /// Just now, by our own write, which an outsider's had preceded.
    JustNow {
        /// What our own write expected to displace.
        expected: &'a [u8],
    },
    /// By a process that crashed before it had joined it; nobody knows from
    /// which version it was made.
    ByCrash,
}

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

/// Says why a commit failed; the board is whole, with or without the change.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The board cannot be read as one.
    #[error("cannot read the board `{}`: {source}; move it away, or name another with --board", .path.display())]
    Unreadable {
        /// The board.
        path: PathBuf,
        /// Why not.
        source: ReadError,
    },
    /// The board has not been downloaded.
    #[error("the board `{}` is in iCloud but not on this disk: open it once, then try again", .0.display())]
    NotDownloaded(PathBuf),
    /// The operating system refused a write.
    #[error("cannot {doing} `{}`: {source}", .path.display())]
    Io {
        /// What could not be done.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Outsiders wrote faster than we could join.
    #[error("the board `{}` changed {ROUNDS} times while it was being written; try again", .0.display())]
    Contended(PathBuf),
}

/// Sets how a commit is done.
#[derive(Clone, Copy, Debug)]
pub struct CommitOptions {
    /// Whether the board and its folder are synced.
    pub sync: bool,
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
    let latch = Latch::take(&place.latch());
    let folder = staging_folder(place);
    let mut commit = Commit {
        place,
        options,
        folder,
        conflicts: 0,
        superseded: Vec::new(),
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
}

/// Says how one attempt to put a content in place ended.
enum Put<R> {
    Done,
    /// The board is not what was read: begin again.
    Changed,
    /// The folder of what is staged is on another file system: begin again
    /// beside the board, where leftovers are too.
    Moved,
    Refused(R),
}

/// Says what became of what crashed processes left.
enum Adopted {
    Nothing,
    /// This is the board that holds it all.
    Joined(Vec<u8>),
    /// A person's note has its place back: begin again.
    PutBack,
}

impl Commit<'_> {
    fn run<D: Document>(&mut self, document: &mut D) -> Result<End<D::Refusal>, CommitError> {
        let mut backoff = Backoff::new(Patience::For(Duration::MAX), Duration::from_millis(2));
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
                Edit::Refuse(refusal) => return Ok(End::Refused(refusal)),
                Edit::Write(new) => new,
                Edit::Unchanged => match joined {
                    Some(joined) => joined,
                    None => return self.finish(End::Unchanged),
                },
            };
            let put = match current {
                None => self.publish(&new)?,
                Some(current) => self.put(document, new, current, like.as_ref())?,
            };
            match put {
                Put::Done => return self.finish(End::Written),
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

    /// Claims what crashed processes left.
    fn leftovers(&mut self) -> Vec<Leftover> {
        let CommitOptions {
            token, staleness, ..
        } = &mut self.options;
        adopt_leftovers(&self.folder, &self.place.stem, token, *staleness)
    }

    /// Joins what crashed processes left into `current`.
    fn adopt<D: Document>(
        &mut self,
        document: &mut D,
        leftovers: Vec<Leftover>,
        current: Option<&[u8]>,
    ) -> Result<Adopted, CommitError> {
        let mut joined: Option<Vec<u8>> = None;
        for Leftover { staged, bytes } in leftovers {
            let is_last = current.is_some_and(|current| staged.is_made_of(current));
            if document.refusal(&bytes).is_none() {
                let next = match joined.as_deref().or(current) {
                    Some(so_far) => document.join(&bytes, so_far, Displaced::ByCrash),
                    None => bytes,
                };
                if joined.as_deref().or(current) != Some(&next) {
                    joined = Some(next);
                }
                self.superseded.push(staged);
            } else if is_last && joined.is_none() {
                // A person's note, displaced by a process that did not live to
                // put it back.
                self.swap_back(&staged)?;
                return Ok(Adopted::PutBack);
            } else {
                self.keep(&staged);
            }
        }
        Ok(joined.map_or(Adopted::Nothing, Adopted::Joined))
    }

    /// Puts the first board in place, without clobbering.
    fn publish<R>(&mut self, new: &[u8]) -> Result<Put<R>, CommitError> {
        let board = &self.place.target;
        let folder = board.parent().unwrap_or(Path::new("."));
        disk::create_folder("folder.create", folder).map_err(io_at("create", folder))?;
        let staged = self.stage(new, &[], None)?;
        let placed = match disk::place_new("board.publish", &staged.path, board) {
            // Half a board is none: where nothing refuses to replace, a look
            // must do.
            Err(error) if disk::is_unsupported(&error) => {
                disk::move_new("board.publish", &staged.path, board)
            }
            placed => placed,
        };
        match placed {
            Ok(()) => self.sync_folder().map(|()| Put::Done),
            Err(error) => {
                staged.abandon();
                match error.kind() {
                    ErrorKind::AlreadyExists => Ok(Put::Changed),
                    ErrorKind::CrossesDevices if self.move_beside() => Ok(Put::Moved),
                    _ => Err(io_at("create", board)(error)),
                }
            }
        }
    }

    /// Puts `new` in the place of `expected`, joining whatever else it displaces.
    fn put<D: Document>(
        &mut self,
        document: &mut D,
        mut new: Vec<u8>,
        mut expected: Vec<u8>,
        like: Option<&Metadata>,
    ) -> Result<Put<D::Refusal>, CommitError> {
        let board = self.place.target.clone();
        for _ in 0..ROUNDS {
            let staged = self.stage(&new, &expected, like)?;
            match disk::exchange("board.exchange", &staged.path, &board) {
                Ok(()) => {}
                Err(error) if disk::is_unsupported(&error) => {
                    return self.replace(&staged, &expected);
                }
                Err(error) => {
                    staged.abandon();
                    return match error.kind() {
                        ErrorKind::NotFound => Ok(Put::Changed),
                        ErrorKind::CrossesDevices if self.move_beside() => Ok(Put::Moved),
                        _ => Err(io_at("replace", &board)(error)),
                    };
                }
            }
            // What was displaced is looked at first, even if this failed.
            let synced = self.sync_folder();
            let read = staged.read();
            let path = &staged.path;
            let displaced = read.map_err(|source| CommitError::Unreadable {
                path: path.clone(),
                source,
            })?;
            // What another process adopted meanwhile, it has joined.
            let Some(displaced) = displaced else {
                return synced.map(|()| Put::Done);
            };
            if displaced == expected {
                self.superseded.push(staged);
                return synced.map(|()| Put::Done);
            }
            self.conflicts += 1;
            if let Some(refusal) = document.refusal(&displaced) {
                self.swap_back(&staged)?;
                // Empty: an editor is between its truncation and its write.
                return Ok(if displaced.is_empty() {
                    Put::Changed
                } else {
                    Put::Refused(refusal)
                });
            }
            let when = Displaced::JustNow {
                expected: &expected,
            };
            let joined = document.join(&displaced, &new, when);
            self.superseded.push(staged);
            if joined == new {
                return synced.map(|()| Put::Done);
            }
            expected = std::mem::replace(&mut new, joined);
        }
        Err(CommitError::Contended(self.place.board.clone()))
    }

    /// Where nothing can be exchanged: compares just before a plain rename.
    fn replace<R>(&mut self, staged: &Staged, expected: &[u8]) -> Result<Put<R>, CommitError> {
        let board = &self.place.target;
        let now = disk::read_regular(board, LIMIT).map_err(|source| CommitError::Unreadable {
            path: board.clone(),
            source,
        })?;
        if now.is_none_or(|now| now.bytes != expected) {
            let _ = staged.discard();
            return Ok(Put::Changed);
        }
        disk::replace("board.replace", &staged.path, board).map_err(io_at("replace", board))?;
        self.sync_folder()?;
        Ok(Put::Done)
    }

    /// Gives a displaced content its place back, and removes ours.
    ///
    /// If someone wrote over ours meanwhile, that write is the last, and stays.
    fn swap_back(&mut self, staged: &Staged) -> Result<(), CommitError> {
        let board = &self.place.target;
        let now = disk::read_regular(board, LIMIT).ok().flatten();
        if now.is_none_or(|now| !staged.is_made_of(&now.bytes)) {
            self.keep(staged);
            return Ok(());
        }
        let swap = || {
            disk::exchange("board.swap-back", &staged.path, board).map_err(io_at("restore", board))
        };
        swap()?;
        match staged.read() {
            Ok(Some(ours)) if staged.is_made_of(&ours) => {
                let _ = staged.discard();
            }
            _ => {
                swap()?;
                self.keep(staged);
            }
        }
        self.sync_folder()
    }

    /// Keeps a content that is not ours to join, out of the way of later commits.
    fn keep(&self, staged: &Staged) {
        let kept = staged.path.with_extension("kept.md");
        let _ = disk::move_new("leftover.claim", &staged.path, &kept);
    }

    fn stage(
        &mut self,
        bytes: &[u8],
        base: &[u8],
        like: Option<&Metadata>,
    ) -> Result<Staged, CommitError> {
        let CommitOptions { token, sync, .. } = &mut self.options;
        *token = token.successor();
        let stem = &self.place.stem;
        Staged::write(&self.folder, (stem, *token), bytes, base, like, *sync)
            .map_err(io_at("write a new board in", &self.folder))
    }

    /// Stages beside the board from now on; false if it does so already.
    fn move_beside(&mut self) -> bool {
        let beside = self
            .place
            .target
            .parent()
            .unwrap_or(Path::new("."))
            .to_owned();
        std::mem::replace(&mut self.folder, beside.clone()) != beside
    }

    fn sync_folder(&self) -> Result<(), CommitError> {
        if !self.options.sync {
            return Ok(());
        }
        let folder = self.place.target.parent().unwrap_or(Path::new("."));
        disk::sync_folder("board.sync-folder", folder).map_err(io_at("sync", folder))
    }

    /// Removes what the board now holds.
    fn finish<R>(&mut self, end: End<R>) -> Result<End<R>, CommitError> {
        for staged in self.superseded.drain(..) {
            // One that stays is adopted, and joined once more, by the next commit.
            let _ = staged.discard();
        }
        Ok(end)
    }
}

fn io_at(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CommitError {
    move |source| CommitError::Io {
        doing,
        path: path.to_owned(),
        source,
    }
}
