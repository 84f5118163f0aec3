//! Clearing away what dead processes left beside the lock.

use super::acquire::Seeker;
use super::guard::Guard;
use super::publish::Clock;
use super::takeover::remove_legacy;
use crate::disk;

impl Seeker {
    /// Removes what dead or long gone processes left pending, and a dead guard.
    ///
    /// The guard too, though nothing needs it now: the Node peer would wait
    /// behind it for ever.
    pub(super) fn sweep(&self) {
        let files = &self.files;
        let guard = files
            .guard
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let wanted = |name: &str| name == guard || files.pending_token(name).is_some();
        let names = disk::list(&files.folder, wanted).unwrap_or_default();
        let Some(clock) = (!names.is_empty()).then(|| self.clock_of_lock()).flatten() else {
            return;
        };
        for name in names {
            let path = files.folder.join(&name);
            if name == guard {
                let _ = Guard::remove_dead(self, clock);
            } else if files.pending_token(&name).is_some_and(|token| {
                let age = std::fs::symlink_metadata(&path).and_then(|meta| meta.modified());
                let age = age.map_or(0, |modified| clock.age_ms(modified));
                self.token.knows_dead(token) || age > self.options.staleness_ms()
            }) && disk::remove("pending.unlink", &path).is_err()
            {
                // A legacy lock, swapped out by a process that then died.
                remove_legacy(&path);
            }
        }
    }

    /// Reads the clock off our lock, which was touched a moment ago.
    fn clock_of_lock(&self) -> Option<Clock> {
        let modified = std::fs::symlink_metadata(&self.files.lock)
            .ok()?
            .modified()
            .ok()?;
        Some(Clock::at(modified))
    }
}
