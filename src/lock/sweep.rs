//! Clearing away what dead processes left beside the lock.

use super::guard::Guard;
use super::publish::Clock;
use super::site::Site;
use super::take_over::remove_legacy;
use crate::disk::{self, FileKind, FileStatus};

/// Bounds what one holder looks at; the next one goes on.
const MAX_NAMES: usize = 256;

/// Removes the pending files of processes that are dead or long gone, and a dead guard.
///
/// The guard too, though nothing needs it now: the Node peer would wait
/// behind it for ever.
pub fn sweep(site: &Site) {
    let files = &site.files;
    let guard = files.guard.path();
    let guard = guard.file_name().unwrap_or_default();
    let wanted = |name: &str| name == guard || files.pending_token(name).is_some();
    let names = files.folder().list(MAX_NAMES, wanted).unwrap_or_default();
    // Our own lock was touched a moment ago.
    let now = || {
        disk::status(&files.lock)
            .ok()
            .map(|lock| Clock::at(lock.modified))
    };
    let Some(clock) = (!names.is_empty()).then(now).flatten() else {
        return;
    };
    for name in names {
        let Some(token) = files.pending_token(&name) else {
            let _ = Guard::remove_dead(site, clock);
            continue;
        };
        let entry = files.lock.sibling(&name);
        let Ok(FileStatus { kind, modified, .. }) = disk::status(&entry) else {
            continue;
        };
        let age_ms = clock.age_ms(modified);
        if site.token.knows_dead(token) || age_ms > site.options.staleness_ms() {
            match kind {
                // A legacy lock, swapped out by a process that then died.
                Some(FileKind::Folder) => remove_legacy(&entry),
                _ => drop(disk::remove("pending.unlink", &entry)),
            }
        }
    }
}
