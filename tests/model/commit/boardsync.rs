//! What an update does to the board, one atomic step at a time.

use super::{Board, Commit, File, Host, Id, LATE, Latch, Next, ROWS, Rule, World, row};
use crate::checking::Steps;

impl Commit {
    pub fn boardsync(&self, who: Id, steps: &mut Steps<World>) {
        let world = steps.state;
        let me = world.processes[who];
        match me.next {
            // Nobody is left, and the last draft is written.
            Next::Start => {
                if world.processes[..LATE].iter().all(|p| p.gone()) && world.draft.is_none() {
                    steps.step("starts", |w| w.processes[who].next = Next::TakeLatch);
                }
            }

            // commit.rs: a kernel lock, which a crash lets go.
            Next::TakeLatch => {
                let host = self.host(who) as usize;
                let free = world.latches[host].is_none();
                if self.latch != Latch::Absent && free {
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

            Next::Adopt => self.adopt_leftovers(who, steps),
            Next::UnlinkUnclaimed(seen) => steps.step("adopt_leftovers/unlink", |w| {
                w.files.retain(|f| (f.owner, f.claimed, f.staged) != (seen.owner, seen.claimed, seen.staged));
                w.processes[who].next = Next::Adopt;
            }),

            Next::Read => steps.step("read", |w| {
                let adopted = w.files.iter().filter(|f| f.owner == who);
                let joined = adopted.fold(w.board, |board, f| self.join(f.content, board));
                w.processes[who].expected = w.board;
                w.processes[who].wrote = joined | row(who);
                w.processes[who].next = Next::Stage;
            }),

            // A complete board, under a name that holds its hash.
            Next::Stage => steps.step("stage", |w| {
                if self.without == Some(Rule::DisplacedStays) {
                    w.files.retain(|f| f.owner != who || f.claimed);
                }
                w.add(File { owner: who, claimed: false, staged: me.wrote, content: me.wrote });
                w.processes[who].next = if self.exchange { Next::Exchange } else { Next::CompareBoard };
            }),

            Next::Exchange => match own_file(world, who) {
                Some(place) => steps.step("exchange", |w| {
                    let mut file = w.files.remove(place);
                    file.content = w.put_board(file.content);
                    w.add(file);
                    w.processes[who].next = Next::CompareDisplaced;
                }),
                None => stage_again(who, steps),
            },

            // A displaced board that is gone is in the hands of an adopter, who joins it.
            Next::CompareDisplaced => match own_file(world, who) {
                Some(place) => {
                    let displaced = world.files[place].content;
                    let joined = self.merge(me.expected, me.wrote, displaced);
                    if displaced == me.expected || joined == me.wrote {
                        steps.step("compare: nothing new", |w| w.processes[who].next = Next::Discard);
                    } else {
                        steps.step("compare, join", |w| {
                            w.processes[who].expected = me.wrote;
                            w.processes[who].wrote = joined;
                            w.processes[who].next = Next::Stage;
                        });
                    }
                }
                None => steps.step("compare: adopted by another", |w| {
                    w.processes[who].next = Next::Discard;
                }),
            },

            Next::CompareBoard if world.board == me.expected => {
                steps.step("compare: as read", |w| w.processes[who].next = Next::Rename);
            }
            Next::CompareBoard => steps.step("compare, join", |w| {
                w.files.retain(|f| f.owner != who || f.claimed);
                w.processes[who].expected = w.board;
                w.processes[who].wrote = self.merge(me.expected, me.wrote, w.board);
                w.processes[who].next = Next::Stage;
            }),
            Next::Rename => match own_file(world, who) {
                Some(place) => steps.step("rename", |w| {
                    let file = w.files.remove(place);
                    w.put_board(file.content);
                    w.processes[who].next = Next::Discard;
                }),
                None => stage_again(who, steps),
            },

            // One file at a time; then the latch goes, and the update is reported.
            Next::Discard => match world.files.iter().position(|f| f.owner == who) {
                Some(place) => steps.step("discard", |w| {
                    w.files.remove(place);
                }),
                None => steps.step("reports `written`", |w| self.end(w, who, Next::Ended)),
            },

            Next::Ended | Next::Crashed => {}
        }
    }

    /// Claims leftovers one by one, drops those that were never exchanged, and keeps the displaced
    /// ones to be joined. Which files count as leftovers is a matter of age: anyone's may.
    fn adopt_leftovers(&self, who: Id, steps: &mut Steps<World>) {
        let world = steps.state;
        let worthless = |f: &File| f.is_unswapped() || self.without == Some(Rule::LeftoversAreJoined);
        if let Some(place) = world.files.iter().position(|f| f.owner == who && worthless(f)) {
            steps.step("adopt_leftovers/discard", |w| {
                w.files.remove(place);
            });
            return;
        }
        let others = world.files.iter().enumerate().filter(|(_, f)| f.owner != who);
        for (place, &file) in others.clone() {
            if self.without == Some(Rule::LeftoversAreClaimed) && file.is_unswapped() {
                steps.step("adopt_leftovers/look", |w| {
                    w.processes[who].next = Next::UnlinkUnclaimed(file);
                });
            } else {
                steps.step("adopt_leftovers/claim", |w| {
                    w.files.remove(place);
                    w.add(File { owner: who, claimed: true, ..file });
                });
            }
        }
        if who != LATE || others.count() == 0 {
            steps.step("adopt_leftovers: no more", |w| w.processes[who].next = Next::Read);
        }
    }

    /// What is to be in the board when `displaced` was found where `base` was expected.
    fn merge(&self, base: Board, ours: Board, displaced: Board) -> Board {
        match self.without {
            Some(Rule::Join) => (ours & displaced) | ((ours ^ displaced) & !base),
            _ => self.join(displaced, ours),
        }
    }

    fn join(&self, displaced: Board, ours: Board) -> Board {
        match self.without {
            Some(Rule::ProseIsJoined) => ((displaced | ours) & ROWS) | (displaced & !ROWS),
            _ => displaced | ours,
        }
    }

    fn host(&self, who: Id) -> Host {
        self.parties.get(who).copied().unwrap_or(Host::A)
    }

    /// Ends a process: the kernel lets its latch go, and nothing it knew matters any longer.
    pub fn end(&self, world: &mut World, who: Id, next: Next) {
        let latch = &mut world.latches[self.host(who) as usize];
        if *latch == Some(who) {
            *latch = None;
        }
        world.processes[who] = super::Process { next, expected: 0, wrote: 0 };
    }
}

/// The file that this process has staged last, unless somebody has claimed it.
fn own_file(world: &World, who: Id) -> Option<usize> {
    let wrote = world.processes[who].wrote;
    world.files.iter().position(|f| f.owner == who && !f.claimed && f.staged == wrote)
}

fn stage_again(who: Id, steps: &mut Steps<World>) {
    steps.step("its file is gone", |w| w.processes[who].next = Next::Stage);
}
