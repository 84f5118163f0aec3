//! What an event of a session does to the leases of this host; pure.

use super::{Activity, How, Lease, Over, Proof, Scope};
use crate::Timestamp;
use std::path::PathBuf;

/// For how long, in ms, an event of a session that is over counts as one that its end
/// has overtaken: the hooks of one session run side by side.
const OVERTAKEN_MS: i64 = 60_000;

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The session begins, or goes on.
    Start,
    /// It does this now.
    Now(Activity),
    /// It shows that it lives.
    Life,
    /// It ends.
    End,
}

/// The source of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// The session itself.
    Session,
    /// A sub-agent, which works on its own, perhaps elsewhere.
    SubAgent,
}

/// The folder that a session is in, and the board that its row is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Where {
    /// As the agent names it.
    pub folder: PathBuf,
    /// The repository around it.
    pub repo: PathBuf,
    /// What that is called.
    pub name: String,
    /// The vault.
    pub vault: PathBuf,
    /// The board.
    pub board: PathBuf,
    /// The branch that is checked out.
    pub branch: Option<String>,
}

/// One event of a session, as its hook understood it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEvent {
    /// What happened.
    pub kind: EventKind,
    /// Who says so.
    pub voice: Voice,
    /// The session's id.
    pub session_id: String,
    /// The agent's name in the table of agents; empty if it is not known.
    pub agent: String,
    /// The session's title, if the event has one.
    pub title: Option<String>,
    /// Where it is; `None` keeps a lease where it is, and makes none.
    pub place: Option<Where>,
    /// The terminal that it runs in.
    pub terminal: Option<String>,
    /// The process that stands behind it.
    pub proof: Option<Proof>,
}

/// Returns the leases that an event makes or changes; `leases` are those of the
/// host, or at least those of this session and this process.
///
/// | event | lease |
/// |---|---|
/// | start | made, or it goes on; older ones of the same process are replaced |
/// | any other, id unknown | made likewise, unless it is an end |
/// | with another repository | moves; one stays in the old folder that says so |
/// | of a sub-agent | a sign of life; makes, moves and ends nothing |
/// | end | over; of an unknown id: the one of the same process, if any |
///
/// Events count in the order in which they arrive, whatever the clock says.
pub fn after(leases: &[Lease], event: &SessionEvent, now: Timestamp) -> Vec<Lease> {
    let is_main = |lease: &&Lease| lease.over.is_none_or(|over| over.how != How::Moved);
    let own = leases
        .iter()
        .filter(is_main)
        .find(|lease| lease.session_id == event.session_id);
    match (own, event.kind, event.voice) {
        (None, _, Voice::SubAgent) => Vec::new(),
        (Some(own), _, Voice::SubAgent) => sign_of_life(own, now).into_iter().collect(),
        (Some(own), EventKind::End, _) => end(own, How::Ended, now).into_iter().collect(),
        (None, EventKind::End, _) => {
            let last = of_same_process(leases, event).max_by_key(|lease| lease.seen);
            last.and_then(|lease| end(lease, How::Ended, now))
                .into_iter()
                .collect()
        }
        (Some(own), kind, _) if was_overtaken(own, kind, now) => Vec::new(),
        (Some(own), _, _) => go_on(leases, own, event, now),
        (None, _, _) => match &event.place {
            None => Vec::new(),
            Some(place) => {
                let made = make(event, place, now);
                replaced(leases, event, now).chain([made]).collect()
            }
        },
    }
}

fn sign_of_life(lease: &Lease, now: Timestamp) -> Option<Lease> {
    lease.over.is_none().then(|| Lease {
        seen: now,
        ..lease.clone()
    })
}

/// A session that was thought dead may still report its end.
fn end(lease: &Lease, how: How, now: Timestamp) -> Option<Lease> {
    let is_known = lease.over.is_some_and(|over| over.how != How::Died);
    (!is_known).then(|| Lease {
        seen: now,
        over: Some(Over {
            at: now,
            how,
            on_board: false,
        }),
        ..lease.clone()
    })
}

fn was_overtaken(lease: &Lease, kind: EventKind, now: Timestamp) -> bool {
    kind != EventKind::Start
        && lease.over.is_some_and(|over| {
            over.how != How::Died && (0..OVERTAKEN_MS).contains(&now.since(over.at))
        })
}

