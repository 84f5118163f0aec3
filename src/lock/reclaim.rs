//! For people: what lies there, how it is judged, and clearing it away.

use super::acquire::Seeker;
use super::guard::{Attempt, Guard, Remains};
use super::judge::{Facts, Reason, Verdict, judge, judge_guard};
use super::outcome::HolderNote;
use super::publish::{Clock, Pending};
use super::sighting::{Seen, Sighting, look};
use crate::disk;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Is what lies at a lock's path and at its guard's, judged.
#[derive(Debug)]
pub struct Inspection {
    /// What lies at the lock's path; `None`: it is free.
    pub lock: Option<Judged>,
    /// What lies at the guard's path; `None`: it is free.
    pub guard: Option<Judged>,
}

/// Is one thing that was seen, and what may be done about it.
#[derive(Debug)]
pub struct Judged {
    /// Where it lies.
    pub path: PathBuf,
    /// What may be done about it.
    pub verdict: Verdict,
    /// Who wrote it, if that can be read.
    pub holder: Option<HolderNote>,
    /// Whether it was written on this host, if that can be read.
    pub is_ours: Option<bool>,
    /// Its age in ms, by the file system's clock.
    pub age_ms: i64,
    sighting: Sighting,
}

/// Says what a reclaim came to.
#[derive(Debug)]
pub enum Reclaimed {
    /// There was nothing.
    Free,
    /// A lock that its holder will not come back to is gone, and why.
    Gone(Reason),
    /// A foreign lock or guard is gone, since that was asked for.
    Forced(Judged),
    /// It stays: its holder lives, or it is foreign, or no lock at all.
    Stays(Judged),
    /// It changed, or the guard was busy, meanwhile.
    Busy,
}

impl Seeker {
    /// Looks at the lock and its guard, and judges both; changes nothing.
    pub fn inspect(&mut self) -> io::Result<Inspection> {
        let lock = look(&self.files.lock)?;
        let guard = look(&self.files.guard)?;
        let clock = if lock.is_some() || guard.is_some() {
            self.try_gate();
            self.clock()
        } else {
            here()
        };
        Ok(Inspection {
            lock: lock.map(|it| self.judged_lock(it, clock)),
            guard: guard.map(|it| self.judged_guard(it, clock)),
        })
    }

    /// Clears away a lock that may be taken over, and a dead guard; with
    /// `force` also a foreign lock, and a foreign guard older than the staleness.
    pub fn reclaim(mut self, force: bool) -> io::Result<Reclaimed> {
        self.try_gate();
        let clock = self.clock();
        let mut forced_guard = None;
        if Guard::remove_dead(&self, clock)? == Remains::Abandoned {
            let guard = look(&self.files.guard)?.map(|it| self.judged_guard(it, clock));
            match guard {
                Some(guard) if !force || matches!(guard.verdict, Verdict::NotALock(_)) => {
                    return Ok(Reclaimed::Stays(guard));
                }
                Some(guard) => {
                    disk::remove("guard.remove-dead", &self.files.guard)?;
                    forced_guard = Some(guard);
                }
                None => {}
            }
        }
        let Some(seen) = look(&self.files.lock)? else {
            return Ok(forced_guard.map_or(Reclaimed::Free, Reclaimed::Forced));
        };
        let judged = self.judged_lock(seen, clock);
        match &judged.verdict {
            Verdict::TakeOver(_) => Ok(match self.acquire() {
                Ok(mut lease) => {
                    let reason = lease.stale_override.take();
                    lease.release();
                    reason.map_or(Reclaimed::Free, Reclaimed::Gone)
                }
                Err(_) => Reclaimed::Busy,
            }),
            Verdict::Held | Verdict::Abandoned if force && judged.is_ours == Some(false) => {
                self.remove_foreign(judged)
            }
            Verdict::Held | Verdict::Abandoned | Verdict::NotALock(_) => {
                Ok(Reclaimed::Stays(judged))
            }
        }
    }

    /// Removes a foreign lock under the guard, if it is still the same.
    fn remove_foreign(&self, judged: Judged) -> io::Result<Reclaimed> {
        let Attempt::Taken(_guard) = Guard::take(self)? else {
            return Ok(Reclaimed::Busy);
        };
        match look(&self.files.lock)? {
            Some(again) if again.is_same(&judged.sighting) => {
                disk::remove("lock.unlink", &self.files.lock)?;
                Ok(Reclaimed::Forced(judged))
            }
            _ => Ok(Reclaimed::Busy),
        }
    }

    fn judged_lock(&self, sighting: Sighting, clock: Clock) -> Judged {
        self.judged(&self.files.lock, sighting, clock, judge)
    }

    fn judged_guard(&self, sighting: Sighting, clock: Clock) -> Judged {
        let judge = |seen: &Seen, facts: &Facts| judge_guard(seen, facts, disk::is_running);
        self.judged(&self.files.guard, sighting, clock, judge)
    }

    fn judged(
        &self,
        path: &Path,
        sighting: Sighting,
        clock: Clock,
        judge: impl Fn(&Seen, &Facts) -> Verdict,
    ) -> Judged {
        let age_ms = clock.age_ms(sighting.modified);
        let record = sighting.record();
        let is_ours = record.map(|it| it.host.is_empty() || it.is_of(&self.host));
        let holder = record.map(|it| HolderNote::of(it, is_ours == Some(true)));
        let verdict = judge(&sighting.what, &self.facts(age_ms));
        Judged {
            path: path.to_owned(),
            verdict,
            holder,
            is_ours,
            age_ms,
            sighting,
        }
    }

    /// Reads the file system's clock; this host's where nothing can be written.
    fn clock(&self) -> Clock {
        Pending::create(&self.files, self.token, self.options.mode)
            .and_then(|pending| pending.clock())
            .unwrap_or_else(|_| here())
    }
}

fn here() -> Clock {
    Clock::at(SystemTime::now())
}
