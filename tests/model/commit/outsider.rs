//! Somebody who edits the board and asks nobody: an editor, a sync client.

use super::{Commit, LATE, LINES, Next, World};
use crate::checking::Steps;

impl Commit {
    /// Reads the board; later renames over it what was read and a line more.
    pub fn outsider(&self, steps: &mut Steps<World>) {
        let world = steps.state;
        let in_the_gap = world.processes.iter().any(|p| p.next == Next::Rename);
        match world.draft {
            None if world.edits_done < self.edits && world.processes[LATE].next == Next::Start => {
                steps.step("reads", |w| w.draft = Some(w.board));
            }
            Some(draft) if self.edits_in_the_gap || !in_the_gap => {
                steps.step("writes back", |w| {
                    let edited = draft | LINES[w.edits_done];
                    w.excused |= w.put_board(edited) & !edited;
                    w.edits_done += 1;
                    w.draft = None;
                });
            }
            _ => {}
        }
    }
}
