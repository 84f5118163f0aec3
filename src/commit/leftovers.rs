//! Leftovers of crashed processes: adopted before they are removed.
//!
//! The folder may be anybody's, and so may be what has such a name in it:
//! only regular files no larger than a board are read, one content
//! is held at a time, and what is too much waits for the next commit.

use super::Commit;
use super::document::{Displaced, Document};
use super::error::CommitError;
use super::leftover_name::LeftoverName;
use super::staged::{JOIN_BUDGET, Staged, StagedName, hash};
use crate::config::vault::BoardPlace;
use crate::config::vault::MAX_BOARD_BYTES;
use crate::disk::{self, Entry, Folder, Token};
use std::time::{Duration, SystemTime};

/// How many names of leftovers one commit looks at.
const MAX_NAMES: usize = 256;
/// How many contents one commit reads.
const MAX_READ: usize = 64;
/// How many bytes a content and the board may have together to be joined: that
/// takes about ten times the memory, of which a hook has 64 MiB.
const MAX_TOGETHER: u64 = MAX_BOARD_BYTES + 1024 * 1024;

/// The outcome of a search for the leftovers of crashed processes.
pub(super) enum Adopted {
    Nothing,
    /// This is the board that holds it all.
    Joined(Vec<u8>),
    /// A person's note, or a whole board, was put back: begin again.
    PutBack,
}

/// Looks whether a process that is dead by now left something to be adopted.
pub fn has_leftovers(place: &BoardPlace, token: Token) -> bool {
    let is_left = |name: &str| {
        LeftoverName::parse(&place.stem, name).is_some_and(|left| token.knows_dead(left.maker))
    };
    let folders = [
        place.orchestrator(),
        place.entry().map(|board| board.in_folder().clone()),
    ];
    let mut folders = folders.into_iter().flatten();
    folders.any(|folder| folder.list(1, is_left).is_ok_and(|names| !names.is_empty()))
}

