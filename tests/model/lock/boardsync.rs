//! What a boardsync does, one atomic step at a time.

use super::{Host, Id, LATE, Lock, Next, Record, Rule, World};
use crate::checking::Steps;

/// What `judge` says of the lock.
#[derive(PartialEq)]
enum Verdict {
    Free,
    TakeOver,
    /// Old, but somebody has its holder's gate.
    Watched,
    Held,
}

impl Lock {
    pub fn boardsync(&self, who: Id, steps: &mut Steps<World>) {
        let world = steps.state;
        let late = who == LATE;
        match world.processes[who].next {
            // Nobody is left, and whatever was left behind has aged.
            Next::Start => {
                if world.processes[..LATE].iter().all(|p| p.gone()) {
                    for (what, host) in [("starts on A", Host::A), ("starts on B", Host::B)] {
                        steps.step(what, |w| {
                            w.aged = w.lock.is_some();
                            w.processes[who].host = host;
                            w.goto(who, Next::TryGate);
                        });
                    }
                }
            }

            // Gate::try_take: non-blocking, once a round.
            Next::TryGate => steps.step("Gate::try_take", |w| {
                if self.kernel_locks && w.gate(who).is_none() {
                    *w.gate(who) = Some(who);
                }
                w.goto(who, Next::Look);
            }),

            // The pause between two looks.
            Next::Wait => steps.step("Gate::pause", |w| w.goto(who, Next::TryGate)),

            // A live holder beats at once when the clock has jumped, so that its time moves
            // within the 2 s; one that is gone or overslept does not.
            Next::Watch => {
                let moved = !world.aged || world.lock.map(|r| r.owner) != world.processes[who].seen;
                if moved {
                    steps.step("look: it has moved", |w| {
                        w.processes[who].seen = None;
                        w.goto(who, Next::TryGate);
                    });
                } else if world.lock.is_some_and(|r| {
                    world.processes[r.owner].gone() || world.processes[r.owner].overslept
                }) {
                    steps.step("look: it stands still", |w| {
                        w.processes[who].watched = true;
                        w.goto(who, self.first_step_of_takeover());
                    });
                }
                steps.step("times out, goes on unlocked", |w| {
                    w.end(who, Next::Ended { locked: false })
                });
            }

            // look and judge: one read, one pure verdict.
            Next::Look => match self.judge(world, who) {
                Verdict::Watched => steps.step("look, judge: watch it", |w| {
                    w.processes[who].seen = w.lock.map(|r| r.owner);
                    w.goto(who, Next::Watch);
                }),
                Verdict::Free => steps.step("look, judge: free", |w| {
                    w.goto(who, Next::Publish);
                }),
                Verdict::TakeOver => steps.step("look, judge: take over", |w| {
                    w.processes[who].seen = w.lock.map(|r| r.owner);
                    w.goto(who, self.first_step_of_takeover());
                }),
                Verdict::Held => self.wait_or_time_out(who, late, "look, judge: held", steps),
            },

            // publish: a hard link, which never clobbers. The gate is recorded if it is held.
            Next::Publish => steps.step("publish", |w| {
                if w.lock.is_none() {
                    w.put_lock(who);
                    w.goto(who, Next::Section);
                } else {
                    w.processes[who].overslept = false;
                    w.goto(who, Next::TryGate);
                }
            }),

            // take_over: under the guard (Guard::take, Guard::remove_dead), for one short pass.
            Next::TakeOverGuard => match world.guard {
                None => steps.step("Guard::take", |w| {
                    w.put_guard(who);
                    w.goto(who, Next::TakeOverRelook);
                }),
                Some(guard) if self.may_remove(guard, world, who) => {
                    steps.step("Guard::remove_dead/look", |w| {
                        w.goto(who, Next::TakeOverRemoveDead)
                    });
                }
                Some(_) => self.wait_or_time_out(who, late, "Guard::take: busy", steps),
            },
            Next::TakeOverRemoveDead => steps.step("Guard::remove_dead/unlink", |w| {
                w.remove_guard(who);
                w.goto(who, Next::TakeOverGuard);
            }),
            Next::TakeOverRelook => steps.step("take_over/relook", |w| {
                let same = w.lock.map(|r| r.owner) == w.processes[who].seen;
                let unchanged = same && self.judge(w, who) == Verdict::TakeOver;
                let trusting = self.without == Some(Rule::TakeOverLooksAgain);
                w.goto(
                    who,
                    if unchanged || trusting {
                        Next::TakeOverRename
                    } else {
                        Next::TakeOverLost
                    },
                );
            }),
            Next::TakeOverRename => steps.step("take_over/rename", |w| {
                w.put_lock(who);
                w.goto(who, Next::TakeOverWon);
            }),
            Next::TakeOverWon => steps.step("take_over/drop guard", |w| {
                self.drop_guard(w, who);
                w.goto(who, Next::Section);
            }),
            Next::TakeOverLost => steps.step("take_over/drop guard: lost", |w| {
                self.drop_guard(w, who);
                w.processes[who].seen = None;
                w.processes[who].watched = false;
                w.goto(who, Next::TryGate);
            }),

            // Lease::beat, while the caller's section runs. Before that, a holder looks
            // for a dead guard, which would keep the Node peer out for ever.
            Next::Section => {
                if let Some(guard) = world.guard
                    && self.may_remove(guard, world, who)
                {
                    steps.step("sweep: Guard::remove_dead/look", |w| {
                        w.goto(who, Next::SweepRemoveDead)
                    });
                }
                if world.aged && world.lock.is_some_and(|r| r.owner == who) {
                    steps.step("Lease::beat", |w| w.aged = false);
                }
                steps.step("ends its section", |w| {
                    let unguarded = self.without == Some(Rule::ReleaseUnderGuard);
                    w.goto(
                        who,
                        if unguarded {
                            Next::ReleaseToken
                        } else {
                            Next::ReleaseGuard
                        },
                    );
                });
            }

            Next::SweepRemoveDead => steps.step("sweep: Guard::remove_dead/unlink", |w| {
                w.remove_guard(who);
                w.goto(who, Next::Section);
            }),

            // Lease::release: guard, token, unlink, drop guard, drop gate. Without the guard the lock
            // stays: its record says who may take it over.
            Next::ReleaseGuard => match world.guard {
                None => steps.step("Lease::release/guard", |w| {
                    w.put_guard(who);
                    w.goto(who, Next::ReleaseToken);
                }),
                Some(guard) if self.may_remove(guard, world, who) => {
                    steps.step("Guard::remove_dead/look", |w| {
                        w.goto(who, Next::ReleaseRemoveDead)
                    });
                }
                Some(_) => steps.step("Lease::release: busy", |w| {
                    w.goto(who, Next::ReleaseDropGate);
                }),
            },
            Next::ReleaseRemoveDead => steps.step("Guard::remove_dead/unlink", |w| {
                w.remove_guard(who);
                w.goto(who, Next::ReleaseGuard);
            }),
            Next::ReleaseToken => steps.step("Lease::release/token", |w| {
                let ours = w.lock.is_some_and(|r| r.owner == who);
                let blind = self.without == Some(Rule::ReleaseChecksToken);
                w.goto(
                    who,
                    if ours || blind {
                        Next::ReleaseUnlink
                    } else {
                        Next::ReleaseDropGuard
                    },
                );
            }),
            Next::ReleaseUnlink => steps.step("Lease::release/unlink", |w| {
                w.remove_lock(who);
                w.goto(who, Next::ReleaseDropGuard);
            }),
            Next::ReleaseDropGuard => steps.step("Lease::release/drop guard", |w| {
                self.drop_guard(w, who);
                w.goto(who, Next::ReleaseDropGate);
            }),
            Next::ReleaseDropGate => steps.step("Lease::release/drop gate", |w| {
                w.end(who, Next::Ended { locked: true });
            }),

            Next::NodeLook | Next::Ended { .. } | Next::Crashed => {}
        }
    }

