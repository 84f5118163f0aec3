//! The gate: the kernel's proof, on this host, that a holder lives.

use crate::disk::{Attempt, Backoff, FileId, KernelLock, Queue};
use std::fmt;
use std::path::Path;
use std::time::Duration;

const OPEN: &str = "gate.open";
const LOCK: &str = "gate.lock";

/// Holds the gate, or says why not.
#[derive(Debug, Default)]
pub enum Gate {
    /// Nobody has tried for it yet.
    #[default]
    Untried,
    /// It is ours, for as long as this value lives.
    Held(KernelLock),
    /// Another process has it; we have a place in the queue once we wait.
    Busy(Option<Queue>),
    /// There are no kernel locks here: it proves nothing, and age alone decides.
    Unavailable,
}

impl Gate {
    /// Tries for the gate file at `path` without waiting, if it is not ours yet.
    pub fn try_take(&mut self, path: &Path) {
        if matches!(self, Self::Untried | Self::Busy(None)) {
            *self = match KernelLock::try_take(path, OPEN, LOCK) {
                Attempt::Taken(lock) => Self::Held(lock),
                Attempt::Busy => Self::Busy(None),
                Attempt::Unavailable(_) => Self::Unavailable,
            };
        }
    }

    /// Waits for the gate if another process has it, else for the backoff's
    /// next delay; false once the time is up.
    ///
    /// The wait for the gate ends after `look_again` too: the lock may have
    /// become stale in the hands of a hung holder.
    pub fn pause(&mut self, path: &Path, backoff: &mut Backoff, look_again: Duration) -> bool {
        let Self::Busy(queue) = self else {
            return backoff.pause();
        };
        let limit = backoff.left().min(look_again);
        if limit.is_zero() {
            return false;
        }
        let queue = queue.get_or_insert_with(|| Queue::enter(path.to_owned(), OPEN, LOCK));
        if let Some(lock) = queue.wait(limit) {
            *self = Self::Held(lock);
        }
        true
    }

    /// Gives the identity of the gate file while we hold it.
    pub fn id(&self) -> Option<FileId> {
        match self {
            Self::Held(lock) => lock.id(),
            Self::Untried | Self::Busy(_) | Self::Unavailable => None,
        }
    }

    /// Says whether another process has it.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Busy(_))
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Held(_) => "with the gate",
            Self::Untried | Self::Busy(_) => "without the gate, which another process has",
            Self::Unavailable => "without the gate: no kernel locks here",
        })
    }
}
