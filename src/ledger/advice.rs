//! When the figures of a ledger deserve another look at the settings.

use super::summary::Summary;

/// The share of unlocked updates, in a hundred, from which on it is said.
const UNLOCKED_PERCENT: u64 = 1;

/// The wait from which on the default timeout of 5 s is near, in milliseconds.
const LONG_WAIT_MS: u64 = 2_500;

impl Summary {
    /// Returns one sentence for each thing that should be looked at; empty if all is well.
    pub fn advice(&self) -> Vec<String> {
        [
            self.on_timeouts(),
            self.on_fs_errors(),
            self.on_waits(),
            self.on_staleness(),
            self.on_lost_locks(),
            self.on_busy_guards(),
            self.on_unreadable(),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn on_timeouts(&self) -> Option<String> {
        let timeouts = *self.unlocked.get("timeout")?;
        let tried = self.tried();
        (timeouts * 100 >= tried * UNLOCKED_PERCENT).then(|| {
            format!(
                "{timeouts} of {tried} updates gave up waiting and wrote without the lock: \
                 look at `boardsync lock status`, and raise `BOARDSYNC_TIMEOUT_MS` \
                 if its holder is alive"
            )
        })
    }

    fn on_fs_errors(&self) -> Option<String> {
        let errors = *self.unlocked.get("fs-error")?;
        Some(format!(
            "{errors} updates wrote without the lock because of the file system: \
             run `boardsync doctor` on the vault"
        ))
    }

    fn on_waits(&self) -> Option<String> {
        let waits = self.waits.filter(|waits| waits.p95_ms >= LONG_WAIT_MS)?;
        Some(format!(
            "5 in 100 updates waited {} ms or longer (at most {} ms), which is close to a \
             timeout of 5000 ms: raise `BOARDSYNC_TIMEOUT_MS`, or find out who holds the lock for so long",
            waits.p95_ms, waits.max_ms
        ))
    }

    fn on_staleness(&self) -> Option<String> {
        (self.aged_overrides > 0).then(|| {
            format!(
                "{} locks were taken over because of their age alone, and their holders may have been alive: \
                 raise `BOARDSYNC_STALE_MS` if updates or `exec` commands of a peer without \
                 heartbeat run that long",
                self.aged_overrides
            )
        })
    }

    fn on_lost_locks(&self) -> Option<String> {
        let count = |release: &str| self.releases.get(release).copied().unwrap_or(0);
        let lost = count("not-owner") + count("not-found");
        (lost > 0).then(|| {
            format!(
                "{lost} holders found their lock taken over or removed before they had finished: \
                 raise `BOARDSYNC_STALE_MS`, or look for a machine that sleeps in between"
            )
        })
    }

    fn on_busy_guards(&self) -> Option<String> {
        let busy = *self.releases.get("busy")?;
        Some(format!(
            "{busy} holders could not release their lock, because `board.lock.acquire` was \
             in the way: look at `boardsync lock status`, and remove that file if no boardsync runs"
        ))
    }

    fn on_unreadable(&self) -> Option<String> {
        (self.unreadable > 0).then(|| {
            format!(
                "{} lines could not be read and are not counted",
                self.unreadable
            )
        })
    }
}
