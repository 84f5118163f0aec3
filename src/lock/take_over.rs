//! Taking over: a stale record is replaced, never first removed.
//!
//! The lock's name is not absent for a moment, so no third party can slip in.
//! Moving the stale lock aside first let one (a case published with
//! codex-security, pull request 287).

use super::guard::{Guard, GuardState};
use super::judge::{Reason, Verdict, judge};
use super::observe::{LockContent, Observed, observe};
use super::publish::{Clock, Pending};
use super::site::Site;
use crate::disk::{self, Entry};
use std::io;
use std::time::Duration;

/// The outcome of a takeover.
#[derive(Debug, PartialEq, Eq)]
pub enum TakeOver {
    /// The lock is ours.
    Done(Reason),
    /// It changed meanwhile: look again.
    Lost,
    /// The guard is not ours.
    GuardBusy(GuardState),
}

/// Replaces what was seen by our complete record, if it is still the same and
/// still stale once we have the guard.
pub fn take_over(
    site: &Site,
    seen: &Observed,
    unchanged: Duration,
    record: &mut Pending,
    clock: Clock,
) -> io::Result<TakeOver> {
    let _guard = match Guard::take(site)? {
        Ok(guard) => guard,
        Err(state) => return Ok(TakeOver::GuardBusy(state)),
    };
    let Some(again) = observe(&site.files.lock)?.filter(|again| again.is_same(seen)) else {
        return Ok(TakeOver::Lost);
    };
    let unchanged = match again.modified == seen.modified {
        true => unchanged,
        false => Duration::ZERO,
    };
    let facts = site.facts(clock.age_ms(again.modified), unchanged);
    let Verdict::TakeOver(reason) = judge(&again.content, &facts) else {
        return Ok(TakeOver::Lost);
    };
    let done = match again.content {
        LockContent::Folder { .. } => replace_folder(site, record, &again)?,
        _ => record.replace(&site.files.lock).map(|()| true)?,
    };
    Ok(match done {
        true => TakeOver::Done(reason),
        false => TakeOver::Lost,
    })
}

/// Replaces a legacy lock: a file cannot be renamed over a folder, but swapped with one.
///
/// Where nothing can be swapped the folder is moved away and looked at again:
/// one that is another than was judged is put back, without clobbering.
fn replace_folder(site: &Site, record: &mut Pending, judged: &Observed) -> io::Result<bool> {
    let lock = &site.files.lock;
    let moved = match record.swap(lock) {
        Ok(moved) => moved,
        Err(error) if disk::is_unsupported(&error) => {
            let aside = site.files.pending(site.token.successor().successor());
            disk::move_new("lock.move-folder", lock, &aside)?;
            if !observe(&aside)?.is_some_and(|moved| moved.content == judged.content) {
                disk::move_new("lock.move-folder", &aside, lock)?;
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

/// Removes what the legacy layout put at `entry`; a folder with anything else in it is
/// kept under another name.
///
/// The lock is ours by then: what cannot be removed does not matter.
pub fn remove_legacy(entry: &Entry) {
    let path = entry.path();
    let name = path.file_name().unwrap_or_default();
    if let Ok(folder) = entry.in_folder().beneath(name) {
        let _ = disk::remove("lock.remove-folder", &folder.entry("owner.json"));
    }
    if disk::remove_folder("lock.remove-folder", entry).is_err() {
        let kept = path.with_extension("kept");
        let kept = entry.sibling(kept.file_name().unwrap_or_default());
        let _ = disk::move_new("lock.remove-folder", entry, &kept);
    }
}
