//! The table of verdicts (docs/protocol.md), row by row.

use super::*;
use crate::Timestamp;

const STALENESS: i64 = 60_000;

fn me() -> Host {
    Host::named("Studio.local", Some("this-boot"))
}

/// Two files of which one is the gate; their identities are all that counts.
fn gates() -> (FileId, FileId) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let id = |name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, "").expect("written");
        FileId::of(&path.metadata().expect("is there")).expect("this platform has identities")
    };
    (id("gate"), id("other"))
}

fn boardsync(host: &str, boot: &str, gate: Option<FileId>) -> LockContent {
    let mut record = Record::of_this_process(&me(), Timestamp::from_millis(0), "t".into());
    record.pid = 4242;
    record.host = host.into();
    record.host_id = Some(super::super::host::normalise(host));
    record.boot_id = Some(boot.into());
    record.gate = gate.map(|gate| gate.to_string());
    LockContent::Record(record)
}

fn peer(host: &str) -> LockContent {
    LockContent::Record(Record {
        pid: 4242,
        host: host.into(),
        ..Record::default()
    })
}

fn folder(host: &str, running: bool) -> LockContent {
    let owner = Record {
        pid: 4242,
        host: host.into(),
        ..Record::default()
    };
    LockContent::Folder {
        owner: Some(owner),
        running,
    }
}

fn stale(age_ms: i64) -> Verdict {
    Verdict::TakeOver(Reason::Stale {
        age_ms,
        staleness_ms: STALENESS,
    })
}

#[test]
fn each_record_is_judged_by_the_promise_its_writer_made() {
    let (gate, other) = gates();
    let dead = Verdict::TakeOver(Reason::Dead(4242));
    let torn = Verdict::TakeOver(Reason::Unparseable);
    let future = Verdict::TakeOver(Reason::Future {
        ahead_ms: 60_001,
        staleness_ms: STALENESS,
    });
    let (held, abandoned) = (Verdict::Held, Verdict::Abandoned);
    let no_owner = LockContent::Folder {
        owner: None,
        running: false,
    };
    let g = Some(gate);
    let rows = [
        (
            "our gate, this boot",
            boardsync("studio", "this-boot", g),
            g,
            0,
            dead.clone(),
        ),
        (
            "our gate, host renamed",
            boardsync("renamed", "this-boot", g),
            g,
            0,
            dead.clone(),
        ),
        (
            "our gate, but not held by us",
            boardsync("studio", "this-boot", g),
            None,
            0,
            held.clone(),
        ),
        (
            "a gate that is not ours",
            boardsync("studio", "this-boot", Some(other)),
            g,
            0,
            held.clone(),
        ),
        (
            "written without the gate",
            boardsync("studio", "this-boot", None),
            g,
            0,
            held.clone(),
        ),
        (
            "our gate's number, another boot",
            boardsync("studio", "old", g),
            g,
            0,
            held.clone(),
        ),
        (
            "this host, another boot, old",
            boardsync("studio", "old", None),
            g,
            60_001,
            stale(60_001),
        ),
        (
            "this boot, renamed host, old",
            boardsync("x", "this-boot", None),
            g,
            60_001,
            stale(60_001),
        ),
        (
            "a peer of this host",
            peer("studio.lan"),
            g,
            60_000,
            held.clone(),
        ),
        (
            "a peer of this host, stale",
            peer("studio.lan"),
            g,
            60_001,
            stale(60_001),
        ),
        (
            "stale, though the gate is hung",
            peer("studio"),
            None,
            60_001,
            stale(60_001),
        ),
        ("a little ahead", peer("studio"), g, -60_000, held.clone()),
        ("far ahead", peer("studio"), g, -60_001, future),
        (
            "another host",
            boardsync("laptop", "its-boot", None),
            g,
            60_000,
            held.clone(),
        ),
        (
            "another host, its gate alike",
            boardsync("laptop", "its-boot", g),
            g,
            0,
            held.clone(),
        ),
        (
            "another host, long ago",
            peer("laptop"),
            g,
            60_001,
            abandoned.clone(),
        ),
        (
            "another host, years ago",
            peer("laptop"),
            g,
            i64::MAX,
            abandoned.clone(),
        ),
        (
            "another host, ahead",
            peer("laptop"),
            g,
            i64::MIN + 1,
            abandoned.clone(),
        ),
        (
            "another host, a little ahead",
            peer("laptop"),
            g,
            -60_000,
            held.clone(),
        ),
        (
            "unreadable, fresh",
            LockContent::Unreadable,
            g,
            0,
            held.clone(),
        ),
        (
            "unreadable, old",
            LockContent::Unreadable,
            g,
            60_001,
            abandoned.clone(),
        ),
        (
            "incomplete, fresh",
            LockContent::Incomplete,
            g,
            2_000,
            held.clone(),
        ),
        (
            "incomplete, older than the grace",
            LockContent::Incomplete,
            g,
            2_001,
            torn.clone(),
        ),
        (
            "incomplete, from the future",
            LockContent::Incomplete,
            g,
            -2_001,
            torn.clone(),
        ),
        (
            "a folder, its owner runs",
            folder("", true),
            g,
            999_999,
            held.clone(),
        ),
        (
            "a folder, its owner is gone",
            folder("studio", false),
            g,
            0,
            dead,
        ),
        (
            "a folder of another host",
            folder("laptop", false),
            g,
            0,
            held.clone(),
        ),
        (
            "a folder of another host, old",
            folder("laptop", false),
            g,
            60_001,
            abandoned,
        ),
        (
            "a folder without owner, fresh",
            no_owner.clone(),
            g,
            2_000,
            held,
        ),
        ("a folder without owner, old", no_owner, g, 2_001, torn),
        (
            "something precious",
            LockContent::NotALock(Unrelated::File),
            g,
            99_999,
            Verdict::NotALock(Unrelated::File),
        ),
        (
            "a link",
            LockContent::NotALock(Unrelated::Special(FileKind::Symlink)),
            g,
            0,
            Verdict::NotALock(Unrelated::Special(FileKind::Symlink)),
        ),
        (
            "a FIFO",
            LockContent::NotALock(Unrelated::Special(FileKind::Special)),
            g,
            99_999,
            Verdict::NotALock(Unrelated::Special(FileKind::Special)),
        ),
    ];
    for (name, seen, gate, age_ms, verdict) in rows {
        let facts = Facts {
            host: &me(),
            gate,
            busy_gate: None,
            age_ms,
            unchanged: Duration::ZERO,
            staleness_ms: STALENESS,
        };
        assert_eq!(judge(&seen, &facts), verdict, "{name}");
    }
}

