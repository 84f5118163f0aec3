//! From the leases of one folder to its row; pure.

use super::{Activity, EndKind, Lease, Life};
use crate::Timestamp;
use crate::board::Status;
use std::cmp::Reverse;

/// How old the heartbeat of a living session's row may grow, in ms: other
/// hosts know nothing else of it.
pub const REFRESH_AFTER_MS: i64 = 30 * 60 * 1000;

/// The row of a folder, according to its leases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderRow {
    /// In progress while a session lives, else the way in which the last one ended.
    pub status: Status,
    /// The row's name, unless another folder has the same.
    pub name: String,
    /// The id of the session that is shown, whose activity this is.
    pub session_id: String,
    /// What stands in the cell of the session.
    pub session: String,
    /// The branch.
    pub branch: Option<String>,
    /// What that session does; `None` once over.
    pub activity: Option<Activity>,
    /// The time of the last event of any of them.
    pub at: Timestamp,
    /// Whether a process proves that a session lives, however silent it is.
    pub proven: bool,
}

/// Derives the row of a folder from all its leases.
///
/// Any session alive: in progress, with the session whose activity is the most
/// urgent, of several the one of the latest event. Else the last one that went, and
/// of which no board says so yet: closed if it ended or moved on, force-closed if it
/// died. Else there is nothing to say.
pub fn folder_row(leases: &[(&Lease, Life)], now: Timestamp) -> Option<FolderRow> {
    let living = || leases.iter().filter(|(_, life)| *life != Life::Dead);
    let by_event = |lease: &Lease| (lease.seen_by(now), lease.session_id.clone());
    let row = |lease: &Lease, status| FolderRow {
        status,
        name: lease.name.clone(),
        session_id: lease.session_id.clone(),
        session: lease.session_cell(),
        branch: lease.branch.clone(),
        activity: None,
        at: lease.seen_by(now),
        proven: false,
    };
    let urgent = |lease: &Lease| (Reverse(urgency(lease.activity)), by_event(lease));
    if let Some((lease, _)) = living().max_by_key(|(lease, _)| urgent(lease)) {
        let last = living().map(|(lease, _)| lease.seen_by(now)).max();
        return Some(FolderRow {
            activity: Some(lease.activity),
            at: last.unwrap_or(now),
            proven: living().any(|(_, life)| *life == Life::Alive),
            ..row(lease, Status::InProgress)
        });
    }
    let gone = |lease: &Lease| lease.over.map_or(lease.seen, |over| over.at).min(now);
    let unshown = leases
        .iter()
        .map(|(lease, _)| *lease)
        .filter(|lease| lease.over.is_none_or(|over| !over.on_board));
    let lease = unshown.max_by_key(|lease| (gone(lease), lease.session_id.clone()))?;
    let status = match lease.over.map(|over| over.how) {
        Some(EndKind::Ended | EndKind::Moved | EndKind::Replaced) => Status::Closed,
        Some(EndKind::Died) | None => Status::ForceClosed,
    };
    Some(FolderRow {
        at: gone(lease),
        ..row(lease, status)
    })
}

fn urgency(activity: Activity) -> u8 {
    match activity {
        Activity::Waiting => 0,
        Activity::Working => 1,
        Activity::Idle => 2,
    }
}

impl FolderRow {
    /// Returns whether a session lives.
    pub fn is_live(&self) -> bool {
        self.status == Status::InProgress
    }

