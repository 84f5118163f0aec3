//! Acquiring: look and try, wait, and again, until the patience is over.

use super::failure::at;
use super::held::HeldLock;
use super::holder::HolderNote;
use super::observe::{Observed, observe};
use super::options::LockOptions;
use super::outcome::{Unlocked, WhyUnlocked};
use super::search::{Blocker, Pass, Search};
use super::site::Site;
use crate::disk::{self, Backoff};
use std::path::Path;
use std::time::{Duration, Instant};

/// A lock or a guard whose holder will not come back in time is waited for no
/// longer than this.
const ABANDONED: Duration = Duration::from_millis(250);

/// Tries to acquire the lock at `path` until it is ours, the patience is over, or
/// the caller does not want it any more.
pub fn acquire(
    path: &Path,
    options: &LockOptions,
    mut is_over: impl FnMut() -> bool,
) -> Result<HeldLock, Unlocked> {
    let mut backoff = Backoff::new(options.patience, options.poll);
    let failed = |reason, backoff: &Backoff, holder| Unlocked {
        lock_path: path.to_owned(),
        reason,
        waited: backoff.waited(),
        holder,
    };
    let created =
        disk::retry_briefly(|| Site::create(path, options)).map_err(at("open the folder of", path));
    let site = created.map_err(|failure| failed(failure.into(), &backoff, None))?;
    let mut search = Search::new(site);
    loop {
        let blocker = match search.pass(&backoff) {
            Ok(Pass::Ours(reason)) => {
                return Ok(HeldLock::start(search.site, reason, backoff.waited()));
            }
            Ok(Pass::Wait(blocker)) => {
                search.failing_since = None;
                blocker
            }
            Err(failure) if search.may_pass(&failure) => Blocker::Io(failure),
            Err(failure) => return Err(failed(failure.into(), &backoff, None)),
        };
        if !search.pause(&blocker, &mut backoff) {
            let (reason, holder) = search.why_unlocked(blocker);
            return Err(failed(reason, &backoff, holder));
        }
        if options.is_interrupted() || is_over() {
            return Err(failed(WhyUnlocked::Interrupted, &backoff, None));
        }
    }
}

impl Search {
    /// Waits until it is time for another look; false once the time is up.
    fn pause(&mut self, blocker: &Blocker, backoff: &mut Backoff) -> bool {
        let site = &mut self.site;
        let record = self.seen.as_ref().and_then(Observed::record);
        let is_foreign =
            record.is_some_and(|record| !record.host.is_empty() && !record.is_of(&site.host));
        if is_foreign {
            // Another host of this volume may need it to see a holder dead.
            site.gate.let_go();
        }
        let mut limit = site.options.poll;
        if matches!(blocker, Blocker::Abandoned | Blocker::Guard) {
            let since = *self.abandoned_since.get_or_insert_with(Instant::now);
            let left = ABANDONED.saturating_sub(since.elapsed());
            if left.is_zero() {
                return false;
            }
            limit = limit.min(left);
        } else {
            self.abandoned_since = None;
        }
        let mode = site.options.mode;
        site.gate.pause((&site.files.gate, mode), backoff, limit)
    }

    /// Returns the reason for going without the lock, and who has it.
    fn why_unlocked(&self, blocker: Blocker) -> (WhyUnlocked, Option<Box<HolderNote>>) {
        let note = |seen: Option<&Observed>| {
            let record = seen.and_then(Observed::record)?;
            let is_ours = record.is_of(&self.site.host);
            Some(Box::new(HolderNote::of(record, is_ours)))
        };
        match blocker {
            Blocker::Holder | Blocker::Abandoned => {
                (WhyUnlocked::Timeout, note(self.seen.as_ref()))
            }
            Blocker::Guard => {
                let guard = observe(&self.site.files.guard).ok().flatten();
                (WhyUnlocked::Guarded, note(guard.as_ref()))
            }
            Blocker::Io(failure) => (failure.into(), None),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::super::search::tests::{held_on, search};
    use super::*;
    use crate::disk::Patience;

    #[test]
    fn only_who_waits_for_another_host_lets_go_of_the_gate() {
        let own = super::super::host::Host::current().id;
        for (host, keeps) in [(&*own, true), ("elsewhere", false), ("", true)] {
            let (_folder, mut search) = search();
            if host.is_empty() {
                // As the legacy layout has it, which may name no host.
                let lock = search.site.files.lock.path();
                std::fs::create_dir(&lock).unwrap();
                std::fs::write(lock.join("owner.json"), r#"{"pid": 1}"#).unwrap();
            } else {
                held_on(&search, host);
            }
            let mut backoff = Backoff::new(Patience::For(ABANDONED), search.site.options.poll);
            assert!(matches!(search.pass(&backoff), Ok(Pass::Wait(_))), "{host}");
            assert!(search.site.gate.id().is_some());
            assert!(search.pause(&Blocker::Holder, &mut backoff));
            assert_eq!(search.site.gate.id().is_some(), keeps, "{host}");
        }
    }

    #[test]
    fn a_holder_that_came_back_is_no_abandoned_one() {
        let (_folder, mut search) = search();
        let mut backoff = Backoff::new(Patience::For(ABANDONED), search.site.options.poll);
        assert!(search.pause(&Blocker::Abandoned, &mut backoff));
        assert!(search.abandoned_since.is_some());
        assert!(search.pause(&Blocker::Holder, &mut backoff));
        assert!(search.abandoned_since.is_none());
    }
}
