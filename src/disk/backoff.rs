//! How long to wait, and how often to look meanwhile.

use std::fmt;
use std::time::{Duration, Instant, SystemTime};

/// Says how long to try for something that another process holds.
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

/// Spaces the looks of one wait: short, growing, jittered delays.
///
/// The jitter keeps a dozen hooks that started in the same millisecond from
/// looking in step for ever after.
#[derive(Debug)]
pub struct Backoff {
    started: Instant,
    limit: Duration,
    next: Duration,
    longest: Duration,
    noise: u64,
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
        let clock = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let seed = u64::from(std::process::id()) << 32 | u64::from(clock.subsec_nanos());
        let noise = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let next = Self::FIRST.min(longest);
        Self {
            started,
            limit,
            next,
            longest,
            noise,
        }
    }

    /// Gives the time waited so far.
    pub fn waited(&self) -> Duration {
        self.started.elapsed()
    }

    /// Lowers the limit to `limit` after the start; never raises it.
    pub fn at_most(&mut self, limit: Duration) {
        self.limit = self.limit.min(limit);
    }

    /// Gives how much of the time is left.
    pub fn left(&self) -> Duration {
        self.limit.saturating_sub(self.started.elapsed())
    }

    /// Sleeps for the next delay; false once the time is up.
    pub fn pause(&mut self) -> bool {
        let left = self.left();
        if left.is_zero() {
            return false;
        }
        std::thread::sleep(self.jittered().min(left));
        self.next = (self.next * 3 / 2).min(self.longest);
        true
    }

    /// Gives between half and three halves of the next delay (xorshift).
    fn jittered(&mut self) -> Duration {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 7;
        self.noise ^= self.noise << 17;
        let half = self.next / 2;
        half + self
            .next
            .mul_f64((self.noise >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