fn go_on(leases: &[Lease], own: &Lease, event: &SessionEvent, now: Timestamp) -> Vec<Lease> {
    let mut changed = Vec::new();
    let mut lease = own.clone();
    let was_over = lease.over.take().is_some();
    lease.seen = now;
    if let Some(place) = &event.place {
        if place.repo != lease.repo || place.board != lease.board {
            if !was_over {
                changed.push(Lease {
                    over: Some(Over {
                        at: now,
                        how: How::Moved,
                        on_board: false,
                    }),
                    ..lease.clone()
                });
            }
            lease.told = None;
        }
        lease.folder.clone_from(&place.folder);
        lease.repo.clone_from(&place.repo);
        lease.name.clone_from(&place.name);
        lease.vault.clone_from(&place.vault);
        lease.board.clone_from(&place.board);
        lease.branch.clone_from(&place.branch);
    }
    let activity = match event.kind {
        EventKind::Now(activity) => activity,
        EventKind::Start if was_over => Activity::Idle,
        EventKind::Start | EventKind::Life | EventKind::End => lease.activity,
    };
    if was_over || activity != lease.activity {
        lease.since = now;
    }
    if was_over {
        lease.told = None;
    }
    lease.activity = activity;
    lease.title = event.title.clone().or(lease.title);
    lease.terminal = event.terminal.clone().or(lease.terminal);
    lease.proof = better(lease.proof, event.proof.clone());
    if lease.agent.is_empty() {
        lease.agent.clone_from(&event.agent);
    }
    if event.kind == EventKind::Start || was_over {
        changed.extend(replaced(leases, event, now));
    }
    changed.push(lease);
    changed
}

fn make(event: &SessionEvent, place: &Where, now: Timestamp) -> Lease {
    Lease {
        session_id: event.session_id.clone(),
        agent: event.agent.clone(),
        title: event.title.clone(),
        folder: place.folder.clone(),
        repo: place.repo.clone(),
        name: place.name.clone(),
        vault: place.vault.clone(),
        board: place.board.clone(),
        branch: place.branch.clone(),
        started: now,
        seen: now,
        activity: match event.kind {
            EventKind::Now(activity) => activity,
            EventKind::Start | EventKind::Life | EventKind::End => Activity::Idle,
        },
        since: now,
        terminal: event.terminal.clone(),
        proof: event.proof.clone(),
        over: None,
        told: None,
        trouble: None,
    }
}

/// Chooses between what was known of the session's process and what is now.
///
/// A process that was met in two events is not a short-lived wrapper; one that
/// may be a wrapper takes the place of nothing better.
fn better(known: Option<Proof>, met: Option<Proof>) -> Option<Proof> {
    match (known, met) {
        (known, None) => known,
        (Some(known), Some(met)) if met.scope == Scope::Once => match known.scope {
            Scope::Once if known.is_same_process(&met) => Some(Proof {
                scope: Scope::Session,
                ..met
            }),
            Scope::Once => Some(met),
            Scope::Session | Scope::Daemon => Some(known),
        },
        (_, met) => met,
    }
}

/// Finds other living sessions of the process behind an event, if it is known
/// to have one at a time.
fn of_same_process<'a>(
    leases: &'a [Lease],
    event: &'a SessionEvent,
) -> impl Iterator<Item = &'a Lease> {
    let own = |proof: &Proof| proof.scope == Scope::Session;
    let process = event.proof.as_ref().filter(|proof| own(proof));
    leases.iter().filter(move |lease| {
        let theirs = lease.proof.as_ref().filter(|proof| own(proof));
        lease.over.is_none()
            && lease.session_id != event.session_id
            && matches!((theirs, process), (Some(theirs), Some(ours)) if theirs.is_same_process(ours))
    })
}

