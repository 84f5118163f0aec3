//! The lock: a fail-open mutex in a file that hosts, peers and people can see.
//!
//! It knows nothing of boards. A file is named after what it does, in the life
//! of a lock: `acquire`, `search`, `publish`, `take_over`, `held`, `release`, `sweep`,
//! `inspect`, `reclaim`. When a lock is taken over is decided in [`judge`], and
//! nowhere else.
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
mod failure;
mod files;
mod gate;
mod guard;
mod held;
mod holder;
mod host;
mod inherit;
mod inspect;
mod judge;
mod observe;
mod options;
mod outcome;
mod owner;
mod publish;
mod reclaim;
mod record;
mod release;
mod search;
mod site;
mod sweep;
mod take_over;

pub use crate::disk::{Durability, Patience};
pub use files::LockFiles;
pub use held::HeldLock;
pub use holder::HolderNote;
pub use host::{Host, normalise};
pub use inherit::Inherited;
pub use inspect::{Judged, LockInspection, inspect};
pub use judge::{Facts, GRACE_MS, Reason, Verdict, judge, judge_guard};
pub use observe::{LockContent, Unrelated};
pub use options::{LockOptions, Trace, Warn};
pub use outcome::{LockOutcome, Release, Unlocked, WhyUnlocked};
pub use reclaim::{Foreign, LockFate, Reclaimed, reclaim};
pub use record::Record;

use inherit::Enclosing;
use std::path::Path;
use std::time::Duration;

/// The state in which a section runs: under the lock or without it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Hold {
    /// Under the lock.
    Locked(Box<HeldLock>),
    /// Under the lock of an enclosing section or a parent process, which stays
    /// when this section ends.
    Inherited(Inherited),
    /// Without the lock, and why.
    Unlocked(Unlocked),
}

impl Hold {
    /// Returns the reason for which the section runs without the lock; `None` if
    /// it runs under it.
    pub fn why_unlocked(&self) -> Option<&Unlocked> {
        match self {
            Self::Locked(_) | Self::Inherited(_) => None,
            Self::Unlocked(why) => Some(why),
        }
    }

    /// Returns whether the lock is still held: a section that was paused for
    /// longer than the staleness may have lost it.
    pub fn is_still_ours(&self) -> bool {
        match self {
            Self::Locked(held) => held.is_still_ours(),
            Self::Inherited(inherited) => inherited.is_held(),
            Self::Unlocked(_) => false,
        }
    }

    /// Returns the reason for which another holder's lock was taken over, if one was.
    pub fn stale_override(&self) -> Option<&Reason> {
        match self {
            Self::Locked(held) => held.stale_override.as_ref(),
            Self::Inherited(_) | Self::Unlocked(_) => None,
        }
    }

    /// Returns the token that a child process may inherit, while the lock is held.
    pub fn token(&self) -> Option<String> {
        match self {
            Self::Locked(held) => Some(held.token()),
            Self::Inherited(inherited) => Some(inherited.token.clone()),
            Self::Unlocked(_) => None,
        }
    }

    /// Takes the lock at `path` if it can be acquired.
    ///
    /// `is_over` is asked after each delay, before the lock is tried for again: it
    /// ends the wait as the caller's interrupt does.
    pub(crate) fn take(path: &Path, options: &LockOptions, is_over: impl FnMut() -> bool) -> Self {
        take_hold(path, options, is_over).unwrap_or_else(|why| {
            let is_asked_for =
                matches!(why.reason, WhyUnlocked::Skipped | WhyUnlocked::Interrupted);
            if let Some(warn) = options.warn.as_ref().filter(|_| !is_asked_for) {
                warn(&why);
            }
            Self::Unlocked(why)
        })
    }

    /// Runs `section` under the lock at `path`, or without, as it was taken.
    pub(crate) fn run<T>(self, path: &Path, section: impl FnOnce(&Self) -> T) -> (T, LockOutcome) {
        let _enclosing = self.token().map(|token| Enclosing::enter(path, token));
        let value = section(&self);
        (value, self.finish())
    }

    /// Releases the lock, and gives the outcome.
    fn finish(self) -> LockOutcome {
        match self {
            Self::Unlocked(why) => LockOutcome::Unlocked(why),
            Self::Inherited(inherited) => LockOutcome::Locked {
                lock_path: inherited.path,
                stale_override: None,
                waited: Duration::ZERO,
                release: Release::Kept,
            },
            Self::Locked(mut held) => LockOutcome::Locked {
                lock_path: held.path(),
                stale_override: held.stale_override.take(),
                waited: held.waited,
                release: held.release(),
            },
        }
    }
}

/// Runs `section` once, under the lock of the vault's board if it can be
/// acquired: `<vault>/.orchestrator/board.lock`. See [`with_lock`].
///
/// **It may run without**: see [`Hold::why_unlocked`].
///
/// ```
/// use boardsync::lock::{LockOptions, with_board_lock};
///
/// let vault = tempfile::tempdir()?;
/// let (value, outcome) = with_board_lock(vault.path(), &LockOptions::default(), |hold| {
///     assert!(hold.is_still_ours());
///     42
/// });
/// assert_eq!(value, 42);
/// assert!(outcome.is_locked());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn with_board_lock<T>(
    vault: &Path,
    options: &LockOptions,
    section: impl FnOnce(&Hold) -> T,
) -> (T, LockOutcome) {
    with_lock(&vault.join(".orchestrator/board.lock"), options, section)
}

/// Runs `section` once, under the lock at `path` if it can be acquired.
///
/// **It may run without**: see [`Hold::why_unlocked`]. In that case
/// `options.warn` is called first, unless the lock was skipped on demand. The
/// section's value comes back as it is, with the outcome. The lock is released
/// after it, also if it panics.
///
/// A section that asks for the lock that it runs under already, on its own
/// thread, has it at once, and the lock stays when the inner section ends. So
/// [`update`](crate::update) may be called inside the board's own lock. Another
/// thread waits, as any other process does.
///
/// ```
/// use boardsync::lock::{LockOptions, with_lock};
///
/// let folder = tempfile::tempdir()?;
/// let options = LockOptions::default();
/// let (copied, outcome) = with_lock(&folder.path().join("import.lock"), &options, |hold| {
///     // A program that must not run without the lock decides here.
///     match hold.why_unlocked() {
///         Some(why) => Err(std::io::Error::other(why.to_string())),
///         None => std::fs::write(folder.path().join("a"), "imported"),
///     }
/// });
/// copied?;
/// println!("{}", serde_json::to_string(&outcome)?);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn with_lock<T>(
    path: &Path,
    options: &LockOptions,
    section: impl FnOnce(&Hold) -> T,
) -> (T, LockOutcome) {
    Hold::take(path, options, || false).run(path, section)
}

fn take_hold(
    path: &Path,
    options: &LockOptions,
    is_over: impl FnMut() -> bool,
) -> Result<Hold, Unlocked> {
    if options.skip {
        return Err(Unlocked {
            lock_path: path.to_owned(),
            reason: WhyUnlocked::Skipped,
            waited: Duration::ZERO,
            holder: None,
        });
    }
    if let Some(inherited) = Inherited::find(path, options.inherited.as_deref()) {
        return Ok(Hold::Inherited(inherited));
    }
    let held = acquire::acquire(path, options, is_over)?;
    Ok(Hold::Locked(Box::new(held)))
}
