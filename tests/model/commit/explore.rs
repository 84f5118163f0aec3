//! What the checker explores, and what must hold in all of it.

use stateright::{Model, Property};

use super::{
    Board, Commit, Host, Id, LATE, LINES, NAMES, NOBODY, Next, Process, World, row, symmetry,
};
use crate::checking::{Action, Protocol, Steps, Symmetry};

impl Protocol for Commit {
    type World = World;

    fn symmetry(&self) -> Option<Symmetry<World>> {
        let one_host = self.parties.iter().all(|host| *host == Host::A);
        one_host.then_some(symmetry::representative)
    }
}

impl Model for Commit {
    type State = World;
    type Action = Action<World>;

    fn init_states(&self) -> Vec<World> {
        let mut processes = [Process::at(Next::Crashed); 4];
        processes[..self.parties.len()].fill(Process::at(self.first_step()));
        processes[LATE].next = Next::Start;
        vec![World {
            board: 0,
            files: vec![],
            latches: [None; 2],
            processes,
            draft: None,
            edits_done: 0,
            crashes: self.crashes,
            oversleeps: self.oversleeps,
            excused: 0,
        }]
    }

    fn actions(&self, world: &World, out: &mut Vec<Action<World>>) {
        for (who, process) in world.processes.iter().enumerate() {
            if process.gone() {
                continue;
            }
            let mut steps = Steps {
                who: NAMES[who],
                state: world,
                out,
            };
            self.boardsync(who, &mut steps);
            // Before this step, which is after the one before.
            if who != LATE && world.crashes > 0 {
                steps.step("crashes", |w| {
                    w.crashes -= 1;
                    w.excused &= !row(who);
                    self.leave(w, who, Next::Crashed);
                });
            }
        }
        self.outsider(&mut Steps {
            who: "outsider",
            state: world,
            out,
        });
    }

    fn next_state(&self, _: &World, action: Action<World>) -> Option<World> {
        Some(action.next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        fn over(world: &World) -> bool {
            world.processes[LATE].next == Next::Ended
        }
        fn written(world: &World) -> Board {
            let written = |who: &Id| world.processes[*who].next == Next::Ended;
            (0..=LATE).filter(written).map(row).sum()
        }
        let mut properties = vec![
            Property::always("what was written is in the board", |_, w: &World| {
                !over(w) || w.keeps(written(w))
            }),
            Property::always("an outsider's edit is in the board", |_, w: &World| {
                !over(w) || w.keeps(LINES[..w.edits_done].iter().sum())
            }),
            Property::always("nothing is left lying about", |_, w: &World| {
                !over(w) || w.files.is_empty()
            }),
            Property::eventually("a new update ends", |_, w: &World| over(w)),
        ];
        if self.exchange {
            properties.push(Property::sometimes(
                "a displaced board is left over",
                |_, w: &World| w.files.iter().any(|f| f.owner == NOBODY && f.swapped),
            ));
        }
        if self.edits > 0 {
            properties.push(Property::sometimes(
                "an outsider writes over a row",
                |_, w: &World| over(w) && written(w) & !w.board != 0,
            ));
        }
        properties
    }
}
