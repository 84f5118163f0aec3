//! The lock: a fail-open mutex in a file that hosts, peers and people can see.
//!
//! It knows nothing of boards. Read in this order: [`judge`] (when is a lock
//! taken over?), [`Seeker::acquire`], `takeover.rs`, [`Lease`], [`LockOutcome`].
//!
//! # Limitations
//!
//! * **The section may run without the lock**: after the timeout, or when the
//!   file system refuses. Ask [`Hold::why_unlocked`] where that matters.
//! * Two hosts are kept apart only by a volume that they share, not by a
//!   synchronised copy of it.
//! * Where there are no kernel locks, a killed holder's lock is taken over only
//!   after the staleness (60 s).

mod acquire;
mod files;
mod gate;
mod guard;
mod host;
mod judge;
mod lease;
mod options;
mod outcome;
mod publish;
mod reclaim;
mod record;
mod sighting;
mod sweep;
mod takeover;

pub use acquire::Seeker;
pub use files::LockFiles;
pub use host::{Host, normalise};
pub use judge::{Facts, GRACE_MS, Reason, Verdict, judge, judge_guard};
pub use lease::Lease;
pub use options::LockOptions;
pub use outcome::{HolderNote, LockOutcome, Release, Unlocked, WhyUnlocked};
pub use reclaim::{Inspection, Judged, Reclaimed};
pub use record::{Record, command_line};
pub use sighting::{Seen, Sighting, Stranger, look};

use std::path::Path;

/// Tells a section whether it runs under the lock, before it starts.
#[derive(Debug)]
pub enum Hold<'a> {
    /// It does.
    Locked(Box<Lease<'a>>),
    /// It does not, and why.
    Unlocked(Unlocked),
}

impl Hold<'_> {
    /// Says why the section runs without the lock; `None` if it runs under it.
    pub fn why_unlocked(&self) -> Option<&Unlocked> {
        match self {
            Self::Locked(_) => None,
            Self::Unlocked(why) => Some(why),
        }
    }

    /// Says whether the lock is still ours: a section that was paused for longer
    /// than the staleness may have lost it.
    pub fn is_still_ours(&self) -> bool {
        matches!(self, Self::Locked(lease) if lease.is_still_ours())
    }

    /// Gives the lock back, and says how it all went.
    fn finish(self) -> LockOutcome {
        match self {
            Self::Unlocked(why) => LockOutcome::Unlocked(why),
            Self::Locked(mut lease) => LockOutcome::Locked {
                lock_path: lease.path().to_owned(),
                stale_override: lease.stale_override.take(),
                waited: lease.waited,
                release: lease.release(),
            },
        }
    }
}

/// Runs `section` once, under the board's lock if that can be had.
///
/// **It may run without**: see [`Hold::why_unlocked`]. In that case
/// `options.warn` has been called once, unless the lock was skipped on demand.
/// The section's value is returned as it is. After it, also if it panics, the
/// lock is released and `options.on_outcome` is called, once.
///
/// ```
/// use boardsync::lock::{LockOptions, with_board_lock};
///
/// let vault = tempfile::tempdir()?;
/// let told = std::cell::RefCell::new(None);
/// let options = LockOptions {
///     on_outcome: &|outcome| *told.borrow_mut() = Some(outcome.is_locked()),
///     ..LockOptions::default()
/// };
/// let value = with_board_lock(vault.path(), &options, |hold| {
///     assert!(hold.is_still_ours());
///     42
/// });
/// assert_eq!((value, told.take()), (42, Some(true)));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn with_board_lock<T>(
    vault: &Path,
    options: &LockOptions,
    section: impl FnOnce(&Hold) -> T,
) -> T {
    let path = options.lock_file.clone();
    let path = path.unwrap_or_else(|| vault.join(".orchestrator").join("board.lock"));
    let hold = match acquire(&path, options) {
        Ok(lease) => Hold::Locked(Box::new(lease)),
        Err(why) => {
            if !matches!(why.reason, WhyUnlocked::Skipped | WhyUnlocked::Interrupted) {
                (options.warn)(&why);
            }
            Hold::Unlocked(why)
        }
    };
    let finish = Finish {
        hold: Some(hold),
        options,
    };
    section(finish.hold.as_ref().expect("is taken only when dropped"))
}

fn acquire<'a>(path: &Path, options: &'a LockOptions<'a>) -> Result<Lease<'a>, Unlocked> {
    if options.skip {
        return Err(Unlocked {
            lock_path: path.to_owned(),
            reason: WhyUnlocked::Skipped,
            waited: std::time::Duration::ZERO,
            holder: None,
        });
    }
    Seeker::new(path, options).acquire()
}

/// Releases and reports when dropped: on return and on panic alike.
struct Finish<'a> {
    hold: Option<Hold<'a>>,
    options: &'a LockOptions<'a>,
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        if let Some(hold) = self.hold.take() {
            (self.options.on_outcome)(&hold.finish());
        }
    }
}
