//! What an update does to the board, one atomic step at a time.

use super::{
    Board, Commit, File, Host, Id, LATE, Latch, NOBODY, Next, Process, ROWS, Rule, World, row,
};
use crate::checking::Steps;

impl Commit {
    pub fn boardsync(&self, who: Id, steps: &mut Steps<World>) {
        let world = steps.state;
        let me = world.processes[who];
        match me.next {
            // Nobody is left, and the last draft is written.
            Next::Start => {
                if world.processes[..LATE].iter().all(|p| p.gone()) && world.draft.is_none() {
                    steps.step("starts", |w| w.processes[who].next = self.first_step());
                }
            }

            // Latch::take: a kernel lock, which a crash lets go.
            Next::TakeLatch => {
                let host = self.host(who) as usize;
                let free = world.latches[host].is_none();
                if free {
                    steps.step("Latch::take", |w| {
                        w.latches[host] = Some(who);
                        w.processes[who].next = Next::Adopt;
                    });
                } else if self.latch != Latch::Kept {
                    steps.step("Latch::take: not to be had", |w| {
                        w.processes[who].next = Next::Adopt;
                    });
                }
            }

            // adopt_leftovers and read: below.
            Next::Adopt => self.adopt_leftovers(who, steps),
            Next::UnlinkUnclaimed(owner, staged) => steps.step("adopt_leftovers/unlink", |w| {
                w.files.retain(|f| (f.owner, f.staged) != (owner, staged));
                w.processes[who].next = Next::Adopt;
            }),

            // stage: a complete board, under a name that holds its hash. What was displaced before
            // keeps its own file until the join of it is in place.
            Next::Stage => steps.step("stage", |w| {
                if self.without == Some(Rule::DisplacedStays) {
                    w.files.retain(|f| f.owner != who || f.staged.is_none());
                }
                w.leave_files(who, who);
                w.add(File {
                    owner: who,
                    staged: Some(me.wrote),
                    swapped: false,
                    content: me.wrote,
                });
                w.processes[who].next = if self.exchange {
                    Next::Exchange
                } else {
                    Next::CompareBoard
                };
            }),

            // exchange: the swap. A file that was taken for a leftover is no longer there.
            Next::Exchange => match own_file(world, who) {
                Some(place) => steps.step("exchange", |w| {
                    let mut file = w.files.remove(place);
                    file.content = w.put_board(file.content);
                    w.add(file);
                    w.processes[who].next = Next::CompareDisplaced;
                }),
                None => stage_again(who, steps),
            },

            // compare and join: one look at what was displaced. Gone, it is in the hands of an adopter,
            // who joins it; after too many conflicts it is left to one.
            Next::CompareDisplaced => match own_file(world, who) {
                Some(place) => {
                    let displaced = world.files[place].content;
                    let joined = self.merge(me.expected, me.wrote, displaced);
                    if displaced == me.expected || joined == me.wrote {
                        steps.step("compare: nothing new", |w| self.written(w, who));
                    } else {
                        steps.step("compare, join", |w| {
                            w.processes[who].expected = me.wrote;
                            w.processes[who].wrote = joined;
                            w.processes[who].next = Next::Stage;
                        });
                        steps.step("compare: conflicts enough, left to the next", |w| {
                            self.leave(w, who, Next::Ended);
                        });
                    }
                }
                None => steps.step("compare: adopted by another", |w| self.written(w, who)),
            },

            // compare, where there is no exchange: just before the rename.
            Next::CompareBoard if world.board == me.expected => {
                steps.step("compare: as read", |w| w.processes[who].next = Next::Rename);
            }
            Next::CompareBoard => steps.step("compare, join", |w| {
                w.files.retain(|f| f.owner != who || f.staged.is_none());
                w.processes[who].expected = w.board;
                w.processes[who].wrote = self.merge(me.expected, me.wrote, w.board);
                w.processes[who].next = Next::Stage;
            }),
            Next::Rename => match own_file(world, who) {
                Some(place) => steps.step("rename", |w| {
                    let file = w.files.remove(place);
                    w.put_board(file.content);
                    self.written(w, who);
                }),
                None => stage_again(who, steps),
            },

            // discard: one file at a time; with the last one the latch goes, and the update is reported.
            Next::Discard => steps.step("discard", |w| {
                if let Some(place) = w.files.iter().position(|f| f.owner == who) {
                    w.files.remove(place);
                }
                self.written(w, who);
            }),

            Next::Ended | Next::Crashed => {}
        }
    }