#[test]
fn the_age_of_a_holder_that_has_its_gate_is_believed_once_it_stands_still() {
    let (gate, other) = gates();
    let ours = |gate| boardsync("studio", "this-boot", gate);
    let future = Verdict::TakeOver(Reason::Future {
        ahead_ms: 7_200_000,
        staleness_ms: STALENESS,
    });
    let just = Duration::from_millis(1_999);
    for (name, content, busy_gate, age_ms, unchanged, verdict) in [
        (
            "old, moves",
            ours(Some(gate)),
            Some(gate),
            7_200_000,
            just,
            Verdict::Held,
        ),
        (
            "ahead, moves",
            ours(Some(gate)),
            Some(gate),
            -7_200_000,
            just,
            Verdict::Held,
        ),
        (
            "old, stands still",
            ours(Some(gate)),
            Some(gate),
            7_200_000,
            WATCHED,
            stale(7_200_000),
        ),
        (
            "ahead, stands still",
            ours(Some(gate)),
            Some(gate),
            -7_200_000,
            WATCHED,
            future,
        ),
        (
            "another gate",
            ours(Some(other)),
            Some(gate),
            7_200_000,
            just,
            stale(7_200_000),
        ),
        (
            "no gate",
            ours(None),
            Some(gate),
            7_200_000,
            just,
            stale(7_200_000),
        ),
        (
            "the gate is free",
            ours(Some(gate)),
            None,
            7_200_000,
            just,
            stale(7_200_000),
        ),
        (
            "a peer",
            peer("studio"),
            Some(gate),
            7_200_000,
            just,
            stale(7_200_000),
        ),
    ] {
        let facts = Facts {
            host: &me(),
            gate: None,
            busy_gate,
            age_ms,
            unchanged,
            staleness_ms: STALENESS,
        };
        assert_eq!(judge(&content, &facts), verdict, "{name}");
    }
}

#[test]
fn a_guard_is_removed_by_a_gate_holder_only_and_a_foreign_one_never() {
    let (gate, other) = gates();
    let g = Some(gate);
    let ours = |gate| boardsync("studio", "this-boot", gate);
    let dead = Verdict::TakeOver(Reason::Dead(4242));
    let torn = Verdict::TakeOver(Reason::Unparseable);
    let (held, abandoned) = (Verdict::Held, Verdict::Abandoned);
    let link = Unrelated::Special(FileKind::Symlink);
    let a_folder = Verdict::NotALock(Unrelated::Special(FileKind::Folder));
    let rows = [
        ("written under our gate", ours(g), g, 0, true, &dead),
        ("the same, without the gate", ours(g), None, 0, false, &held),
        (
            "under another gate, runs",
            ours(Some(other)),
            g,
            9_999,
            true,
            &held,
        ),
        ("a peer that died", peer("studio"), g, 2_001, false, &dead),
        (
            "a peer that died just now",
            peer("studio"),
            g,
            2_000,
            false,
            &held,
        ),
        ("a peer that runs", peer("studio"), g, 60_000, true, &held),
        (
            "a peer that hangs",
            peer("studio"),
            g,
            60_001,
            true,
            &abandoned,
        ),
        ("a foreign one", peer("laptop"), g, 60_000, false, &held),
        (
            "a foreign one, old",
            peer("laptop"),
            g,
            99_999_999,
            false,
            &abandoned,
        ),
        (
            "torn by a power cut",
            LockContent::Incomplete,
            g,
            2_001,
            false,
            &torn,
        ),
        (
            "torn, without the gate",
            LockContent::Incomplete,
            None,
            2_001,
            false,
            &held,
        ),
        (
            "torn, fresh",
            LockContent::Incomplete,
            g,
            2_000,
            false,
            &held,
        ),
        (
            "a folder",
            folder("studio", false),
            g,
            99_999,
            false,
            &a_folder,
        ),
        (
            "a link",
            LockContent::NotALock(link),
            g,
            0,
            false,
            &Verdict::NotALock(link),
        ),
    ];
    for (name, seen, gate, age_ms, running, verdict) in rows {
        let facts = Facts {
            host: &me(),
            gate,
            busy_gate: None,
            age_ms,
            unchanged: Duration::ZERO,
            staleness_ms: STALENESS,
        };
        assert_eq!(judge_guard(&seen, &facts, |_| running), *verdict, "{name}");
    }
}

#[test]
fn a_reason_reads_as_the_outcome_shows_it() {
    let shown = [
        (Reason::Dead(7), "dead holder pid 7"),
        (
            Reason::Stale {
                age_ms: 61_234,
                staleness_ms: 60_000,
            },
            "mtime age 61234ms > 60000ms",
        ),
        (Reason::Unparseable, "unparseable record"),
    ];
    for (reason, text) in shown {
        assert_eq!(reason.to_string(), text);
    }
}