fn replaced<'a>(
    leases: &'a [Lease],
    event: &'a SessionEvent,
    now: Timestamp,
) -> impl Iterator<Item = Lease> + use<'a> {
    of_same_process(leases, event).filter_map(move |lease| end(lease, How::Replaced, now))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{lease, time};
    use super::*;

    const WORKING: EventKind = EventKind::Now(Activity::Working);
    const WAITING: EventKind = EventKind::Now(Activity::Waiting);
    const IDLE: EventKind = EventKind::Now(Activity::Idle);

    fn process(pid: u32, scope: Scope) -> Option<Proof> {
        Some(Proof {
            pid,
            started: 1,
            boot_id: None,
            namespace: None,
            scope,
        })
    }

    fn at(folder: &str) -> Option<Where> {
        Some(Where {
            folder: folder.into(),
            repo: folder.into(),
            name: "x".to_owned(),
            vault: "/vault".into(),
            board: "/vault/board.md".into(),
            branch: None,
        })
    }

    /// An event of the session `id` in `/src/app`, from process 1.
    fn event(id: &str, kind: EventKind) -> SessionEvent {
        SessionEvent {
            kind,
            voice: Voice::Session,
            session_id: id.to_owned(),
            agent: "claude-code".to_owned(),
            title: None,
            place: at("/src/app"),
            terminal: None,
            proof: process(1, Scope::Session),
        }
    }

    fn held(id: &str) -> Lease {
        Lease {
            proof: process(1, Scope::Session),
            ..lease(id, 0)
        }
    }

    fn over(id: &str, minute: i64, how: How) -> Lease {
        Lease {
            over: Some(Over {
                at: time(minute),
                how,
                on_board: true,
            }),
            ..held(id)
        }
    }

    /// Shows what changes: id, folder, activity or how it went.
    fn shown(before: &[Lease], event: &SessionEvent) -> Vec<String> {
        after(before, event, time(10))
            .iter()
            .map(|lease| {
                assert_eq!(lease.seen, time(10), "every event is a sign of life");
                let state = match lease.over {
                    None => lease.activity.word().to_owned(),
                    Some(over) => format!("{:?}", over.how).to_lowercase(),
                };
                format!("{} {} {state}", lease.session_id, lease.repo.display())
            })
            .collect()
    }

    #[test]
    fn every_event_does_to_every_lease_what_the_table_says() {
        let elsewhere = |kind| SessionEvent {
            place: at("/src/tree"),
            ..event("a", kind)
        };
        let nowhere = |kind| SessionEvent {
            place: None,
            ..event("a", kind)
        };
        let sub = |kind| SessionEvent {
            voice: Voice::SubAgent,
            ..elsewhere(kind)
        };
        let other = |kind| SessionEvent {
            proof: process(2, Scope::Session),
            ..event("b", kind)
        };
        let daemon = |kind| SessionEvent {
            proof: process(1, Scope::Daemon),
            ..event("b", kind)
        };
        let a = || vec![held("a")];
        for (what, before, event, changes) in [
            (
                "start",
                vec![],
                event("a", EventKind::Start),
                &["a /src/app idle"][..],
            ),
            (
                "start again: compact",
                a(),
                event("a", EventKind::Start),
                &["a /src/app working"],
            ),
            (
                "/clear with a start",
                a(),
                event("b", EventKind::Start),
                &["a /src/app replaced", "b /src/app idle"],
            ),
            (
                "/clear without one",
                a(),
                event("b", WORKING),
                &["a /src/app replaced", "b /src/app working"],
            ),
            (
                "another process",
                a(),
                other(EventKind::Start),
                &["b /src/app idle"],
            ),
            (
                "a daemon's sessions",
                a(),
                daemon(EventKind::Start),
                &["b /src/app idle"],
            ),
            (
                "prompt, unknown",
                vec![],
                event("a", WORKING),
                &["a /src/app working"],
            ),
            (
                "any, unknown",
                vec![],
                event("a", EventKind::Life),
                &["a /src/app idle"],
            ),
            (
                "any, known",
                a(),
                event("a", EventKind::Life),
                &["a /src/app working"],
            ),
            ("no folder, unknown", vec![], nowhere(WORKING), &[]),
            ("no folder, known", a(), nowhere(IDLE), &["a /src/app idle"]),
            (
                "notification",
                a(),
                event("a", WAITING),
                &["a /src/app waiting"],
            ),
            ("stop", a(), event("a", IDLE), &["a /src/app idle"]),
            (
                "moved",
                a(),
                elsewhere(WORKING),
                &["a /src/app moved", "a /src/tree working"],
            ),
            (
                "moved while over",
                vec![over("a", 0, How::Ended)],
                elsewhere(EventKind::Start),
                &["a /src/tree idle"],
            ),
            (
                "sub-agent, known",
                a(),
                sub(WAITING),
                &["a /src/app working"],
            ),
            (
                "sub-agent's end",
                a(),
                sub(EventKind::End),
                &["a /src/app working"],
            ),
            ("sub-agent, unknown", vec![], sub(EventKind::Start), &[]),
            (
                "sub-agent, over",
                vec![over("a", 0, How::Ended)],
                sub(WORKING),
                &[],
            ),
            (
                "end",
                a(),
                event("a", EventKind::End),
                &["a /src/app ended"],
            ),
            (
                "end elsewhere",
                a(),
                elsewhere(EventKind::End),
                &["a /src/app ended"],
            ),
            ("end, unknown", vec![], event("a", EventKind::End), &[]),
            (
                "end, id changed unseen",
                a(),
                event("b", EventKind::End),
                &["a /src/app ended"],
            ),
            ("end, another process", a(), other(EventKind::End), &[]),
            ("end of a daemon's", a(), daemon(EventKind::End), &[]),
            (
                "end, twice",
                vec![over("a", 10, How::Ended)],
                event("a", EventKind::End),
                &[],
            ),
            (
                "end of a replaced one",
                vec![over("a", 10, How::Replaced)],
                event("a", EventKind::End),
                &[],
            ),
            (
                "end after all",
                vec![over("a", 0, How::Died)],
                event("a", EventKind::End),
                &["a /src/app ended"],
            ),
            (
                "overtaken by the end",
                vec![over("a", 10, How::Ended)],
                event("a", WORKING),
                &[],
            ),
            (
                "overtaken by /clear",
                vec![over("a", 10, How::Replaced)],
                event("a", IDLE),
                &[],
            ),
            (
                "lives on after an end",
                vec![over("a", 9, How::Ended)],
                event("a", WORKING),
                &["a /src/app working"],
            ),
            (
                "lives, thought dead",
                vec![over("a", 10, How::Died)],
                event("a", WORKING),
                &["a /src/app working"],
            ),
            (
                "resumed at once",
                vec![over("a", 10, How::Ended)],
                event("a", EventKind::Start),
                &["a /src/app idle"],
            ),
            (
                "resumed in another's process",
                vec![over("a", 0, How::Ended), held("b")],
                event("a", EventKind::Start),
                &["b /src/app replaced", "a /src/app idle"],
            ),
        ] {
            assert_eq!(shown(&before, &event), changes, "{what}");
        }
    }

    #[test]
    fn a_wrapper_that_is_met_once_proves_nothing_and_twice_is_the_agent() {
        let once = |pid| process(pid, Scope::Once);
        for (known, met, kept) in [
            (None, once(1), once(1)),
            (once(1), once(1), process(1, Scope::Session)),
            (once(1), once(2), once(2)),
            (once(1), None, once(1)),
            (
                process(1, Scope::Session),
                once(2),
                process(1, Scope::Session),
            ),
            (
                once(1),
                process(2, Scope::Session),
                process(2, Scope::Session),
            ),
            (
                process(1, Scope::Session),
                process(2, Scope::Session),
                process(2, Scope::Session),
            ),
        ] {
            assert_eq!(
                better(known.clone(), met.clone()),
                kept,
                "{known:?} {met:?}"
            );
        }
    }

    #[test]
    fn a_title_stays_until_there_is_another_and_a_clock_that_was_ahead_is_forgotten() {
        let ahead = Lease {
            seen: time(5_000_000),
            title: Some("Fix login".to_owned()),
            ..held("a")
        };
        let changed = after(&[ahead], &event("a", WORKING), time(10));
        assert_eq!(changed[0].seen, time(10));
        assert_eq!(changed[0].title.as_deref(), Some("Fix login"));
        assert_eq!(changed[0].since, time(0), "it worked before");
        let named = SessionEvent {
            title: Some("Better name".to_owned()),
            ..event("a", EventKind::End)
        };
        assert_eq!(
            after(&changed, &named, time(11))[0]
                .over
                .map(|over| over.at),
            Some(time(11))
        );
    }
}