impl Commit<'_> {
    /// Joins what crashed processes left into `current`.
    pub(super) fn adopt<D: Document>(
        &mut self,
        document: &mut D,
        board: Option<&Entry>,
        current: Option<&[u8]>,
    ) -> Result<Adopted, CommitError> {
        let stem = &*self.place.stem;
        let is_left = |name: &str| LeftoverName::parse(stem, name).is_some();
        // A process that could not use our folder left its files beside the board.
        let ours = self.orchestrator.as_ref().filter(|_| !self.is_beside);
        let folders = ours.into_iter().chain(board.map(Entry::in_folder));
        let entries = |folder: &Folder| {
            let names = folder.list(MAX_NAMES, is_left).unwrap_or_default();
            names
                .into_iter()
                .map(|name| (folder.entry(&name), name))
                .collect::<Vec<_>>()
        };
        let left: Vec<(Entry, String)> = folders.flat_map(entries).collect();
        if left.is_empty() {
            return Ok(Adopted::Nothing);
        }
        let is_refused = current.is_some_and(|current| document.refusal(current).is_some());
        let (mut joined, mut read, mut budget) = (None::<Vec<u8>>, 0, JOIN_BUDGET);
        for (entry, name) in left {
            let Some(left) = LeftoverName::parse(stem, &name) else {
                continue;
            };
            let Some(length) = self.abandoned_length(&entry, &left) else {
                continue;
            };
            // Incomplete, or emptied by an editor: not needed.
            let hashes = left.hashes.filter(|_| length > 0);
            let Some((made, base)) = hashes else {
                let _ = disk::remove("leftover.unlink", &entry);
                continue;
            };
            let so_far = joined.as_deref().or(current);
            let together = length + so_far.map_or(0, |so_far| so_far.len() as u64);
            let is_small = together <= MAX_TOGETHER;
            let is_readable = is_small || left.is_journal && length <= MAX_BOARD_BYTES;
            let is_too_much = read == MAX_READ || (read > 0 && together > budget);
            if is_too_much && is_readable {
                continue;
            }
            let Some(staged) = self.claim(&entry, &name, &left) else {
                continue;
            };
            if !is_readable {
                self.keep(&staged);
                continue;
            }
            let Ok(Some(bytes)) = staged.read() else {
                continue;
            };
            read += 1;
            budget = budget.saturating_sub(together);
            let content = hash(&bytes);
            if left.is_journal {
                let is_whole = document.refusal(&bytes).is_none();
                match is_whole && self.restore(is_refused, board, current, &staged, &bytes) {
                    true => return Ok(Adopted::PutBack),
                    false if current.is_some_and(|now| [made, base].contains(&&*hash(now))) => {
                        let _ = disk::remove("leftover.unlink", &staged.entry);
                        continue;
                    }
                    false => {}
                }
            } else if [made, base].contains(&&*content) {
                // Complete, but it never reached the board, and its writer never
                // said so; or displaced by what was made from it.
                let _ = disk::remove("leftover.unlink", &staged.entry);
                continue;
            }
            if is_refused {
                // It waits until the board is one again.
                continue;
            }
            if !is_small {
                self.keep(&staged);
                continue;
            }
            let is_last = current.is_some_and(|current| staged.is_made_of(current));
            if document.refusal(&bytes).is_none() {
                let next = match so_far {
                    Some(so_far) => document.join(&bytes, so_far, Displaced::ByCrash),
                    None => bytes,
                };
                if next.len() as u64 > MAX_BOARD_BYTES {
                    self.keep(&staged);
                    continue;
                }
                if so_far != Some(&next) {
                    joined = Some(next);
                }
                self.superseded.push(staged);
            } else if let Some(board) =
                board.filter(|_| is_last && joined.is_none() && !self.place.is_linked())
            {
                // A person's note, displaced by a process that did not live to
                // put it back.
                return match self.swap_back(board, &staged) {
                    Ok(()) => Ok(Adopted::PutBack),
                    Err(error) => Err(self.failed("restore", error)),
                };
            } else {
                self.keep(&staged);
            }
        }
        Ok(joined.map_or(Adopted::Nothing, Adopted::Joined))
    }

    /// Writes a board whole again that its writer left half written in place.
    fn restore(
        &mut self,
        is_refused: bool,
        board: Option<&Entry>,
        current: Option<&[u8]>,
        journal: &Staged,
        whole: &[u8],
    ) -> bool {
        let (Some(board), Some(current)) = (board, current) else {
            return false;
        };
        let is_longer = current.starts_with(whole) && current.len() > whole.len();
        let is_torn = current.is_empty() || is_longer || is_refused;
        // Whoever made a link may have made a journal, too: then neither says
        // that what the link leads to was a board.
        is_torn
            && !self.place.is_linked()
            && journal.is_made_of(whole)
            && disk::write_over("board.write-over", board, whole, self.options.durability).is_ok()
            && disk::remove("leftover.unlink", &journal.entry).is_ok()
    }

    /// Renames a leftover to a name of ours.
    ///
    /// A claim is a rename, so that whichever side of an exchange the file is
    /// on when its writer turns out to live after all, it is read once, whole.
    fn claim(&mut self, entry: &Entry, name: &str, left: &LeftoverName) -> Option<Staged> {
        let (made, base) = left.hashes?;
        let token = self.options.token.successor();
        self.options.token = token;
        let claimed = StagedName {
            stem: &self.place.stem,
            token,
        };
        let dot = if name.starts_with('.') { "." } else { "" };
        let journal = if left.is_journal { ".journal" } else { "" };
        let claimed = entry.sibling(claimed.complete(dot, &format!("{made}.{base}{journal}")));
        disk::move_new("leftover.claim", entry, &claimed).ok()?;
        Some(Staged {
            entry: claimed,
            made: made.to_owned(),
            stamp: None,
        })
    }

    /// Returns the size of a regular file whose writer is dead, or older than the
    /// staleness; `None` for any other.
    fn abandoned_length(&self, entry: &Entry, left: &LeftoverName) -> Option<u64> {
        let status = disk::status(entry).ok()?;
        // The board keeps the time of its last change when it is displaced, so
        // age alone, measured from the change of status, must not be taken for
        // that of a living process.
        let is_old = || is_older(status.changed, self.options.staleness);
        let is_ours = status.kind.is_none();
        (is_ours && (self.options.token.knows_dead(left.maker) || is_old()))
            .then_some(status.length)
    }
}

fn is_older(changed: SystemTime, staleness: Duration) -> bool {
    let age = SystemTime::now().duration_since(changed);
    age.is_ok_and(|age| age > staleness)
}
