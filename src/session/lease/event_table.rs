//! The table of events: what each does to the leases.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::super::LastShown;
use super::super::tests::{lease, time};
use super::*;

const WORKING: EventKind = EventKind::Now(Activity::Working);
const WAITING: EventKind = EventKind::Now(Activity::Waiting);
const IDLE: EventKind = EventKind::Now(Activity::Idle);

fn process(pid: u32, scope: ProcessScope) -> Option<Proof> {
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
        proof: process(1, ProcessScope::Session),
    }
}

fn held(id: &str) -> Lease {
    Lease {
        proof: process(1, ProcessScope::Session),
        ..lease(id, 0)
    }
}

fn over(id: &str, minute: i64, how: EndKind) -> Lease {
    Lease {
        over: Some(LeaseEnd {
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
        proof: process(2, ProcessScope::Session),
        ..event("b", kind)
    };
    let daemon = |kind| SessionEvent {
        proof: process(1, ProcessScope::Daemon),
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
            vec![over("a", 0, EndKind::Ended)],
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
            vec![over("a", 0, EndKind::Ended)],
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
            vec![over("a", 10, EndKind::Ended)],
            event("a", EventKind::End),
            &[],
        ),
        (
            "end of a replaced one",
            vec![over("a", 10, EndKind::Replaced)],
            event("a", EventKind::End),
            &[],
        ),
        (
            "end after all",
            vec![over("a", 0, EndKind::Died)],
            event("a", EventKind::End),
            &["a /src/app ended"],
        ),
        (
            "overtaken by the end",
            vec![over("a", 10, EndKind::Ended)],
            event("a", WORKING),
            &[],
        ),
        (
            "overtaken by /clear",
            vec![over("a", 10, EndKind::Replaced)],
            event("a", IDLE),
            &[],
        ),
        (
            "lives on after an end",
            vec![over("a", 9, EndKind::Ended)],
            event("a", WORKING),
            &["a /src/app working"],
        ),
        (
            "lives, thought dead",
            vec![over("a", 10, EndKind::Died)],
            event("a", WORKING),
            &["a /src/app working"],
        ),
        (
            "resumed at once",
            vec![over("a", 10, EndKind::Ended)],
            event("a", EventKind::Start),
            &["a /src/app idle"],
        ),
        (
            "resumed in another's process",
            vec![over("a", 0, EndKind::Ended), held("b")],
            event("a", EventKind::Start),
            &["b /src/app replaced", "a /src/app idle"],
        ),
    ] {
        assert_eq!(shown(&before, &event), changes, "{what}");
    }
}

#[test]
fn a_wrapper_that_is_met_once_proves_nothing_and_twice_is_the_agent() {
    let once = |pid| process(pid, ProcessScope::Once);
    for (known, met, kept) in [
        (None, once(1), once(1)),
        (once(1), once(1), process(1, ProcessScope::Session)),
        (once(1), once(2), once(2)),
        (once(1), None, once(1)),
        (
            process(1, ProcessScope::Session),
            once(2),
            process(1, ProcessScope::Session),
        ),
        (
            once(1),
            process(2, ProcessScope::Session),
            process(2, ProcessScope::Session),
        ),
        (
            process(1, ProcessScope::Session),
            process(2, ProcessScope::Session),
            process(2, ProcessScope::Session),
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

#[test]
fn what_a_board_showed_counts_for_nothing_once_the_session_moves_or_comes_back() {
    let last_shown = Some(LastShown {
        at: time(9),
        activity: Activity::Working,
    });
    let shown = |lease: Lease| Lease {
        last_shown,
        ..lease
    };
    for (what, before, place, stays) in [
        ("goes on", held("a"), "/src/app", true),
        ("moves", held("a"), "/src/other", false),
        (
            "comes back",
            over("a", 1, EndKind::Ended),
            "/src/app",
            false,
        ),
    ] {
        let event = SessionEvent {
            place: at(place),
            ..event("a", WORKING)
        };
        let after = after(&[shown(before)], &event, time(10));
        let lease = after.last().unwrap();
        assert_eq!(lease.last_shown.is_some(), stays, "{what}");
    }
}
