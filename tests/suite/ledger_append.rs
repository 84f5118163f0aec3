//! The ledger's lines are the peer's, and go nowhere but into the repository.

use boardsync::Timestamp;
use boardsync::internals::ledger::{LEDGER, LedgerEntry, LockNote, append};
use std::fs;

const LOCK: LockNote<'_> = LockNote {
    locked: true,
    reason: None,
    stale_override: None,
    waited_ms: 3,
    release: None,
};

fn entry() -> LedgerEntry<'static> {
    LedgerEntry {
        now: Timestamp::parse("2026-11-30T07:02:13.130Z").unwrap(),
        action: "written",
        caller: "mirrorBoard",
        path_tail: Some("_active-sessions.md"),
        rows: Some(1),
        repos_swept: None,
        duration_ms: 34,
        lock: Some(LOCK),
        session_id: Some("sid"),
        semantic_session_id: Some("sem"),
    }
}

/// The head and the tail that all lines share.
fn line(middle: &str) -> String {
    format!(
        "{{\"timestamp\":\"2026-11-30T07:02:13.130Z\",\
         \"event\":\"orchestrator.vault.board_written\",{middle},\"schema_version\":1}}\n"
    )
}

fn appended(entry: &LedgerEntry<'_>) -> String {
    let repo = tempfile::tempdir().unwrap();
    append(repo.path(), entry).unwrap();
    fs::read_to_string(repo.path().join(LEDGER)).unwrap()
}

// Each expectation is a line of session-orchestrator 5.3.0 with other figures.
#[test]
fn every_line_has_the_peer_s_fields_in_the_peer_s_order() {
    assert_eq!(
        appended(&entry()),
        line(
            r#""action":"written","caller":"mirrorBoard","path_tail":"_active-sessions.md","rows":1,"duration_ms":34,"lock":{"locked":true,"waited_ms":3},"session_id":"sid","semantic_session_id":"sem""#
        )
    );
    let timeout = LedgerEntry {
        action: "skipped-noop",
        lock: Some(LockNote {
            locked: false,
            reason: Some("timeout"),
            waited_ms: 5014,
            ..LOCK
        }),
        session_id: None,
        semantic_session_id: None,
        ..entry()
    };
    assert_eq!(
        appended(&timeout),
        line(
            r#""action":"skipped-noop","caller":"mirrorBoard","path_tail":"_active-sessions.md","rows":1,"duration_ms":34,"lock":{"locked":false,"reason":"timeout","waited_ms":5014}"#
        )
    );
    let stale = LedgerEntry {
        lock: Some(LockNote {
            stale_override: Some("mtime age 90002ms > 60000ms"),
            ..LOCK
        }),
        repos_swept: Some(11),
        caller: "sweepBoard",
        session_id: None,
        semantic_session_id: None,
        ..entry()
    };
    assert_eq!(
        appended(&stale),
        line(
            r#""action":"written","caller":"sweepBoard","path_tail":"_active-sessions.md","rows":1,"repos_swept":11,"duration_ms":34,"lock":{"locked":true,"stale_override":"mtime age 90002ms > 60000ms","waited_ms":3}"#
        )
    );
    // The peer's `release` stands last: `busy`, `not-found` or `not-owner`.
    let not_released = LedgerEntry {
        lock: Some(LockNote {
            release: Some("busy"),
            ..LOCK
        }),
        session_id: None,
        semantic_session_id: None,
        ..entry()
    };
    assert_eq!(
        appended(&not_released),
        line(
            r#""action":"written","caller":"mirrorBoard","path_tail":"_active-sessions.md","rows":1,"duration_ms":34,"lock":{"locked":true,"waited_ms":3,"release":"busy"}"#
        )
    );
    let disabled = LedgerEntry {
        action: "skipped-vault-disabled",
        path_tail: None,
        rows: None,
        lock: None,
        semantic_session_id: None,
        ..entry()
    };
    assert_eq!(
        appended(&disabled),
        line(
            r#""action":"skipped-vault-disabled","caller":"mirrorBoard","duration_ms":34,"session_id":"sid""#
        )
    );
}

#[test]
fn no_absolute_path_gets_in() {
    for path in [
        "/home/me/vault/01-projects/b.md",
        r"C:\Users\me\vault\b.md",
        "b.md",
    ] {
        let line = appended(&LedgerEntry {
            path_tail: Some(path),
            ..entry()
        });
        assert!(line.contains(r#""path_tail":"b.md""#), "{line}");
        assert!(
            !line.contains("vault\\") && !line.contains("me/vault"),
            "{line}"
        );
    }
}

#[test]
fn a_cell_with_a_line_break_stays_in_its_line() {
    let line = appended(&LedgerEntry {
        session_id: Some("a\nb\u{2028}\"c"),
        ..entry()
    });
    assert_eq!(line.matches('\n').count(), 1, "{line:?}");
}

#[test]
fn lines_of_many_writers_do_not_mix() {
    let repo = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    append(repo.path(), &entry()).unwrap();
                }
            });
        }
    });
    let text = fs::read_to_string(repo.path().join(LEDGER)).unwrap();
    assert_eq!(text.lines().count(), 400);
    assert!(
        text.lines()
            .all(|line| format!("{line}\n") == appended(&entry()))
    );
}

#[test]
fn a_repository_that_is_gone_is_not_made_anew() {
    let root = tempfile::tempdir().unwrap();
    let gone = root.path().join("gone");
    append(&gone, &entry()).unwrap();
    assert!(!gone.exists());
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    append(&file, &entry()).unwrap();
    assert!(fs::read(&file).unwrap().is_empty());
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_symlink_out_of_the_repository() {
    use std::os::unix::fs::symlink;
    for link in [".orchestrator", ".orchestrator/metrics", LEDGER] {
        let (repo, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = repo.path().join(link);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        let target = if link == LEDGER {
            fs::write(outside.path().join("f"), "").unwrap();
            outside.path().join("f")
        } else {
            outside.path().to_path_buf()
        };
        symlink(&target, &at).unwrap();
        append(repo.path(), &entry()).unwrap_err();
        assert_eq!(bytes_below(outside.path()), 0, "{link}");
    }
}

#[cfg(unix)]
fn bytes_below(folder: &std::path::Path) -> u64 {
    fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| {
            let meta = entry.metadata().unwrap();
            // A folder that was made there is as bad as a byte.
            if meta.is_dir() { 1 } else { meta.len() }
        })
        .sum()
}

#[cfg(unix)]
#[test]
fn a_fifo_in_the_place_of_the_ledger_is_refused_with_or_without_a_reader() {
    let repo = tempfile::tempdir().unwrap();
    let ledger = repo.path().join(LEDGER);
    fs::create_dir_all(ledger.parent().unwrap()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&ledger).status();
    assert!(made.unwrap().success());
    append(repo.path(), &entry()).unwrap_err();
    // Opened for both, a FIFO waits for nobody.
    let _reader = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&ledger)
        .unwrap();
    let error = append(repo.path(), &entry()).unwrap_err().to_string();
    assert!(
        error.contains("is not a regular file; remove it"),
        "{error}"
    );
}
