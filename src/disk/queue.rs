//! The kernel's queue of those who wait for a lock.

use super::entry::At;
use super::kernel_lock::KernelLock;
use fs4::FileExt;
use std::fs::File;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A place in the kernel's queue for a lock.
///
/// Whoever polls with growing delays is overtaken for ever by those who have
/// just come: with 16 writers in a loop, some starved for 5 s. The kernel
/// wakes its waiters in turn and at once. A thread waits there in our stead,
/// since a blocking lock takes no time limit; when nobody wants the lock any
/// more by the time it comes, it is let go.
#[derive(Debug)]
pub struct Queue {
    /// For one waiter at a time; a holder's guard may be shared by threads.
    taken: Mutex<Receiver<KernelLock>>,
}

impl Queue {
    /// Queues for the lock of the file at `path`.
    pub fn enter(
        path: impl At + Send + 'static,
        mode: u32,
        open: &'static str,
        lock: &'static str,
    ) -> Self {
        let (sender, taken) = mpsc::sync_channel(1);
        let wait = move || {
            let act = |file: &File| FileExt::lock(file).map(|()| true);
            if let Ok(Some(taken)) = KernelLock::take(&path, mode, open, lock, act) {
                let _ = sender.send(taken);
            }
        };
        // If no thread can be started, the queue stays empty, and waiting for it is a delay.
        let _ = std::thread::Builder::new()
            .stack_size(64 * 1024)
            .spawn(wait);
        Self {
            taken: Mutex::new(taken),
        }
    }

    /// Waits for our turn, at most for `limit`, and tells whether it can come.
    pub fn turn(&self, limit: Duration) -> Turn {
        let started = Instant::now();
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.recv_timeout(limit) {
            Ok(taken) => Turn::Ours(taken),
            Err(RecvTimeoutError::Timeout) => Turn::NotYet,
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(limit.saturating_sub(started.elapsed()));
                Turn::Never
            }
        }
    }
}

/// The outcome of waiting in the queue.
#[derive(Debug)]
pub enum Turn {
    /// The lock is ours.
    Ours(KernelLock),
    /// The time was up first.
    NotYet,
    /// The kernel refused a place in its queue; the limit was waited out.
    Never,
}
