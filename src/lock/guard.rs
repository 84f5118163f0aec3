//! The guard: the lock's name changes only under it.
//!
//! It is shared with session-orchestrator, which takes it at every attempt
//! and never removes one that its writer left behind.

use super::judge::{Verdict, judge_guard};
use super::observe::observe;
use super::publish::{Clock, Pending};
use super::site::Site;
use crate::disk::{self, Durability, Entry, is_running};
use std::io;
use std::time::Duration;

/// The guard in our hands, until it is dropped: for one short pass.
#[derive(Debug)]
#[must_use = "the guard is given back when this is dropped"]
pub struct Guard<'a> {
    entry: &'a Entry,
}

/// The state of the guard after those of dead processes were removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuardState {
    /// Nothing.
    Free,
    /// A guard that someone holds.
    Held,
    /// A guard older than the staleness that we have no right to remove, or
    /// something that is not one.
    Abandoned,
}

impl<'a> Guard<'a> {
    /// Tries for the guard once; a dead one is removed and tried for again.
    /// The error within is what keeps it from us.
    pub fn take(site: &'a Site) -> io::Result<Result<Self, GuardState>> {
        let token = site.token.successor();
        let mut record = site.record(token);
        record.kind = Some("acquisition-guard".to_owned());
        let mut pending = Pending::create("guard.create", &site.files, token, site.options.mode)?;
        // Releasing a lock must not need a free block. An empty guard, or half of one,
        // keeps everybody out as well; its text only tells who may remove it.
        let _ = pending.fill("guard.write", &record.to_json(), Durability::Unsynced);
        let entry = &site.files.guard;
        if pending.publish_as("guard.publish", entry)? {
            return Ok(Ok(Self { entry }));
        }
        match Self::remove_dead(site, pending.clock()?)? {
            GuardState::Free => Ok(match pending.publish_as("guard.publish", entry)? {
                true => Ok(Self { entry }),
                false => Err(GuardState::Held),
            }),
            state => Ok(Err(state)),
        }
    }

    /// Removes a guard whose writer is known to be dead, and tells what is there then.
    ///
    /// Only a holder of the gate does, and there is one of those, so that
    /// between its look and its unlink nobody else removes that guard and
    /// nobody can have put another in its place.
    pub fn remove_dead(site: &Site, clock: Clock) -> io::Result<GuardState> {
        let Some(seen) = observe(&site.files.guard)? else {
            return Ok(GuardState::Free);
        };
        let facts = site.facts(clock.age_ms(seen.modified), Duration::ZERO);
        Ok(match judge_guard(&seen.content, &facts, is_running) {
            Verdict::TakeOver(_) => {
                disk::retry_briefly(|| disk::remove("guard.remove-dead", &site.files.guard))?;
                site.say(format_args!("removed a guard left by a dead process"));
                GuardState::Free
            }
            Verdict::Abandoned | Verdict::NotALock(_) => GuardState::Abandoned,
            Verdict::Held => GuardState::Held,
        })
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        // One that stays names our gate: whoever has that next removes it.
        let _ = disk::retry_briefly(|| disk::remove("guard.unlink", self.entry));
    }
}
