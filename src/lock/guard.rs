//! The guard: the lock's name changes only under it.
//!
//! It is shared with session-orchestrator, which takes it at every attempt
//! and never removes one that its writer left behind.

use super::acquire::Seeker;
use super::judge::{Facts, Verdict, judge_guard};
use super::publish::{Clock, Pending};
use super::record::Record;
use super::sighting::look;
use crate::Timestamp;
use crate::disk::{self, Backoff, is_running};
use std::io;
use std::path::Path;

/// Holds the guard until it is dropped: for one short pass.
#[derive(Debug)]
#[must_use = "the guard is given back when this is dropped"]
pub struct Guard<'a> {
    path: &'a Path,
}

/// Says how one attempt at the guard ended.
#[derive(Debug)]
pub enum Attempt<'a> {
    /// It is ours.
    Taken(Guard<'a>),
    /// Someone has it; or had it, long ago, on a host that we cannot ask.
    Busy {
        /// Whether it is older than the staleness.
        abandoned: bool,
    },
}

impl<'a> Guard<'a> {
    /// Tries for the guard once; a dead one is removed and tried for again.
    pub fn take(seeker: &'a Seeker) -> io::Result<Attempt<'a>> {
        let files = &seeker.files;
        let token = seeker.token.successor();
        let mut record = Record::of_this_process(&seeker.host, Timestamp::now(), token.to_string());
        record.kind = Some("acquisition-guard".to_owned());
        record.gate = seeker.gate_id().map(|id| id.to_string());
        let mut pending = Pending::create_as("guard.create", files, token, seeker.options.mode)?;
        pending.fill("guard.write", &record.to_json(), false)?;
        if pending.place("guard.publish", &files.guard)? {
            return Ok(Attempt::Taken(Self { path: &files.guard }));
        }
        let abandoned = match Self::remove_dead(seeker, pending.clock()?)? {
            Remains::Nothing => {
                if pending.place("guard.publish", &files.guard)? {
                    return Ok(Attempt::Taken(Self { path: &files.guard }));
                }
                false
            }
            Remains::Living => false,
            Remains::Abandoned => true,
        };
        Ok(Attempt::Busy { abandoned })
    }

    /// Tries for the guard until `backoff` is over; `None` if it was not to be had.
    pub fn wait(seeker: &'a Seeker, backoff: &mut Backoff) -> io::Result<Option<Self>> {
        loop {
            if let Attempt::Taken(guard) = Self::take(seeker)? {
                return Ok(Some(guard));
            }
            if !backoff.pause() {
                return Ok(None);
            }
        }
    }

    /// Removes a guard whose writer is known to be dead, and says what remains.
    ///
    /// Only a holder of the gate does, and there is one of those, so that
    /// between its look and its unlink nobody else removes that guard and
    /// nobody can have put another in its place.
    pub fn remove_dead(seeker: &Seeker, clock: Clock) -> io::Result<Remains> {
        let Some(seen) = look(&seeker.files.guard)? else {
            return Ok(Remains::Nothing);
        };
        let facts = Facts {
            host: &seeker.host,
            gate: seeker.gate_id(),
            age_ms: clock.age_ms(seen.modified),
            staleness_ms: seeker.options.staleness_ms(),
        };
        Ok(match judge_guard(&seen.what, &facts, is_running) {
            Verdict::TakeOver(_) => {
                disk::remove("guard.remove-dead", &seeker.files.guard)?;
                seeker.say(format_args!("removed a guard that its dead writer left"));
                Remains::Nothing
            }
            Verdict::Abandoned | Verdict::NotALock(_) => Remains::Abandoned,
            Verdict::Held => Remains::Living,
        })
    }
}

/// Says what lies at the guard's path after the dead were removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remains {
    /// Nothing: the guard is free.
    Nothing,
    /// A guard that someone holds.
    Living,
    /// A guard older than the staleness that we have no right to remove, or
    /// something that is none.
    Abandoned,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        // One that stays names our gate: whoever has that next removes it.
        let _ = disk::remove("guard.unlink", self.path);
    }
}