    /// Returns the heartbeat for a row that has `prior` and otherwise shows the
    /// `same` already.
    ///
    /// If the row is unchanged its heartbeat is kept, so that nothing is written. A
    /// new heartbeat is never earlier than the one it replaces, since rows are
    /// compared by them. A process that was seen alive is a sign of life, too.
    pub fn heartbeat(&self, prior: Option<Timestamp>, same: bool, now: Timestamp) -> Timestamp {
        let prior = prior.filter(|prior| !prior.is_ahead_of(now));
        let ages = prior.is_some_and(|prior| now.since(prior) >= REFRESH_AFTER_MS);
        match prior {
            Some(prior) if same && !(self.is_live() && ages) => prior,
            Some(prior) if same && !self.proven => prior.max(self.at),
            _ if self.proven && now.since(self.at) >= REFRESH_AFTER_MS => now,
            Some(prior) => prior.max(self.at),
            None => self.at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{lease, time};
    use super::super::{EndKind, LeaseEnd};
    use super::*;
    use Life::{Alive, Dead, Unknown};

    fn over(session: &str, minute: i64, how: EndKind, on_board: bool) -> Lease {
        Lease {
            over: Some(LeaseEnd {
                at: time(minute),
                how,
                on_board,
            }),
            ..lease(session, minute)
        }
    }

    fn row_of(leases: &[(Lease, Life)]) -> Option<(Status, String)> {
        let leases: Vec<_> = leases.iter().map(|(lease, life)| (lease, *life)).collect();
        folder_row(&leases, time(100)).map(|row| (row.status, row.session_id))
    }

    #[test]
    fn any_living_session_keeps_the_row_open_and_else_the_last_one_tells_how_it_went() {
        let ended = |session, minute| (over(session, minute, EndKind::Ended, false), Dead);
        for (leases, row) in [
            (vec![], None),
            (
                vec![(lease("a", 1), Alive)],
                Some((Status::InProgress, "a")),
            ),
            (
                vec![(lease("a", 1), Unknown)],
                Some((Status::InProgress, "a")),
            ),
            (
                vec![(lease("a", 1), Alive), (lease("b", 2), Unknown)],
                Some((Status::InProgress, "b")),
            ),
            (
                vec![(lease("a", 1), Alive), ended("b", 9)],
                Some((Status::InProgress, "a")),
            ),
            (
                vec![(lease("a", 1), Dead)],
                Some((Status::ForceClosed, "a")),
            ),
            (
                vec![ended("a", 2), (lease("b", 1), Dead)],
                Some((Status::Closed, "a")),
            ),
            (
                vec![ended("a", 1), (lease("b", 2), Dead)],
                Some((Status::ForceClosed, "b")),
            ),
            (
                vec![(over("a", 3, EndKind::Moved, false), Dead)],
                Some((Status::Closed, "a")),
            ),
            (vec![(over("a", 3, EndKind::Ended, true), Dead)], None),
            (
                vec![(over("a", 3, EndKind::Ended, true), Dead), ended("b", 1)],
                Some((Status::Closed, "b")),
            ),
        ] {
            let row = row.map(|(status, session)| (status, session.to_owned()));
            assert_eq!(row_of(&leases), row, "{leases:?}");
        }
    }

    #[test]
    fn a_clock_that_was_ahead_once_does_not_keep_the_row() {
        let ahead = (lease("ahead", 5 * 365 * 24 * 60), Alive);
        assert_eq!(
            row_of(&[ahead.clone(), (lease("b", 100), Alive)]),
            Some((Status::InProgress, "b".to_owned()))
        );
        let row = folder_row(&[(&ahead.0, Alive)], time(100)).expect("a row");
        assert_eq!(row.at, time(100));
        assert_eq!(
            row.heartbeat(Some(ahead.0.seen), true, time(100)),
            time(100)
        );
    }

    #[test]
    fn a_heartbeat_stays_while_it_says_enough_and_never_goes_back() {
        let row = |life, minute| folder_row(&[(&lease("a", minute), life)], time(100));
        for (life, seen, prior, same, expected) in [
            (Alive, 100, Some(71), true, 71),
            (Alive, 100, Some(70), true, 100),
            (Alive, 10, Some(70), true, 100),
            (Alive, 80, Some(70), true, 80),
            (Unknown, 10, Some(70), true, 70),
            (Unknown, 10, Some(5), true, 10),
            (Alive, 90, Some(95), false, 95),
            (Alive, 90, Some(80), false, 90),
            (Alive, 10, None, false, 100),
            (Unknown, 10, None, false, 10),
            (Dead, 10, Some(5), true, 5),
            (Dead, 10, Some(5), false, 10),
        ] {
            let row = row(life, seen).expect("a row");
            let got = row.heartbeat(prior.map(time), same, time(100));
            assert_eq!(got, time(expected), "{life:?} {seen} {prior:?} {same}");
        }
    }

    #[test]
    fn who_waits_is_named_beside_who_works_and_who_works_beside_who_is_idle() {
        use Activity::{Idle, Waiting, Working};
        for (older, newer, named) in [
            (Waiting, Working, "older"),
            (Waiting, Idle, "older"),
            (Working, Idle, "older"),
            (Working, Working, "newer"),
            (Idle, Working, "newer"),
        ] {
            let of = |id: &str, minute, activity| Lease {
                activity,
                branch: Some(id.to_owned()),
                ..lease(id, minute)
            };
            let (one, other) = (of("older", 1, older), of("newer", 2, newer));
            let row = folder_row(&[(&one, Alive), (&other, Alive)], time(3)).expect("a row");
            assert_eq!((&*row.session_id, &*row.session), (named, named));
            assert_eq!(row.branch.as_deref(), Some(named));
            let activity = if named == "older" { older } else { newer };
            assert_eq!(row.activity, Some(activity));
            assert_eq!(row.at, time(2), "the last sign of life of any");
        }
    }
}
