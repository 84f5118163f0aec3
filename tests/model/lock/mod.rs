//! The lock: gate, guard, publish, judge, take over, beat, release.
//!
//! Time is abstract. A lock *ages* past the staleness iff nobody keeps it fresh: its owner has
//! crashed, has ended without removing it, or has overslept. Being merely slow needs no step of its
//! own, for any process may be overtaken between any two of its steps; `oversleep` is the one kind of
//! slowness that others can see.

mod boardsync;
mod explore;
mod node;
#[cfg(all(feature = "failpoints", target_os = "linux"))]
mod party;
#[cfg(all(feature = "failpoints", target_os = "linux"))]
mod replay;
mod runs;
#[cfg(all(feature = "failpoints", target_os = "linux"))]
mod walk;

pub type Id = usize;

/// The place of the update that starts once everyone else has ended.
pub const LATE: Id = 4;
pub const NAMES: [&str; 5] = ["first", "second", "third", "fourth", "late"];

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum Host {
    A,
    B,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum Kind {
    Boardsync,
    Node,
}

/// A rule of the protocol that a mutant does without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    TakeOverUnderGuard,
    TakeOverLooksAgain,
    ReleaseUnderGuard,
    ReleaseChecksToken,
    OnlyGatedRecordsProveDeath,
    OnlyGateHoldersRemoveGuards,
    ForeignLocksStay,
    WaitersLetGoOfTheGate,
    AgeOfALiveGateIsWatched,
}

/// Who takes part, and which rule (if any) is left out. Any number of them may crash, and oversleep
/// any number of times.
#[derive(Clone, Copy, Debug)]
pub struct Lock {
    /// At most four.
    pub parties: &'static [(Kind, Host)],
    /// Whether the file system has kernel locks at all.
    pub kernel_locks: bool,
    /// Whether the hosts share one gate, as a network file system with locks of
    /// its own gives them.
    pub shared_gate: bool,
    /// Whether the clock may jump.
    pub jumps: bool,
    pub without: Option<Rule>,
}

/// What lies at `board.lock` or `board.lock.acquire`. Every process publishes at most once, so its
/// owner stands for the token.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub struct Record {
    pub owner: Id,
    /// Written while holding the gate of the owner's host.
    pub gated: bool,
}

/// Where a process stands: the step that it takes next.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum Next {
    /// Not yet started; the late update only.
    Start,
    TryGate,
    Look,
    /// Between two looks; by then the gate has been let go, if that is to be.
    Wait,
    /// Watches an old lock while its holder's gate is busy, for 2 s.
    Watch,
    Publish,
    /// Node looks, and links its record if it may, under the guard.
    NodeLook,
    TakeOverGuard,
    TakeOverRemoveDead,
    TakeOverRelook,
    TakeOverRename,
    /// Drop the guard, with the lock.
    TakeOverWon,
    /// Drop the guard, without the lock.
    TakeOverLost,
    Section,
    SweepRemoveDead,
    ReleaseGuard,
    ReleaseRemoveDead,
    ReleaseToken,
    ReleaseUnlink,
    ReleaseDropGuard,
    ReleaseDropGate,
    Ended {
        locked: bool,
    },
    Crashed,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub struct Process {
    pub host: Host,
    pub next: Next,
    /// Whose record it judged dead or stale.
    pub seen: Option<Id>,
    /// It was paused for longer than the staleness, since it last looked at the lock.
    pub overslept: bool,
    /// It has seen the lock's time stand still for 2 s.
    pub watched: bool,
}

impl Process {
    pub fn gone(&self) -> bool {
        matches!(self.next, Next::Ended { .. } | Next::Crashed)
    }

    /// From its publication to the removal of its record, its section in between.
    pub fn holds(&self) -> bool {
        use Next::*;
        matches!(
            self.next,
            TakeOverWon
                | Section
                | SweepRemoveDead
                | ReleaseGuard
                | ReleaseRemoveDead
                | ReleaseToken
                | ReleaseUnlink
        )
    }
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct World {
    pub lock: Option<Record>,
    /// The lock's mtime is older than the staleness.
    pub aged: bool,
    pub guard: Option<Record>,
    pub gates: [Option<Id>; 2],
    /// Which gate the hosts use: one for both, or one each.
    pub shared_gate: bool,
    pub processes: [Process; 5],
    /// Somebody removed the lock or the guard of another host.
    pub robbed: bool,
    /// Somebody could not see a dead holder of its own host, because a waiter
    /// for another host's lock kept the gate.
    pub starved: bool,
}

impl World {
    pub fn foreign(&self, who: Id, record: Option<Record>) -> bool {
        record.is_some_and(|r| self.processes[r.owner].host != self.processes[who].host)
    }

    pub fn gate(&mut self, who: Id) -> &mut Option<Id> {
        let gate = self.gate_of(who);
        &mut self.gates[gate]
    }

    pub fn gate_holder(&self, who: Id) -> Option<Id> {
        self.gates[self.gate_of(who)]
    }

    pub fn gated(&self, who: Id) -> bool {
        self.gate_holder(who) == Some(who)
    }

    fn gate_of(&self, who: Id) -> usize {
        match self.shared_gate {
            true => 0,
            false => self.processes[who].host as usize,
        }
    }

    /// `who` finds the gate busy, and could see with it that the lock's holder, of its own
    /// host, is dead; but a waiter for that lock, of another host, has it.
    pub fn keeps_from_its_own_dead(&self, who: Id) -> bool {
        let Some(record) = self.lock.filter(|record| record.gated) else {
            return false;
        };
        let dead = self.processes[record.owner].next == Next::Crashed;
        let waiter = self.gate_holder(who).filter(|other| *other != who);
        dead && !self.foreign(who, self.lock)
            && waiter.is_some_and(|waiter| {
                self.processes[waiter].next == Next::Wait && self.foreign(waiter, self.lock)
            })
    }

    pub fn goto(&mut self, who: Id, next: Next) {
        self.processes[who].next = next;
    }

    /// Ends a process: the kernel closes its gate, and nothing it knew matters any longer.
    pub fn end(&mut self, who: Id, next: Next) {
        if self.gated(who) {
            *self.gate(who) = None;
        }
        let host = self.processes[who].host;
        self.processes[who] = Process {
            host,
            next,
            seen: None,
            overslept: false,
            watched: false,
        };
    }

    /// Puts a record at the lock's name, over whatever is there.
    pub fn put_lock(&mut self, who: Id) {
        self.robbed |= self.foreign(who, self.lock);
        self.lock = Some(Record {
            owner: who,
            gated: self.gated(who),
        });
        self.aged = false;
        self.processes[who].seen = None;
    }

    pub fn remove_lock(&mut self, who: Id) {
        self.robbed |= self.foreign(who, self.lock);
        self.lock = None;
        self.aged = false;
    }

    pub fn put_guard(&mut self, who: Id) {
        self.guard = Some(Record {
            owner: who,
            gated: self.gated(who),
        });
    }

    pub fn remove_guard(&mut self, who: Id) {
        self.robbed |= self.foreign(who, self.guard);
        self.guard = None;
    }
}
