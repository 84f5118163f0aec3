//! The held lock: a published record, kept fresh by its heartbeat, released once.

use super::judge::Reason;
use super::outcome::Release;
use super::owner::{LockOwner, owner};
use super::release::release;
use super::site::Site;
use super::sweep::sweep;
use crate::disk::{self, Entry};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant, SystemTime};

/// The lock in our hands, until it is released or dropped.
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct HeldLock {
    site: Site,
    heart: Option<Heart>,
    /// Why another holder's lock was taken over, if one was.
    pub stale_override: Option<Reason>,
    /// How long the lock was waited for.
    pub waited: Duration,
    released: bool,
}

impl HeldLock {
    /// Starts the heartbeat of a lock that has just been published, if it is
    /// to be held for that long.
    pub(super) fn start(site: Site, stale_override: Option<Reason>, waited: Duration) -> Self {
        sweep(&site);
        let interval = site.options.staleness / 4;
        let is_brief = site.options.expected.is_some_and(|most| most < interval);
        let heart = match is_brief {
            true => None,
            false => Heart::start(site.files.lock.clone(), site.token.to_string(), interval),
        };
        Self {
            site,
            heart,
            stale_override,
            waited,
            released: false,
        }
    }

    /// Returns the lock's path.
    pub fn path(&self) -> PathBuf {
        self.site.files.lock.path()
    }

    /// Returns the token of its record.
    pub fn token(&self) -> String {
        self.site.token.to_string()
    }

    /// Returns whether the lock still carries our token.
    pub fn is_still_ours(&self) -> bool {
        let owner = owner(&self.site.files.lock, &self.token());
        matches!(owner, Ok(LockOwner::Us(_)))
    }

    /// Releases the lock, only if it is still ours.
    pub fn release(mut self) -> Release {
        self.give_back()
    }

    fn give_back(&mut self) -> Release {
        self.released = true;
        drop(self.heart.take());
        release(&self.site)
    }
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        if !self.released {
            self.give_back();
        }
    }
}

/// How often a heart looks at the clock, to see whether it has jumped.
const LOOKS: Duration = Duration::from_secs(1);

/// By how much the wall clock may differ from the monotonic one between two
/// beats; more is a jump, or the machine slept.
const DRIFT: Duration = Duration::from_millis(500);

/// What beats every quarter of the staleness, and at once when the clock has
/// jumped, so that a live holder never looks stale.
#[derive(Debug)]
struct Heart {
    stop: Arc<AtomicBool>,
    thread: Thread,
}

impl Heart {
    /// Starts beating; if no thread can be started the lock simply ages.
    fn start(lock: Entry, token: String, interval: Duration) -> Option<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let run = move || {
            let mut last = Beat::now();
            while !stopped.load(Ordering::Acquire) {
                std::thread::park_timeout(interval.min(LOOKS));
                if stopped.load(Ordering::Acquire) {
                    return;
                }
                if last.is_over(Beat::now(), interval) {
                    if !Self::beat(&lock, &token) {
                        return;
                    }
                    last = Beat::now();
                }
            }
        };
        let thread = std::thread::Builder::new()
            .stack_size(64 * 1024)
            .spawn(run)
            .ok()?;
        Some(Self {
            stop,
            thread: thread.thread().clone(),
        })
    }

    /// Touches the very file whose token was read, whatever its name means by
    /// then; false once the lock is not ours.
    fn beat(lock: &Entry, token: &str) -> bool {
        match owner(lock, token) {
            Ok(LockOwner::Us(file)) => {
                // One refusal of the file system is no loss of the lock.
                let _ = disk::touch("lock.beat", &file);
                true
            }
            Ok(LockOwner::Nobody | LockOwner::Another) => false,
            Err(_) => true,
        }
    }
}

impl Drop for Heart {
    /// Ends the beating without waiting for the thread: a beat that is under
    /// way touches a file with our token or none, and waiting for a busy
    /// machine to schedule the thread cost more than the whole release.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// The time of a beat, by both clocks.
#[derive(Clone, Copy)]
struct Beat {
    wall: SystemTime,
    monotonic: Instant,
}

impl Beat {
    fn now() -> Self {
        Self {
            wall: SystemTime::now(),
            monotonic: Instant::now(),
        }
    }

    /// Returns whether, at `now`, the next beat is due: the interval is over, or
    /// the clocks moved differently.
    fn is_over(self, now: Self, interval: Duration) -> bool {
        let elapsed = now.monotonic - self.monotonic;
        let expected = self.wall + elapsed;
        let drift = match now.wall.duration_since(expected) {
            Ok(ahead) => ahead,
            Err(behind) => behind.duration(),
        };
        elapsed >= interval || drift > DRIFT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beat_is_due_after_the_interval_and_when_the_clock_has_jumped() {
        let interval = Duration::from_secs(15);
        let last = Beat::now();
        let after = |seconds, wall: SystemTime| Beat {
            wall,
            monotonic: last.monotonic + Duration::from_secs(seconds),
        };
        let second = Duration::from_secs(1);
        let hours = Duration::from_secs(7_200);
        assert!(!last.is_over(after(1, last.wall + second), interval));
        assert!(last.is_over(after(15, last.wall + 15 * second), interval));
        assert!(last.is_over(after(1, last.wall + hours), interval));
        assert!(last.is_over(after(1, last.wall - hours), interval));
    }
}
