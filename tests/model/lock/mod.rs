//! The lock: gate, guard, publish, judge, take over, beat, release.
//!
//! Time is abstract. A lock *ages* past the staleness iff nobody keeps it fresh: its owner has
//! crashed, has ended without removing it, or has overslept. Being merely slow needs no step of its
//! own, for any process may be overtaken between any two of its steps; `oversleep` is the one kind of
//! slowness that others can see.

mod boardsync;
mod node;
mod runs;

use stateright::{Model, Property};

use crate::checking::{Action, Protocol, Steps};

pub type Id = usize;

/// The place of the update that starts once everyone else has ended.
pub const LATE: Id = 4;
const NAMES: [&str; 5] = ["first", "second", "third", "fourth", "late"];

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
}

/// Who takes part, and which rule (if any) is left out. Any number of them may crash, and oversleep
/// any number of times.
#[derive(Clone, Copy, Debug)]
pub struct Lock {
    /// At most four.
    pub parties: &'static [(Kind, Host)],
    /// Whether the file system has kernel locks at all.
    pub kernel_locks: bool,
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
    ReleaseGuard,
    ReleaseRemoveDead,
    ReleaseToken,
    ReleaseUnlink,
    ReleaseDropGuard,
    ReleaseDropGate,
    Ended { locked: bool },
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
            TakeOverWon | Section | ReleaseGuard | ReleaseRemoveDead | ReleaseToken | ReleaseUnlink
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
    pub processes: [Process; 5],
    /// Somebody removed the lock or the guard of another host.
    pub robbed: bool,
}

impl World {
    pub fn foreign(&self, who: Id, record: Option<Record>) -> bool {
        record.is_some_and(|r| self.processes[r.owner].host != self.processes[who].host)
    }

    pub fn gate(&mut self, who: Id) -> &mut Option<Id> {
        &mut self.gates[self.processes[who].host as usize]
    }

    pub fn gated(&self, who: Id) -> bool {
        self.gates[self.processes[who].host as usize] == Some(who)
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
        self.processes[who] = Process { host, next, seen: None, overslept: false };
    }

    /// Puts a record at the lock's name, over whatever is there.
    pub fn put_lock(&mut self, who: Id) {
        self.robbed |= self.foreign(who, self.lock);
        self.lock = Some(Record { owner: who, gated: self.gated(who) });
        self.aged = false;
        self.processes[who].seen = None;
    }

    pub fn remove_lock(&mut self, who: Id) {
        self.robbed |= self.foreign(who, self.lock);
        self.lock = None;
        self.aged = false;
    }

    pub fn put_guard(&mut self, who: Id) {
        self.guard = Some(Record { owner: who, gated: self.gated(who) });
    }

    pub fn remove_guard(&mut self, who: Id) {
        self.robbed |= self.foreign(who, self.guard);
        self.guard = None;
    }
}

impl Protocol for Lock {
    type World = World;
}

impl Model for Lock {
    type State = World;
    type Action = Action<World>;

    fn init_states(&self) -> Vec<World> {
        let process = |host, next| Process { host, next, seen: None, overslept: false };
        let mut processes = [process(Host::A, Next::Ended { locked: false }); 5];
        for (who, &(_, host)) in self.parties.iter().enumerate() {
            processes[who] = process(host, Next::TryGate);
        }
        processes[LATE].next = Next::Start;
        vec![World {
            lock: None,
            aged: false,
            guard: None,
            gates: [None; 2],
            processes,
            robbed: false,
        }]
    }

    fn actions(&self, world: &World, out: &mut Vec<Action<World>>) {
        for (who, process) in world.processes.iter().enumerate() {
            let mut steps = Steps { who: NAMES[who], state: world, out };
            if process.gone() {
                continue;
            }
            match self.parties.get(who) {
                Some((Kind::Node, _)) => self.node(who, &mut steps),
                _ => self.boardsync(who, &mut steps),
            }
            if who != LATE {
                misfortunes(who, &mut steps);
            }
        }
        let mut clock = Steps { who: "time", state: world, out };
        if let Some(Record { owner, .. }) = world.lock
            && !world.aged
            && (world.processes[owner].gone() || world.processes[owner].overslept)
        {
            clock.step("passes: the lock ages", |w| w.aged = true);
        }
    }

    fn next_state(&self, _: &World, action: Action<World>) -> Option<World> {
        Some(action.next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("at most one wakeful holder", |_, w: &World| {
                w.processes.iter().filter(|p| p.holds() && !p.overslept).count() <= 1
            }),
            Property::always("a foreign lock or guard is never removed", |_, w: &World| !w.robbed),
            Property::eventually("a new update ends", |_, w: &World| w.processes[LATE].gone()),
            Property::always("a new update ends locked", |_, w: &World| {
                w.processes[LATE].next != Next::Ended { locked: false }
                    || w.foreign(LATE, w.lock)
                    || w.foreign(LATE, w.guard)
            }),
            Property::sometimes("an overslept holder has a successor", |_, w: &World| {
                w.processes.iter().filter(|p| p.holds()).count() == 2
            }),
            Property::sometimes("a release is busy and leaves the lock", |_, w: &World| {
                w.lock.is_some_and(|r| w.processes[r.owner].next == Next::Ended { locked: true })
            }),
        ]
    }
}

/// A crash before this step (which is one after the step before), and a pause past the staleness
/// wherever others could notice.
fn misfortunes(who: Id, steps: &mut Steps<World>) {
    let process = steps.state.processes[who];
    steps.step("crashes", |w| w.end(who, Next::Crashed));
    let noticed = process.holds() || matches!(process.next, Next::Publish | Next::TakeOverRename);
    if noticed && !process.overslept {
        steps.step("oversleeps", |w| w.processes[who].overslept = true);
    }
}