    /// Claims leftovers one by one, drops those that were never exchanged, and keeps the displaced
    /// ones to be joined. A leftover is a file whose process has crashed, or seems to have.
    fn adopt_leftovers(&self, who: Id, steps: &mut Steps<World>) {
        let world = steps.state;
        let worthless = |f: &File| !f.swapped || self.without == Some(Rule::LeftoversAreJoined);
        if let Some(place) = world
            .files
            .iter()
            .position(|f| f.owner == who && worthless(f))
        {
            steps.step("adopt_leftovers/discard", |w| {
                w.files.remove(place);
            });
            return;
        }
        let mut all_adopted = true;
        for (place, &file) in world
            .files
            .iter()
            .enumerate()
            .filter(|(_, f)| f.owner != who)
        {
            let alive = file.owner != NOBODY;
            if alive && world.oversleeps == 0 {
                continue;
            }
            all_adopted = false;
            if self.without == Some(Rule::LeftoversAreClaimed) && file.staged == Some(file.content)
            {
                steps.step("adopt_leftovers/look", |w| {
                    w.oversleeps -= u8::from(alive);
                    w.processes[who].next = Next::UnlinkUnclaimed(file.owner, file.staged);
                });
            } else {
                steps.step("adopt_leftovers/claim", |w| {
                    w.oversleeps -= u8::from(alive);
                    w.files.remove(place);
                    w.add(file.left_to(who));
                });
            }
        }
        if who != LATE || all_adopted {
            steps.step("read", |w| {
                let adopted = w.files.iter().filter(|f| f.owner == who);
                let joined = adopted.fold(w.board, |board, f| self.adopt(f.content, board));
                w.processes[who] = Process {
                    next: Next::Stage,
                    expected: w.board,
                    wrote: joined | row(who),
                };
            });
        }
    }

    /// What is to be in the board when `displaced` was found where `base` was expected.
    fn merge(&self, base: Board, ours: Board, displaced: Board) -> Board {
        match self.without {
            Some(Rule::Join) => (ours & displaced) | ((ours ^ displaced) & !base),
            Some(Rule::ProseIsJoined) => join_rows(displaced, ours),
            _ => displaced | ours,
        }
    }

    /// What is to be read where `leftover` was found beside `board`.
    fn adopt(&self, leftover: Board, board: Board) -> Board {
        match self.without {
            Some(Rule::ProseOfLeftoversIsJoined) => join_rows(leftover, board),
            _ => leftover | board,
        }
    }

    pub fn first_step(&self) -> Next {
        if self.latch == Latch::Absent {
            Next::Adopt
        } else {
            Next::TakeLatch
        }
    }

    fn host(&self, who: Id) -> Host {
        self.parties.get(who).copied().unwrap_or(Host::A)
    }

    /// Goes on to discard the files of a finished commit, or ends where there are none.
    fn written(&self, world: &mut World, who: Id) {
        let litter = world.files.iter().any(|f| f.owner == who);
        world.processes[who] = Process::at(if litter { Next::Discard } else { Next::Ended });
        if !litter {
            self.drop_latch(world, who);
        }
    }

    /// Ends where it stands: the kernel lets the latch go, and the files are leftovers.
    pub fn leave(&self, world: &mut World, who: Id, next: Next) {
        world.processes[who] = Process::at(next);
        self.drop_latch(world, who);
        world.leave_files(who, NOBODY);
    }

    fn drop_latch(&self, world: &mut World, who: Id) {
        let latch = &mut world.latches[self.host(who) as usize];
        if *latch == Some(who) {
            *latch = None;
        }
    }
}

/// The file that this process has staged last, unless somebody has claimed it.
fn own_file(world: &World, who: Id) -> Option<usize> {
    let own = |f: &File| f.owner == who && f.staged.is_some();
    world.files.iter().position(own)
}

fn stage_again(who: Id, steps: &mut Steps<World>) {
    steps.step("its file is gone", |w| w.processes[who].next = Next::Stage);
}

/// Joins the rows, and takes the prose of what was displaced.
fn join_rows(displaced: Board, ours: Board) -> Board {
    ((displaced | ours) & ROWS) | (displaced & !ROWS)
}
