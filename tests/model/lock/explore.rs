//! What the checker explores, and what must hold in all of it.

use stateright::{Model, Property};

use super::{Host, Id, Kind, LATE, Lock, NAMES, Next, Process, Record, World};
use crate::checking::{Action, Protocol, Steps};

impl Protocol for Lock {
    type World = World;
}

impl Model for Lock {
    type State = World;
    type Action = Action<World>;

    fn init_states(&self) -> Vec<World> {
        let process = |host, next| Process {
            host,
            next,
            seen: None,
            overslept: false,
            watched: false,
        };
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
            shared_gate: self.shared_gate,
            processes,
            robbed: false,
            starved: false,
        }]
    }

    fn actions(&self, world: &World, out: &mut Vec<Action<World>>) {
        for (who, process) in world.processes.iter().enumerate() {
            let mut steps = Steps {
                who: NAMES[who],
                state: world,
                out,
            };
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
        let mut clock = Steps {
            who: "time",
            state: world,
            out,
        };
        if let Some(Record { owner, .. }) = world.lock
            && !world.aged
            && (world.processes[owner].gone() || world.processes[owner].overslept)
        {
            clock.step("passes: the lock ages", |w| w.aged = true);
        }
        // Where no gate vouches for a holder, age is all that there is.
        if let Some(Record { owner, gated }) = world.lock
            && self.jumps
            && gated
            && !world.aged
            && world.processes[owner].holds()
        {
            clock.step("jumps: the lock looks old", |w| w.aged = true);
        }
    }

    fn next_state(&self, _: &World, action: Action<World>) -> Option<World> {
        Some(action.next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("at most one wakeful holder", |_, w: &World| {
                w.processes
                    .iter()
                    .filter(|p| p.holds() && !p.overslept)
                    .count()
                    <= 1
            }),
            Property::always(
                "a foreign lock or guard is never removed",
                |_, w: &World| !w.robbed,
            ),
            Property::always(
                "nobody waits for one host's lock with the gate that another host needs",
                |_, w: &World| !w.starved,
            ),
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
                w.lock
                    .is_some_and(|r| w.processes[r.owner].next == Next::Ended { locked: true })
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
