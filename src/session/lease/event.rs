//! What an event of a session does to the leases of this host; pure.

use super::{Activity, EndKind, Lease, LeaseEnd, ProcessScope, Proof};
use crate::Timestamp;
use std::path::PathBuf;

/// How long after a session's end, in ms, a late event still counts as overtaken by
/// it: the hooks of one session run side by side.
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
    let is_main = |lease: &&Lease| lease.over.is_none_or(|over| over.how != EndKind::Moved);
    let own = leases
        .iter()
        .filter(is_main)
        .find(|lease| lease.session_id == event.session_id);
    match (own, event.kind, event.voice) {
        (None, _, Voice::SubAgent) => Vec::new(),
        (Some(own), _, Voice::SubAgent) => sign_of_life(own, now).into_iter().collect(),
        (Some(own), EventKind::End, _) => end(own, EndKind::Ended, now).into_iter().collect(),
        (None, EventKind::End, _) => {
            let last = of_same_process(leases, event).max_by_key(|lease| lease.seen);
            last.and_then(|lease| end(lease, EndKind::Ended, now))
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
fn end(lease: &Lease, how: EndKind, now: Timestamp) -> Option<Lease> {
    let is_known = lease.over.is_some_and(|over| over.how != EndKind::Died);
    (!is_known).then(|| Lease {
        seen: now,
        over: Some(LeaseEnd {
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
            over.how != EndKind::Died && (0..OVERTAKEN_MS).contains(&now.since(over.at))
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
                    over: Some(LeaseEnd {
                        at: now,
                        how: EndKind::Moved,
                        on_board: false,
                    }),
                    ..lease.clone()
                });
            }
            lease.last_shown = None;
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
        lease.last_shown = None;
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
        last_shown: None,
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
        (Some(known), Some(met)) if met.scope == ProcessScope::Once => match known.scope {
            ProcessScope::Once if known.is_same_process(&met) => Some(Proof {
                scope: ProcessScope::Session,
                ..met
            }),
            ProcessScope::Once => Some(met),
            ProcessScope::Session | ProcessScope::Daemon => Some(known),
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
    let own = |proof: &Proof| proof.scope == ProcessScope::Session;
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
    of_same_process(leases, event).filter_map(move |lease| end(lease, EndKind::Replaced, now))
}

#[cfg(test)]
#[path = "event_table.rs"]
mod table;
