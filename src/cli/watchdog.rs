//! Ends the process by a deadline, whatever it hangs in.

use super::outcome::warn;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// Watches over a process until it is dropped.
///
/// Neither a read from stdin nor a file system can be told to give up, and
/// whatever a process is killed in, the board is whole.
pub struct Watchdog {
    deadlines: Sender<Deadline>,
}

struct Deadline {
    limit: Duration,
    because: &'static str,
}

impl Watchdog {
    /// Ends the process with success, and one line with `because`, once it is
    /// older than `limit`. Without a thread to be had nothing is watched.
    pub fn start(started: Instant, limit: Duration, because: &'static str) -> Self {
        let (deadlines, next) = mpsc::channel();
        let mut deadline = Deadline { limit, because };
        let watch = move || loop {
            let left = deadline.limit.saturating_sub(started.elapsed());
            match next.recv_timeout(left) {
                Ok(later) => deadline = later,
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    let Deadline { limit, because } = deadline;
                    warn(&format!(
                        "gave up after {} ms: {because}",
                        limit.as_millis()
                    ));
                    std::process::exit(0);
                }
            }
        };
        let _ = thread::Builder::new().stack_size(64 * 1024).spawn(watch);
        Self { deadlines }
    }

    /// Sets another limit, counted from the same start.
    pub fn set(&self, limit: Duration, because: &'static str) {
        let _ = self.deadlines.send(Deadline { limit, because });
    }
}
