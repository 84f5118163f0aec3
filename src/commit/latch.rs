//! The latch: read, merge and commit are one step for all processes of this host.

use crate::disk::{Attempt, Backoff, KernelLock, Patience};
use std::path::Path;
use std::time::Duration;

const PATIENCE: Patience = Patience::For(Duration::from_secs(1));
const POLL: Duration = Duration::from_millis(5);

/// Holds the latch until it is dropped: for a few milliseconds.
#[derive(Debug)]
#[must_use = "the latch is let go when this is dropped"]
pub struct Latch {
    _lock: KernelLock,
}

impl Latch {
    /// Takes the latch at `path`, for at most 1 s; `None` if it was not to be had.
    ///
    /// Going on without it loses nothing: the exchange and the join hold.
    pub fn take(path: &Path) -> Option<Self> {
        let mut backoff = Backoff::new(PATIENCE, POLL);
        loop {
            match KernelLock::try_take(path, "latch.open", "latch.lock") {
                Attempt::Taken(lock) => return Some(Self { _lock: lock }),
                Attempt::Unavailable(_) => return None,
                Attempt::Busy => {}
            }
            if !backoff.pause() {
                return None;
            }
        }
    }
}
