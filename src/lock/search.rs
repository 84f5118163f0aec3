//! One pass at the lock: gate, look, judge; then publish, or take over.

use super::failure::{IoFailure, Lasts, at, not_a_lock};
use super::files::is_in_vault;
use super::guard::GuardState;
use super::judge::{Reason, Verdict, judge};
use super::observe::{LockContent, Observed, observe};
use super::publish::{Clock, Pending};
use super::site::Site;
use super::take_over::{TakeOver, take_over};
use crate::disk::Backoff;
use std::io;
use std::time::{Duration, Instant};

/// A file system that fails is asked again for this long.
const FAILING: Duration = Duration::from_millis(250);

/// While another process has the gate and nobody the lock, that process is
/// about to publish: it is given this long before we publish without the gate,
/// which would cost our successors the kernel's proof of our death.
const GATE_HEADWAY: Duration = Duration::from_millis(250);

/// The state of one search for the lock, kept from look to look.
pub struct Search {
    pub site: Site,
    /// Our record on its way, and the file system's clock as last read off it.
    pending: Option<(Pending, Clock)>,
    /// What lay there last.
    pub seen: Option<Observed>,
    /// Since when what lies there, and its time, have been the same.
    unchanged_since: Instant,
    /// Since when, in this wait, the lock has been free with the gate busy.
    free_since: Option<Instant>,
    /// Since when nobody has been there who could come back.
    pub abandoned_since: Option<Instant>,
    /// Since when the file system has failed, pass after pass.
    pub failing_since: Option<Instant>,
}

/// The outcome of one pass.
pub enum Pass {
    /// The lock is ours; why another holder's was taken over, if it was.
    Ours(Option<Reason>),
    /// Not yet, and what keeps it from us.
    Wait(Blocker),
}

/// The obstacle that keeps the lock from us.
pub enum Blocker {
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
    /// Begins the search.
    pub fn new(site: Site) -> Self {
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
    pub fn may_pass(&mut self, failure: &IoFailure) -> bool {
        // It may be what is gone, and it is made anew.
        self.pending = None;
        let since = *self.failing_since.get_or_insert_with(Instant::now);
        match failure.lasts {
            Lasts::Briefly => true,
            Lasts::Perhaps => since.elapsed() < FAILING,
            Lasts::Long => false,
        }
    }

    /// Tries for the gate, looks, judges, and acts on the verdict.
    pub fn pass(&mut self, backoff: &Backoff) -> Result<Pass, IoFailure> {
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

#[cfg(test)]
#[path = "search_tests.rs"]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
pub mod tests;
