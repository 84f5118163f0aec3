//! When is a lock taken over? One pure function, and its table as the test.
//!
//! **Each record is judged by the promise that its writer made.** A boardsync
//! that wrote `gate` into its record promised to hold that gate for as long
//! as it lives, so whoever has the gate now knows that it is dead. Everybody
//! else promised a fresh modification time. A foreign host promised nothing
//! that could be checked from here.

use super::host::Host;
use super::observe::{LockContent, Unrelated};
use super::record::Record;
use crate::disk::{FileId, FileKind};
use std::fmt;
use std::time::Duration;

/// The facts that a judgement depends on besides the lock's content.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// Who judges.
    pub host: &'a Host,
    /// The gate whose kernel lock the judge holds, if it does.
    pub gate: Option<FileId>,
    /// The gate whose kernel lock another process holds, if one does.
    pub busy_gate: Option<FileId>,
    /// How old what lies there is, in ms by the file system's clock;
    /// negative if its modification time is in the future.
    pub age_ms: i64,
    /// For how long, by the monotonic clock, its modification time has been
    /// seen to stay the same.
    pub unchanged: Duration,
    /// The age in ms past which a lock of this host is stale.
    pub staleness_ms: i64,
}

impl Facts<'_> {
    fn is_old(&self) -> bool {
        self.age_ms.abs() > self.staleness_ms
    }
}

/// The time in ms that the writer of an incomplete record is given.
pub const GRACE_MS: i64 = 2_000;

/// The time for which a holder that has its gate is watched before its age is
/// believed. It beats within a second of a jump of the clock, or of waking up.
pub const WATCHED: Duration = Duration::from_secs(2);

/// The judgement of what lies at the lock's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Someone has it: wait.
    Held,
    /// Another host left it long ago: it is never stolen, and will not come back soon.
    Abandoned,
    /// Its writer is dead or hung: it may be replaced.
    TakeOver(Reason),
    /// It is not a lock: never followed, changed or removed.
    NotALock(Unrelated),
}

/// The reason why a lock may be taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The kernel, or its pid, says that its writer is dead.
    Dead(i64),
    /// Its heartbeat stopped longer ago than the staleness.
    Stale {
        /// Its age in ms.
        age_ms: i64,
        /// The staleness in ms.
        staleness_ms: i64,
    },
    /// Its time lies further in the future than the staleness.
    Future {
        /// How far, in ms.
        ahead_ms: i64,
        /// The staleness in ms.
        staleness_ms: i64,
    },
    /// Nobody finished writing it.
    Unparseable,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead(pid) => write!(f, "dead holder pid {pid}"),
            Self::Stale {
                age_ms,
                staleness_ms,
            } => {
                write!(f, "mtime age {age_ms}ms > {staleness_ms}ms")
            }
            Self::Future {
                ahead_ms,
                staleness_ms,
            } => {
                write!(f, "mtime {ahead_ms}ms in the future > {staleness_ms}ms")
            }
            Self::Unparseable => f.write_str("unparseable record"),
        }
    }
}

/// Judges what lies at the lock's name.
pub fn judge(content: &LockContent, facts: &Facts) -> Verdict {
    match content {
        LockContent::NotALock(unrelated) => Verdict::NotALock(*unrelated),
        LockContent::Record(record) if record.is_under(facts.gate, facts.host) => {
            Verdict::TakeOver(Reason::Dead(record.pid))
        }
        LockContent::Record(record) if !record.is_of(facts.host) => foreign(facts),
        LockContent::Record(record)
            if record.is_under(facts.busy_gate, facts.host) && facts.unchanged < WATCHED =>
        {
            Verdict::Held
        }
        LockContent::Record(_) => by_age(facts),
        LockContent::Unreadable => foreign(facts),
        LockContent::Incomplete | LockContent::Folder { owner: None, .. } => unfinished(facts),
        LockContent::Folder {
            owner: Some(owner),
            running,
        } => legacy(owner, *running, facts),
    }
}

/// One that is dated far ahead will not come back in time either.
fn foreign(facts: &Facts) -> Verdict {
    match facts.is_old() {
        true => Verdict::Abandoned,
        false => Verdict::Held,
    }
}

fn by_age(facts: &Facts) -> Verdict {
    let Facts {
        age_ms,
        staleness_ms,
        ..
    } = *facts;
    if age_ms > staleness_ms {
        Verdict::TakeOver(Reason::Stale {
            age_ms,
            staleness_ms,
        })
    } else if -age_ms > staleness_ms {
        Verdict::TakeOver(Reason::Future {
            ahead_ms: -age_ms,
            staleness_ms,
        })
    } else {
        Verdict::Held
    }
}

fn unfinished(facts: &Facts) -> Verdict {
    if facts.age_ms.abs() > GRACE_MS {
        Verdict::TakeOver(Reason::Unparseable)
    } else {
        Verdict::Held
    }
}

/// A legacy holder beats no heart: only its pid speaks for it.
fn legacy(owner: &Record, running: bool, facts: &Facts) -> Verdict {
    if !owner.host.is_empty() && !owner.is_of(facts.host) {
        foreign(facts)
    } else if running {
        Verdict::Held
    } else {
        Verdict::TakeOver(Reason::Dead(owner.pid))
    }
}

/// Judges what lies at the guard's name: it may be removed only by a holder of
/// the gate, and only if its writer is known to be dead. A foreign one never.
///
/// One that cannot be read was torn by a power cut, or is being written where
/// nothing complete can be published: its writer is given the grace.
pub fn judge_guard(content: &LockContent, facts: &Facts, running: impl Fn(i64) -> bool) -> Verdict {
    let may_remove = facts.gate.is_some() && facts.age_ms.abs() > GRACE_MS;
    match content {
        LockContent::NotALock(unrelated) => Verdict::NotALock(*unrelated),
        // Nobody ever made a guard of a folder.
        LockContent::Folder { .. } => Verdict::NotALock(Unrelated::Special(FileKind::Folder)),
        LockContent::Record(record)
            if record.is_under(facts.gate, facts.host)
                || may_remove && record.is_of(facts.host) && !running(record.pid) =>
        {
            Verdict::TakeOver(Reason::Dead(record.pid))
        }
        LockContent::Incomplete if may_remove => Verdict::TakeOver(Reason::Unparseable),
        LockContent::Record(_) | LockContent::Incomplete | LockContent::Unreadable => {
            foreign(facts)
        }
    }
}

#[cfg(test)]
#[path = "judge_table.rs"]
mod table;
