//! Rows are derived as the peer derives them.

use boardsync::Timestamp;
use boardsync::board::Status;
use boardsync::internals::session::{
    Derived, Explicit, Registry, RegistryEntry, Repo, SESSION_LOCK, SessionLock, Sources, derive,
};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const NOW: &str = "2026-11-30T07:00:00.000Z";

fn now() -> Timestamp {
    Timestamp::parse(NOW).unwrap()
}

/// Lays a vector's files out as they lie on disk.
fn lay_out(case: &Value, root: &Path) -> (Repo, Registry) {
    let repo = Repo::at(Path::new("app"), root);
    let lock = repo.path.join(SESSION_LOCK);
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    if let Some(raw) = case["session_lock_raw"].as_str() {
        fs::write(&lock, raw).unwrap();
    } else if !case["session_lock"].is_null() {
        fs::write(&lock, case["session_lock"].to_string()).unwrap();
    }
    let sessions = root.join("sessions");
    fs::create_dir_all(sessions.join("active")).unwrap();
    for (n, entry) in case["registry"].as_array().unwrap().iter().enumerate() {
        let mut entry = entry.clone();
        entry["repo_path_hash"] = json!(repo.hash);
        fs::write(sessions.join(format!("active/{n}.json")), entry.to_string()).unwrap();
    }
    (repo, Registry::at(&sessions))
}

/// Reads a status; a word that is no status is none.
fn status(word: &Value) -> Option<Status> {
    word.as_str()?.parse().ok()
}

#[test]
fn every_vector_of_the_peer_is_met() {
    let fixture: Value =
        serde_json::from_str(include_str!("../../fixtures/vectors/derive.json")).unwrap();
    let cases = fixture["cases"].as_array().unwrap();
    assert!(cases.len() >= 20, "the fixture has its cases");
    for case in cases {
        let root = tempfile::tempdir().unwrap();
        let (repo, registry) = lay_out(case, root.path());
        let sources = Sources::read(&repo, Some(&registry));
        let derived = derive(
            &sources,
            status(&case["prior_status"]),
            status(&case["explicit_status"]),
            Timestamp::parse(case["now"].as_str().unwrap()).unwrap(),
        );
        let row = json!({
            "repo": repo.name, "status": derived.status.word(), "session": derived.session,
            "branch": derived.branch, "mode": derived.mode, "heartbeat": derived.heartbeat,
        });
        assert_eq!(row, case["row"], "{}", case["name"]);
    }
}

fn lease(heartbeat: &str) -> SessionLock {
    SessionLock::parse(
        json!({"session_id": "s", "started_at": "2026-11-29T00:00:00.000Z", "mode": "deep",
               "host": "h", "pid": 1, "ttl_hours": 4, "last_heartbeat": heartbeat})
        .to_string()
        .as_bytes(),
    )
    .unwrap()
}

fn entry(id: &str, heartbeat: &str) -> RegistryEntry {
    RegistryEntry {
        session_id: id.to_owned(),
        semantic_session_id: None,
        last_heartbeat: heartbeat.to_owned(),
        mode: Some("feature".to_owned()),
        branch: Some(format!("branch-{id}")),
        host_class: None,
        repo_path_hash: String::new(),
    }
}

#[test]
fn the_first_row_of_the_status_table_that_applies_wins() {
    let live = Some(lease("2026-11-30T06:30:00.000Z"));
    let dead = Some(lease("2026-11-30T02:30:00.000Z"));
    let fresh = || vec![entry("e", "2026-11-30T06:50:00.000Z")];
    for (lock, entries, prior, explicit, expected) in [
        (
            live.clone(),
            fresh(),
            Some(Status::Closed),
            Some(Status::Closed),
            Status::Closed,
        ),
        (None, vec![], None, Some(Status::Closed), Status::Closed),
        (
            live.clone(),
            vec![],
            Some(Status::Closed),
            None,
            Status::InProgress,
        ),
        (
            dead.clone(),
            fresh(),
            Some(Status::Closed),
            None,
            Status::ForceClosed,
        ),
        (None, fresh(), Some(Status::Closed), None, Status::Closed),
        (
            None,
            fresh(),
            Some(Status::ForceClosed),
            None,
            Status::ForceClosed,
        ),
        (
            None,
            fresh(),
            Some(Status::InProgress),
            None,
            Status::Closed,
        ),
        (None, fresh(), Some(Status::Frei), None, Status::InProgress),
        (None, fresh(), None, None, Status::InProgress),
        (None, fresh(), None, None, Status::InProgress),
        (None, vec![], None, None, Status::Frei),
        (None, vec![], Some(Status::Frei), None, Status::Frei),
        (None, vec![], None, None, Status::Frei),
        // Beyond the peer, which knows no other explicit status than `closed`.
        (
            None,
            vec![],
            Some(Status::Closed),
            Some(Status::InProgress),
            Status::InProgress,
        ),
        (live, vec![], None, Some(Status::Frei), Status::Frei),
    ] {
        let sources = Sources {
            lock,
            entries,
            ..Sources::default()
        };
        let derived = derive(&sources, prior, explicit, now());
        assert_eq!(
            derived.status, expected,
            "prior {prior:?}, explicit {explicit:?}, {sources:?}"
        );
    }
}