    /// The table of docs/protocol.md, as far as time and hosts go.
    fn judge(&self, world: &World, who: Id) -> Verdict {
        let Some(record) = world.lock else {
            return Verdict::Free;
        };
        if world.foreign(who, world.lock) && self.without != Some(Rule::ForeignLocksStay) {
            return Verdict::Held;
        }
        let proof = record.gated || self.without == Some(Rule::OnlyGatedRecordsProveDeath);
        let boardsync = self.is_boardsync(record.owner);
        let dead = world.gated(who) && proof && boardsync && !world.foreign(who, world.lock);
        // The kernel says that the gate is busy, and not who has it.
        let busy = world.gate_holder(who).is_some_and(|holder| holder != who);
        let vouched = record.gated && boardsync && busy;
        let watches = self.without != Some(Rule::AgeOfALiveGateIsWatched);
        if world.aged && vouched && watches && !world.processes[who].watched {
            Verdict::Watched
        } else if dead || world.aged {
            Verdict::TakeOver
        } else {
            Verdict::Held
        }
    }

    /// A dead process's guard goes only by the hand of a gate holder of the same host: it was
    /// written under this gate, or its pid is dead.
    fn may_remove(&self, guard: Record, world: &World, who: Id) -> bool {
        let by_gate = self.is_boardsync(guard.owner) && guard.gated;
        let by_pid = world.processes[guard.owner].gone();
        let anyone = self.without == Some(Rule::OnlyGateHoldersRemoveGuards);
        let proven = if anyone {
            by_pid
        } else {
            world.gated(who) && (by_gate || by_pid)
        };
        proven && !world.foreign(who, Some(guard))
    }

    /// A waiter tries again or gives up at any time. The late update is alone in a world where
    /// everything has aged: what holds it up now does so for good.
    pub fn wait_or_time_out(
        &self,
        who: Id,
        late: bool,
        why: &'static str,
        steps: &mut Steps<World>,
    ) {
        if !late {
            let keeps = self.without == Some(Rule::WaitersLetGoOfTheGate);
            steps.step(why, |w| {
                w.processes[who].seen = None;
                w.processes[who].watched = false;
                w.starved |= w.keeps_from_its_own_dead(who);
                if w.foreign(who, w.lock) && w.gated(who) && !keeps {
                    *w.gate(who) = None;
                }
                w.goto(who, Next::Wait);
            });
        }
        steps.step("times out, goes on unlocked", |w| {
            w.end(who, Next::Ended { locked: false })
        });
    }

    fn first_step_of_takeover(&self) -> Next {
        match self.without {
            Some(Rule::TakeOverUnderGuard) => Next::TakeOverRelook,
            _ => Next::TakeOverGuard,
        }
    }

    /// Unlinks the guard; a mutant that never took it has nothing to unlink.
    fn drop_guard(&self, world: &mut World, who: Id) {
        if world.guard.is_some_and(|r| r.owner == who) {
            world.remove_guard(who);
        }
    }

    fn is_boardsync(&self, who: Id) -> bool {
        self.parties
            .get(who)
            .is_none_or(|(kind, _)| *kind == super::Kind::Boardsync)
    }
}
