//! Acquiring: gate, look, judge; then publish, take over, or wait.

use super::failure::{IoFailure, Lasts, at, not_a_lock};
use super::files::is_in_vault;
use super::guard::GuardState;
use super::held::HeldLock;
use super::judge::{Reason, Verdict, judge};
use super::observe::{LockContent, Observed, observe};
use super::options::LockOptions;
use super::outcome::{HolderNote, Unlocked, WhyUnlocked};
use super::publish::{Clock, Pending};
use super::site::Site;
use super::take_over::{TakeOver, take_over};
use crate::disk::{self, Backoff};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// A lock or a guard whose holder will not come back in time is waited for no
/// longer than this.
const ABANDONED: Duration = Duration::from_millis(250);

/// A file system that fails is asked again for this long.
const FAILING: Duration = Duration::from_millis(250);

/// While another process has the gate and nobody the lock, that process is
/// about to publish: it is given this long before we publish without the gate,
/// which would cost our successors the kernel's proof of our death.
const GATE_HEADWAY: Duration = Duration::from_millis(250);

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

/// The state of one search for the lock, kept from look to look.
struct Search {
    site: Site,
    /// Our record on its way, and the file system's clock as last read off it.
    pending: Option<(Pending, Clock)>,
    /// What lay there last.
    seen: Option<Observed>,
    /// Since when what lies there, and its time, have been the same.
    unchanged_since: Instant,
    /// Since when, in this wait, the lock has been free with the gate busy.
    free_since: Option<Instant>,
    /// Since when nobody has been there who could come back.
    abandoned_since: Option<Instant>,
    /// Since when the file system has failed, pass after pass.
    failing_since: Option<Instant>,
}

/// The outcome of one pass.
enum Pass {
    /// The lock is ours; why another holder's was taken over, if it was.
    Ours(Option<Reason>),
    /// Not yet, and what keeps it from us.
    Wait(Blocker),
}

/// The obstacle that keeps the lock from us.
enum Blocker {
    /// A process that will release it, or be judged.
    Holder,
    /// A holder on another host that will not come back soon.
    Abandoned,
    /// A guard that nobody will give back.
    Guard,
    /// The file system, for the moment.
    Io(IoFailure),
}

impl Search {
    fn new(site: Site) -> Self {
        Self {
            site,
            pending: None,
            seen: None,
            unchanged_since: Instant::now(),
            free_since: None,
            abandoned_since: None,
            failing_since: None,
        }
    }

    /// Returns whether the next pass may do better than one that failed.
    fn may_pass(&mut self, failure: &IoFailure) -> bool {
        let since = *self.failing_since.get_or_insert_with(Instant::now);
        match failure.lasts {
            Lasts::Briefly => true,
            Lasts::Perhaps => since.elapsed() < FAILING,
            Lasts::Long => false,
        }
    }

