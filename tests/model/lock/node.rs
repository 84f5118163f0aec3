//! What the Node peer does: everything under the guard, and never a hand on a guard that is not its
//! own (PEER.md). It has neither gate nor heartbeat; a section longer than the staleness oversleeps.

use super::{Id, Lock, Next, World};
use crate::checking::Steps;

impl Lock {
    pub fn node(&self, who: Id, steps: &mut Steps<World>) {
        let world = steps.state;
        match world.processes[who].next {
            // Every attempt starts with the guard.
            Next::TryGate => {
                if world.guard.is_none() {
                    steps.step("links its guard", |w| {
                        w.put_guard(who);
                        w.goto(who, Next::NodeLook);
                    });
                } else {
                    steps.step("times out, goes on unlocked", |w| {
                        w.end(who, Next::Ended { locked: false });
                    });
                }
            }
            // Under the guard, it takes a free lock and steals a stale one of its own host.
            Next::NodeLook => {
                if world.lock.is_none() {
                    steps.step("links its lock", |w| {
                        w.put_lock(who);
                        w.goto(who, Next::TakeOverWon);
                    });
                } else if world.aged && !world.foreign(who, world.lock) {
                    steps.step("sees a stale lock", |w| w.goto(who, Next::TakeOverRename));
                } else {
                    steps.step("sees a held lock", |w| w.goto(who, Next::TakeOverLost));
                }
            }
            // It has no heartbeat, and a guard that is not to be had leaves the lock behind.
            Next::Section => steps.step("ends its section", |w| w.goto(who, Next::ReleaseGuard)),
            // The rest is the same: rename over, drop the guard, release under the guard by owner.
            _ => self.boardsync(who, steps),
        }
    }
}
