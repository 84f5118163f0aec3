//! The gate: the kernel's proof, on this host, that a holder lives.

use crate::disk::{self, Attempt, Backoff, Entry, FileId, KernelLock, Queue, Turn};
use std::fmt;
use std::time::Duration;

const OPEN: &str = "gate.open";
const LOCK: &str = "gate.lock";

/// Our share in the gate.
#[derive(Debug, Default)]
pub enum Gate {
    /// Not ours, and not tried for since.
    #[default]
    Untried,
    /// Ours, for as long as this value lives.
    Held(KernelLock),
    /// Another process's; we have a place in the queue once we wait.
    Busy(Option<Queue>),
    /// Nobody's: without kernel locks it proves nothing, and age alone decides.
    Unavailable,
}

impl Gate {
    /// Tries for the gate without waiting, if it is not held yet; `mode` is
    /// that of the lock's files.
    pub fn try_take(&mut self, gate: &Entry, mode: u32) {
        if matches!(self, Self::Untried | Self::Busy(None)) {
            *self = match KernelLock::try_take(gate, mode, OPEN, LOCK) {
                Attempt::Taken(lock) => Self::Held(lock),
                Attempt::Busy => Self::Busy(None),
                // A full table of descriptors says nothing of the file system.
                Attempt::Unavailable(error) if disk::is_passing(&error) => Self::Untried,
                Attempt::Unavailable(_) => Self::Unavailable,
            };
        }
    }

    /// Lets go of it; the next try starts anew.
    pub fn let_go(&mut self) {
        if matches!(self, Self::Held(_)) {
            *self = Self::Untried;
        }
    }

    /// Waits for the gate if another process has it, else for the backoff's
    /// next delay, at most for `look_again`; false once the time is up.
    ///
    /// The wait for the gate ends after `look_again` too: the lock may have
    /// become stale in the hands of a hung holder.
    pub fn pause(
        &mut self,
        (gate, mode): (&Entry, u32),
        backoff: &mut Backoff,
        look_again: Duration,
    ) -> bool {
        let Self::Busy(queue) = self else {
            return backoff.pause_at_most(look_again);
        };
        let limit = backoff.left().min(look_again);
        if limit.is_zero() {
            return false;
        }
        let queue = queue.get_or_insert_with(|| Queue::enter(gate.clone(), mode, OPEN, LOCK));
        match queue.turn(limit) {
            Turn::Ours(lock) => *self = Self::Held(lock),
            Turn::NotYet => {}
            Turn::Never => *self = Self::Busy(None),
        }
        true
    }

    /// Returns the identity of the gate file while we hold it.
    pub fn id(&self) -> Option<FileId> {
        match self {
            Self::Held(lock) => lock.id(),
            Self::Untried | Self::Busy(_) | Self::Unavailable => None,
        }
    }

    /// Returns the identity of the gate file while another process holds it.
    pub fn busy_id(&self, gate: &Entry) -> Option<FileId> {
        match self {
            Self::Busy(_) => disk::status(gate).ok()?.id,
            Self::Untried | Self::Held(_) | Self::Unavailable => None,
        }
    }

    /// Returns whether another process has it.
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