    /// Tries for the gate, looks, judges, and acts on the verdict.
    fn pass(&mut self, backoff: &Backoff) -> Result<Pass, IoFailure> {
        if self.pending.is_none() {
            self.refuse_unrelated()?;
        }
        self.site.try_gate();
        self.look()?;
        let Self { site, pending, .. } = self;
        let lock = &site.files.lock;
        let (pending, clock) = match pending {
            Some(pending) => pending,
            None => pending.insert(prepare(site).map_err(at("write beside", lock))?),
        };
        let Some(seen) = &self.seen else {
            let since = *self.free_since.get_or_insert_with(Instant::now);
            if site.gate.is_busy() && since.elapsed() < GATE_HEADWAY && !backoff.left().is_zero() {
                return Ok(Pass::Wait(Blocker::Holder));
            }
            complete(site, pending).map_err(at("write beside", lock))?;
            return Ok(match pending.publish(lock).map_err(at("publish", lock))? {
                true => self.ours(None),
                false => Pass::Wait(Blocker::Holder),
            });
        };
        self.free_since = None;
        let unchanged = self.unchanged_since.elapsed();
        let mut verdict = judge(
            &seen.content,
            &site.facts(clock.age_ms(seen.modified), unchanged),
        );
        if matches!(verdict, Verdict::TakeOver(_) | Verdict::Abandoned) {
            // Once more by a clock read now: it may have jumped since.
            *clock = pending.touch().map_err(at("write beside", lock))?;
            let facts = site.facts(clock.age_ms(seen.modified), unchanged);
            verdict = judge(&seen.content, &facts);
        }
        match verdict {
            Verdict::Held => Ok(Pass::Wait(Blocker::Holder)),
            Verdict::Abandoned => Ok(Pass::Wait(Blocker::Abandoned)),
            Verdict::NotALock(unrelated) => Err(not_a_lock(lock, unrelated)),
            Verdict::TakeOver(_) => {
                complete(site, pending).map_err(at("write beside", lock))?;
                let taken = take_over(site, seen, unchanged, pending, *clock);
                Ok(match taken.map_err(at("take over", lock))? {
                    TakeOver::Done(reason) => self.ours(Some(reason)),
                    TakeOver::GuardBusy(GuardState::Abandoned) => Pass::Wait(Blocker::Guard),
                    TakeOver::GuardBusy(_) | TakeOver::Lost => Pass::Wait(Blocker::Holder),
                })
            }
        }
    }

    /// Looks at the lock, and at how long it has not changed.
    fn look(&mut self) -> Result<(), IoFailure> {
        let lock = &self.site.files.lock;
        let seen = observe(lock).map_err(at("read", lock))?;
        let is_unchanged = match (&seen, &self.seen) {
            (Some(seen), Some(last)) => seen.is_same(last) && seen.modified == last.modified,
            _ => false,
        };
        if !is_unchanged {
            self.unchanged_since = Instant::now();
        }
        self.seen = seen;
        Ok(())
    }

    /// Refuses what somebody named as the lock by mistake, before anything is
    /// made beside it.
    fn refuse_unrelated(&self) -> Result<(), IoFailure> {
        let lock = &self.site.files.lock;
        if is_in_vault(&lock.path()) {
            return Ok(());
        }
        match observe(lock)
            .map_err(at("read", lock))?
            .map(|seen| seen.content)
        {
            Some(LockContent::NotALock(unrelated)) => Err(not_a_lock(lock, unrelated)),
            _ => Ok(()),
        }
    }

    fn ours(&self, stale_override: Option<Reason>) -> Pass {
        let site = &self.site;
        match &stale_override {
            None => site.say(format_args!("published {}", site.gate)),
            Some(reason) => site.say(format_args!("took over {}: {reason}", site.gate)),
        }
        Pass::Ours(stale_override)
    }

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

/// Creates our pending record, and reads the file system's clock off it.
fn prepare(site: &Site) -> io::Result<(Pending, Clock)> {
    let (files, mode) = (&site.files, site.options.mode);
    let pending = Pending::create("record.create", files, site.token, mode)?;
    let clock = pending.clock()?;
    Ok((pending, clock))
}

/// Writes our record as of now: with the gate, if it is ours by now.
fn complete(site: &Site, pending: &Pending) -> io::Result<()> {
    let token = site.token.to_string();
    let label = || format!("board-writer-{}-{}", std::process::id(), &token[24..]);
    let mut record = site.record(site.token);
    record.holder = Some(site.options.holder.clone().unwrap_or_else(label));
    record.cmd = site.options.command.as_deref().map(cut);
    pending.fill("record.write", &record.to_json(), site.options.durability)
}

/// Cuts what a record says of the command, at most 500 bytes.
fn cut(command: &str) -> String {
    let mut ends = (0..=command.len().min(500)).rev();
    let end = ends.find(|end| command.is_char_boundary(*end));
    command[..end.unwrap_or_default()].to_owned()
}
