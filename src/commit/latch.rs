//! The latch: read, merge and commit are one step for all processes of this host.

use crate::disk::{At, Attempt, KernelLock, Queue, Turn};
use std::time::{Duration, Instant};

/// The wait for the latch, unless the caller has less time.
pub const LATCH_PATIENCE: Duration = Duration::from_secs(1);

const OPEN: &str = "latch.open";
const LOCK: &str = "latch.lock";

/// The latch, held until it is dropped: for a few milliseconds.
#[derive(Debug)]
#[must_use = "the latch is let go when this is dropped"]
pub struct Latch {
    _lock: KernelLock,
}

impl Latch {
    /// Takes the latch; `None` if it cannot be acquired within `patience`.
    ///
    /// Going on without it loses nothing: the exchange and the join hold. `mode`
    /// is the board's.
    pub fn take(
        at: &(impl At + Clone + Send + 'static),
        mode: u32,
        patience: Duration,
    ) -> Option<Self> {
        let lock = match KernelLock::try_take(at, mode, OPEN, LOCK) {
            Attempt::Taken(lock) => Some(lock),
            Attempt::Unavailable(_) => None,
            Attempt::Busy => wait(at, mode, patience),
        };
        lock.map(|lock| Self { _lock: lock })
    }
}

/// Waits in the kernel's queue; where it has none (SMB), asks again and again.
fn wait(
    at: &(impl At + Clone + Send + 'static),
    mode: u32,
    patience: Duration,
) -> Option<KernelLock> {
    const LOOK_AGAIN: Duration = Duration::from_millis(10);
    let queue = Queue::enter(at.clone(), mode, OPEN, LOCK);
    let started = Instant::now();
    loop {
        let left = patience.saturating_sub(started.elapsed());
        match queue.turn(left.min(LOOK_AGAIN)) {
            Turn::Ours(lock) => return Some(lock),
            Turn::NotYet => {}
            Turn::Never => match KernelLock::try_take(at, mode, OPEN, LOCK) {
                Attempt::Taken(lock) => return Some(lock),
                Attempt::Unavailable(_) => return None,
                Attempt::Busy => {}
            },
        }
        if left.is_zero() {
            return None;
        }
    }
}
