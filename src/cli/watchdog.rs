//! Ends the process at a deadline, whatever blocks it.

use super::outcome::warn;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// Watches over the process until it is dropped.
///
/// A call of the file system cannot be cancelled, and a process that ends at any
/// point leaves the board intact.
pub struct Watchdog {
    _alive: Sender<()>,
}

impl Watchdog {
    /// Ends the process with success, and one line, once `limit` after
    /// `started` is over; `keep` gets that line, for those who cannot see it now.
    /// If no thread can be started, nothing is watched.
    pub fn start(
        started: Instant,
        limit: Duration,
        keep: impl FnOnce(&str) + Send + 'static,
    ) -> Self {
        let (alive, watched) = mpsc::channel();
        let watch = move || {
            let left = limit.saturating_sub(started.elapsed());
            if watched.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                let limit = limit.as_millis();
                let line = format!(
                    "gave up after {limit} ms: the board is intact, and the next update adds this event"
                );
                warn(&line);
                keep(&line);
                std::process::exit(0);
            }
        };
        let _ = thread::Builder::new().stack_size(64 * 1024).spawn(watch);
        Self { _alive: alive }
    }
}
