//! Reclaiming: clearing away, for a person, what nobody will come back to.

use super::acquire::acquire;
use super::guard::{Guard, GuardState};
use super::inspect::Judged;
use super::judge::{Reason, Verdict};
use super::observe::observe;
use super::options::LockOptions;
use super::publish::Clock;
use super::site::Site;
use crate::disk::{self, Entry};
use std::io;
use std::path::Path;

/// The treatment of a lock, or an abandoned guard, of another host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// It stays: nobody here can know whether its holder lives.
    Keep,
    /// It is removed: a person knows that nothing runs there.
    Remove,
}

/// The outcome of a reclaim.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reclaimed {
    /// The abandoned guard that was removed, if one was.
    pub guard: Option<Judged>,
    /// What became of the lock.
    pub lock: LockFate,
}

/// The outcome for a lock that was to be reclaimed.
#[derive(Debug)]
#[non_exhaustive]
pub enum LockFate {
    /// There was none.
    Free,
    /// It is gone: its holder would not have come back to it, and why.
    Removed(Reason),
    /// Another host's is gone, since that was asked for.
    Forced(Judged),
    /// It, or its guard, stays: its holder lives, or it is another host's, or
    /// no lock at all.
    Stays(Judged),
    /// It changed, or the guard was busy, meanwhile.
    Busy,
}

/// Clears away a lock that may be taken over, and a dead guard; with
/// [`Foreign::Remove`] also another host's lock, and its abandoned guard.
///
/// ```
/// use boardsync::lock::{Foreign, LockFate, LockOptions, reclaim};
///
/// let vault = tempfile::tempdir()?;
/// let lock = vault.path().join(".orchestrator/board.lock");
/// let reclaimed = reclaim(&lock, &LockOptions::default(), Foreign::Keep)?;
/// assert!(matches!(reclaimed.lock, LockFate::Free));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn reclaim(path: &Path, options: &LockOptions, foreign: Foreign) -> io::Result<Reclaimed> {
    let Some(mut site) = Site::open(path, options)? else {
        return Ok(Reclaimed {
            guard: None,
            lock: LockFate::Free,
        });
    };
    site.try_gate();
    let clock = site.clock();
    let guard = match abandoned_guard(&site, clock)? {
        None => None,
        Some(guard) => {
            let may_remove = foreign == Foreign::Remove;
            if !may_remove || matches!(guard.verdict, Verdict::NotALock(_)) {
                let lock = LockFate::Stays(guard);
                return Ok(Reclaimed { guard: None, lock });
            }
            if !remove_if_same("guard.remove-dead", &site.files.guard, &guard)? {
                let lock = LockFate::Busy;
                return Ok(Reclaimed { guard: None, lock });
            }
            Some(guard)
        }
    };
    let lock = match observe(&site.files.lock)? {
        None => LockFate::Free,
        Some(seen) => reclaim_lock(site, clock, seen, foreign, path)?,
    };
    Ok(Reclaimed { guard, lock })
}

/// Removes a dead guard, and gives one that nobody will give back.
fn abandoned_guard(site: &Site, clock: Clock) -> io::Result<Option<Judged>> {
    if Guard::remove_dead(site, clock)? != GuardState::Abandoned {
        return Ok(None);
    }
    let guard = observe(&site.files.guard)?.map(|guard| site.judge_guard(guard, clock));
    Ok(guard.filter(|guard| !matches!(guard.verdict, Verdict::Held)))
}

fn reclaim_lock(
    site: Site,
    clock: Clock,
    seen: super::observe::Observed,
    foreign: Foreign,
    path: &Path,
) -> io::Result<LockFate> {
    let judged = site.judge_lock(seen, clock);
    let is_foreign = judged.is_ours == Some(false);
    match &judged.verdict {
        Verdict::TakeOver(_) => {
            let options = site.options.clone();
            // Its gate is what the new search will ask for.
            drop(site);
            Ok(match acquire(path, &options, || false) {
                Ok(mut held) => {
                    let reason = held.stale_override.take();
                    held.release();
                    reason.map_or(LockFate::Free, LockFate::Removed)
                }
                Err(_) => LockFate::Busy,
            })
        }
        Verdict::Held | Verdict::Abandoned if foreign == Foreign::Remove && is_foreign => {
            let Ok(_guard) = Guard::take(&site)? else {
                return Ok(LockFate::Busy);
            };
            Ok(
                match remove_if_same("lock.unlink", &site.files.lock, &judged)? {
                    true => LockFate::Forced(judged),
                    false => LockFate::Busy,
                },
            )
        }
        Verdict::Held | Verdict::Abandoned | Verdict::NotALock(_) => Ok(LockFate::Stays(judged)),
    }
}

/// Removes what was judged, if a second look shows the very same.
fn remove_if_same(step: &'static str, entry: &Entry, judged: &Judged) -> io::Result<bool> {
    match observe(entry)? {
        Some(again)
            if again.is_same(&judged.observed) && again.modified == judged.observed.modified =>
        {
            disk::retry_briefly(|| disk::remove(step, entry))?;
            Ok(true)
        }
        _ => Ok(false),
    }
}