#[test]
fn a_running_session_is_not_hidden_by_the_leftover_of_another() {
    let sources = Sources {
        entries: vec![
            entry("a", "2026-11-30T01:00:00.000Z"),
            entry("c", "unreadable"),
            entry("b", "2026-11-30T06:59:00.000Z"),
        ],
        ..Sources::default()
    };
    let derived = derive(&sources, None, None, now());
    assert_eq!(derived.status, Status::InProgress);
    assert_eq!(derived.session.as_deref(), Some("b"));
}

#[test]
fn the_branch_is_that_of_the_lease_s_own_session() {
    let sources = Sources {
        lock: Some(lease("2026-11-30T06:30:00.000Z")),
        entries: vec![
            entry("other", "2026-11-30T06:59:00.000Z"),
            entry("s", "2026-11-30T01:00:00.000Z"),
        ],
        branch: Some("from-head".to_owned()),
        ..Sources::default()
    };
    let branch = |sources: &Sources| derive(sources, None, None, now()).branch;
    assert_eq!(branch(&sources).as_deref(), Some("branch-s"));
    let without_entries = Sources {
        entries: vec![],
        ..sources
    };
    assert_eq!(branch(&without_entries).as_deref(), Some("from-head"));
}

#[test]
fn a_free_repository_shows_no_branch() {
    let sources = Sources {
        branch: Some("main".to_owned()),
        ..Sources::default()
    };
    assert_eq!(derive(&sources, None, None, now()).branch, None);
    assert_eq!(
        derive(&sources, None, Some(Status::Closed), now())
            .branch
            .as_deref(),
        Some("main")
    );
}

#[test]
fn what_the_caller_says_beats_what_was_derived() {
    let derived = Derived {
        status: Status::Frei,
        session: Some("a".into()),
        branch: Some("b".into()),
        mode: None,
        heartbeat: None,
    };
    let explicit = Explicit {
        status: Some(Status::Closed),
        session: Some("x".into()),
        heartbeat: Some(NOW.into()),
        ..Explicit::default()
    };
    assert_eq!(
        derived.overridden(&explicit),
        Derived {
            status: Status::Closed,
            session: Some("x".into()),
            branch: Some("b".into()),
            mode: None,
            heartbeat: Some(NOW.into()),
        }
    );
}

#[test]
fn a_time_that_is_far_ahead_proves_no_life() {
    for (time, is_alive) in [
        ("2026-11-30T07:05:00.000Z", true),
        ("2026-11-30T07:05:00.001Z", false),
        ("2031-11-30T07:00:00.000Z", false),
    ] {
        let now = Timestamp::parse("2026-11-30T07:00:00.000Z").unwrap();
        assert_eq!(lease(time).is_live(now), is_alive, "{time}");
        assert_eq!(entry("e", time).is_fresh(now), is_alive, "{time}");
    }
}

#[test]
fn empty_texts_mean_what_they_mean_to_the_peer() {
    let now = Timestamp::parse("2026-11-30T07:00:00.000Z").unwrap();
    let mut lock = lease("2026-11-30T06:30:00.000Z");
    lock.mode = String::new();
    lock.semantic_session_id = Some(String::new());
    let sources = Sources {
        lock: Some(lock),
        entries: vec![entry("e", "2026-11-30T06:50:00.000Z")],
        ..Sources::default()
    };
    let derived = derive(&sources, None, None, now);
    assert_eq!(derived.mode.as_deref(), Some("feature"), "the registry's");
    assert_eq!(derived.session, None, "shown as `—`");
}

#[test]
fn an_entry_whose_role_is_no_text_is_none() {
    let entry = |role| {
        let entry = json!({"session_id": "s", "started_at": "x", "last_heartbeat": "x",
                           "repo_path_hash": "h", "role": role});
        RegistryEntry::parse(entry.to_string().as_bytes())
    };
    assert!(entry(json!(null)).is_some());
    assert!(entry(json!("peer")).is_some());
    assert!(entry(json!(5)).is_none());
}
