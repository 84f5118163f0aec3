//! Taking over: a stale record is replaced, never first removed.
//!
//! The lock's name is not absent for a moment, so no third party can slip in.
//! Moving the stale lock aside first let one (a case published with
//! codex-security, pull request 287).

use super::acquire::Seeker;
use super::guard::{Attempt, Guard};
use super::judge::{Reason, Verdict, judge};
use super::publish::{Clock, Pending};
use super::sighting::{Seen, Sighting, look};
use crate::disk;
use std::io;
use std::path::Path;

/// Says how a takeover ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Takeover {
    /// The lock is ours.
    Done(Reason),
    /// It changed meanwhile: look again.
    Lost,
    /// The guard was not to be had.
    GuardBusy {
        /// Whether the guard is older than the staleness.
        abandoned: bool,
    },
}

/// Replaces what was seen by our complete record, if it is still the same and
/// still stale once we have the guard.
pub fn take_over(
    seeker: &Seeker,
    seen: &Sighting,
    record: &mut Pending,
    clock: Clock,
) -> io::Result<Takeover> {
    let _guard = match Guard::take(seeker)? {
        Attempt::Taken(guard) => guard,
        Attempt::Busy { abandoned } => return Ok(Takeover::GuardBusy { abandoned }),
    };
    let lock = &seeker.files.lock;
    let Some(again) = look(lock)?.filter(|again| again.is_same(seen)) else {
        return Ok(Takeover::Lost);
    };
    let facts = seeker.facts(clock.age_ms(again.modified));
    let Verdict::TakeOver(reason) = judge(&again.what, &facts) else {
        return Ok(Takeover::Lost);
    };
    let done = match again.what {
        Seen::Folder { .. } => replace_folder(seeker, record, lock, &again)?,
        _ => record.replace(lock).map(|()| true)?,
    };
    Ok(if done {
        Takeover::Done(reason)
    } else {
        Takeover::Lost
    })
}

/// Replaces a legacy lock: a file cannot be renamed over a folder, but swapped with one.
///
/// Where nothing can be swapped the folder is moved away and looked at again:
/// one that is another than was judged is put back, without clobbering.
fn replace_folder(
    seeker: &Seeker,
    record: &mut Pending,
    lock: &Path,
    judged: &Sighting,
) -> io::Result<bool> {
    let moved = match record.swap(lock) {
        Ok(moved) => moved,
        Err(error) if disk::is_unsupported(&error) => {
            let aside = seeker.files.pending(seeker.token.successor().successor());
            disk::move_new("lock.swap-folder", lock, &aside)?;
            if !look(&aside)?.is_some_and(|moved| moved.what == judged.what) {
                disk::move_new("lock.swap-folder", &aside, lock)?;
                return Ok(false);
            }
            if !record.publish(lock)? {
                return Ok(false);
            }
            aside
        }
        Err(error) => return Err(error),
    };
    remove_legacy(&moved);
    Ok(true)
}

/// Removes what the legacy layout put at `path`; a folder with more in it is
/// somebody's, and is kept under a name that says so.
///
/// The lock is ours by then: what cannot be removed is no reason to go without.
pub fn remove_legacy(path: &Path) {
    let _ = disk::remove("lock.remove-folder", &path.join("owner.json"));
    if disk::remove_folder("lock.remove-folder", path).is_err() {
        let _ = disk::move_new("lock.remove-folder", path, &path.with_extension("kept"));
    }
}
