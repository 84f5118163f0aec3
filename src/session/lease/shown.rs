//! What a board shows of a lease, and what it should show now; pure.

use super::{Activity, EndKind, LastShown, Lease, LeaseEnd, REFRESH_AFTER_MS};
use crate::Timestamp;

/// The shortest time between two writes of a board, in ms, for a session that rests:
/// one that works on a list of tasks does so for moments.
const REST_AFTER_MS: i64 = 60_000;

impl Lease {
    /// Returns whether the lease has something that its board does not show yet: a
    /// start, an end, and once in a while that the session lives; if the board shows
    /// activities, also that the session begins or ceases to wait for its person, that
    /// it begins to work (agents may report nothing more until they are done), and
    /// after a minute that it has ceased to.
    pub fn is_news(&self, shows_activity: impl FnOnce() -> bool, now: Timestamp) -> bool {
        if let Some(over) = self.over {
            return !over.on_board;
        }
        let Some(last) = self.last_shown else {
            return true;
        };
        let age = now.since(last.at);
        let waits = |activity| activity == Activity::Waiting;
        // A clock that was ahead when it was shown says nothing of the time since.
        let is_older_than = |limit| !(0..limit).contains(&age);
        let is_pressing =
            waits(last.activity) || waits(self.activity) || self.activity == Activity::Working;
        is_older_than(REFRESH_AFTER_MS)
            || last.activity != self.activity
                && (is_pressing || is_older_than(REST_AFTER_MS))
                && shows_activity()
    }

    /// Returns the lease once a board shows it; `None` if it says so already.
    pub(super) fn as_shown(&self, is_dead: impl FnOnce() -> bool, now: Timestamp) -> Option<Lease> {
        let mut shown = self.clone();
        match self.over {
            Some(over) if over.on_board => return None,
            None if !is_dead() => {
                // Else its next activity might pass for the one that the board had before.
                let last = self
                    .last_shown
                    .filter(|last| last.activity != self.activity)?;
                let activity = self.activity;
                shown.last_shown = Some(LastShown { activity, ..last });
            }
            over => {
                let died = LeaseEnd {
                    at: self.seen_by(now),
                    how: EndKind::Died,
                    on_board: true,
                };
                shown.over = Some(over.map_or(died, |over| LeaseEnd {
                    on_board: true,
                    ..over
                }));
            }
        }
        Some(shown)
    }
}
