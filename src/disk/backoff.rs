//! How long to wait, and how often to look meanwhile.

use super::errno::{is_busy, is_io, is_passing};
use std::fmt;
use std::io;
use std::time::{Duration, Instant};

/// The time to try for something that another process holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Try once, never wait.
    TryOnce,
    /// Try until this long has passed.
    For(Duration),
}

impl From<Duration> for Patience {
    fn from(limit: Duration) -> Self {
        if limit.is_zero() {
            Self::TryOnce
        } else {
            Self::For(limit)
        }
    }
}

impl fmt::Display for Patience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TryOnce => f.write_str("one try"),
            Self::For(limit) => write!(f, "{} ms", limit.as_millis()),
        }
    }
}

/// The pauses of one wait: short, growing, jittered delays.
///
/// The jitter keeps a dozen hooks that started in the same millisecond from
/// looking in step for ever after.
#[derive(Debug)]
pub struct Backoff {
    started: Instant,
    limit: Duration,
    next: Duration,
    longest: Duration,
}

impl Backoff {
    const FIRST: Duration = Duration::from_micros(200);

    /// Starts a wait whose delays grow up to `longest`.
    pub fn new(patience: Patience, longest: Duration) -> Self {
        let limit = match patience {
            Patience::TryOnce => Duration::ZERO,
            Patience::For(limit) => limit,
        };
        let started = Instant::now();
        let next = Self::FIRST.min(longest);
        Self {
            started,
            limit,
            next,
            longest,
        }
    }

    /// Returns the time waited so far.
    pub fn waited(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns how much of the time is left.
    pub fn left(&self) -> Duration {
        self.limit.saturating_sub(self.started.elapsed())
    }

    /// Sleeps for the next delay; false once the time is up.
    pub fn pause(&mut self) -> bool {
        self.pause_at_most(Duration::MAX)
    }

    /// Sleeps for the next delay, cut to `limit`; false once the time is up.
    pub fn pause_at_most(&mut self, limit: Duration) -> bool {
        let left = self.left();
        if left.is_zero() {
            return false;
        }
        std::thread::sleep(self.jittered().min(left).min(limit));
        self.next = (self.next * 3 / 2).min(self.longest);
        true
    }

    /// Returns between half and three halves of the next delay.
    fn jittered(&self) -> Duration {
        self.next.mul_f64(0.5 + fastrand::f64())
    }
}

/// Repeats for up to 100 ms what the system may grant in a moment.
///
/// A virus scanner, a sync tool or another client of a share has the file open
/// (EBUSY, EACCES, EPERM), a table of open files is full (EMFILE, ENFILE), a
/// server has just replaced what was opened (ESTALE, EIO).
pub fn retry_briefly<T>(mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut backoff = None;
    loop {
        match act() {
            Err(error) if is_busy(&error) || is_passing(&error) || is_io(&error) => {
                let backoff = backoff.get_or_insert_with(|| Backoff::new(BRIEFLY, LONGEST_PAUSE));
                if !backoff.pause() {
                    return Err(error);
                }
            }
            done => return done,
        }
    }
}

const BRIEFLY: Patience = Patience::For(Duration::from_millis(100));
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    #[test]
    fn one_try_never_pauses() {
        assert!(!Backoff::new(Patience::TryOnce, Duration::from_secs(9)).pause());
    }

    #[test]
    fn delays_grow_to_the_longest_and_stay_within_their_jitter() {
        let longest = Duration::from_millis(10);
        let mut backoff = Backoff::new(Patience::For(Duration::from_secs(5)), longest);
        for _ in 0..40 {
            let base = backoff.next;
            let delay = backoff.jittered();
            assert!(
                delay >= base / 2 && delay <= base * 3 / 2,
                "{delay:?} of {base:?}"
            );
            backoff.next = (backoff.next * 3 / 2).min(backoff.longest);
        }
        assert_eq!(backoff.next, longest);
    }

    #[test]
    fn what_holds_up_a_rename_is_waited_for_and_nothing_else_is() {
        let mut tries = 0;
        let done = retry_briefly(|| {
            tries += 1;
            match tries {
                1 => Err(ErrorKind::ResourceBusy.into()),
                2 => Err(ErrorKind::PermissionDenied.into()),
                _ => Ok(tries),
            }
        });
        assert_eq!(done.unwrap(), 3);
        let mut tries = 0;
        let failed: io::Result<()> = retry_briefly(|| {
            tries += 1;
            Err(ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err() && tries == 1);
    }
}
