//! Broken files neither stop nor hang an update, and each is told of.

use boardsync::internals::session::{Registry, Repo, SESSION_LOCK, Sources};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn repo() -> (TempDir, Repo, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let repo = Repo::at(Path::new("app"), root.path());
    let lock = repo.path.join(SESSION_LOCK);
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    (root, repo, lock)
}

fn valid() -> Value {
    json!({"session_id": "s", "started_at": "2026-11-30T05:00:00.000Z", "mode": "deep",
           "pid": 1, "host": "h", "ttl_hours": 4})
}

fn assert_absent_with_warning(repo: &Repo, what: &str) -> String {
    let sources = Sources::read(repo, None);
    assert_eq!(sources.lock, None, "{what}");
    assert_eq!(sources.warnings.len(), 1, "{what}: {:?}", sources.warnings);
    let warning = sources.warnings[0].clone();
    assert!(warning.contains("session.lock"), "{what}: {warning}");
    assert!(!warning.contains('\n'), "{what}: {warning}");
    warning
}

#[test]
fn a_broken_session_lock_counts_as_absent_and_says_so() {
    let (_root, repo, lock) = repo();
    let mut bad = vec![
        ("empty", Vec::new()),
        ("truncated", b"{\"session_id\":\"x\"".to_vec()),
        ("an array", b"[1]".to_vec()),
        ("null", b"null".to_vec()),
        ("not UTF-8", vec![0xff, 0xfe, b'{', b'}']),
        ("trailing junk", format!("{}x", valid()).into_bytes()),
        ("deep", "[".repeat(60_000).into_bytes()),
        ("10 MB", vec![b' '; 10_000_000]),
    ];
    for key in [
        "session_id",
        "started_at",
        "mode",
        "pid",
        "host",
        "ttl_hours",
    ] {
        let mut fields = valid();
        fields[key] = json!([]);
        bad.push((key, fields.to_string().into_bytes()));
        fields.as_object_mut().unwrap().remove(key);
        bad.push((key, fields.to_string().into_bytes()));
    }
    for (what, bytes) in bad {
        fs::write(&lock, bytes).unwrap();
        assert_absent_with_warning(&repo, what);
    }
    fs::write(&lock, valid().to_string()).unwrap();
    let sources = Sources::read(&repo, None);
    assert!(sources.lock.is_some() && sources.warnings.is_empty());
}

#[test]
fn optional_fields_of_another_type_count_as_absent() {
    let (_root, repo, lock) = repo();
    for odd in [json!(5), json!(null), json!(""), json!(" "), json!({})] {
        let mut fields = valid();
        fields["last_heartbeat"] = odd.clone();
        // Of text, even an empty one is what the board shows.
        fields["semantic_session_id"] = if odd.is_string() { json!(null) } else { odd };
        fs::write(&lock, fields.to_string()).unwrap();
        let lock = Sources::read(&repo, None).lock.unwrap();
        assert_eq!(lock.shown_session(), "s");
        assert_eq!(lock.heartbeat(), "2026-11-30T05:00:00.000Z");
    }
}

#[test]
fn a_folder_in_the_place_of_the_session_lock_is_told_of() {
    let (_root, repo, lock) = repo();
    fs::create_dir(&lock).unwrap();
    assert_absent_with_warning(&repo, "a folder");
}

#[cfg(unix)]
#[test]
fn a_fifo_or_a_socket_is_not_waited_for() {
    let (_root, repo, lock) = repo();
    make_fifo(&lock);
    let warning = assert_absent_with_warning(&repo, "a FIFO");
    assert!(warning.contains("is not a regular file"), "{warning}");
    fs::remove_file(&lock).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(&lock).unwrap();
    assert_absent_with_warning(&repo, "a socket");
    fs::remove_file(&lock).unwrap();
    make_fifo(&repo.path.join(".git"));
    assert_eq!(Sources::read(&repo, None).branch, None);
}

#[cfg(unix)]
fn make_fifo(path: &Path) {
    let status = std::process::Command::new("mkfifo").arg(path).status();
    assert!(status.unwrap().success());
}

#[test]
fn a_repository_that_does_not_exist_has_nothing_to_say() {
    let root = tempfile::tempdir().unwrap();
    let repo = Repo::at(Path::new("gone"), root.path());
    let registry = Registry::at(&root.path().join("nowhere"));
    assert_eq!(Sources::read(&repo, Some(&registry)), Sources::default());
}

fn entry(repo: &Repo, id: &str) -> Value {
    json!({"session_id": id, "repo_path_hash": repo.hash, "branch": id, "mode": null,
           "started_at": "2026-11-30T05:00:00.000Z", "last_heartbeat": "2026-11-30T06:50:00.000Z"})
}

#[test]
fn the_right_entry_is_found_among_10_000_and_garbage() {
    let (root, repo, _) = repo();
    let active = root.path().join("active");
    fs::create_dir(&active).unwrap();
    for n in 0..10_000 {
        let other = Repo::at(Path::new(&format!("other-{n}")), root.path());
        let text = entry(&other, &format!("n{n}")).to_string();
        fs::write(active.join(format!("n{n}.json")), text).unwrap();
    }
    for (name, bytes) in [
        ("empty.json", Vec::new()),
        (
            "half.json",
            format!("{{\"x\": \"{}\"", repo.hash).into_bytes(),
        ),
        ("array.json", format!("[\"{}\"]", repo.hash).into_bytes()),
        (
            "elsewhere.json",
            json!({"note": repo.hash}).to_string().into_bytes(),
        ),
        ("mine.txt", entry(&repo, "txt").to_string().into_bytes()),
        ("binary.json", vec![0xff; 9000]),
        ("huge.json", vec![b' '; 10_000_000]),
        ("mine.json", entry(&repo, "mine").to_string().into_bytes()),
    ] {
        fs::write(active.join(name), bytes).unwrap();
    }
    let mut noted = entry(&Repo::at(Path::new("other"), root.path()), "noted");
    noted["note"] = json!(repo.hash);
    fs::write(active.join("noted.json"), noted.to_string()).unwrap();
    let mut long = entry(&repo, "long");
    long["note"] = json!("x".repeat(20_000));
    // Sorted keys put the hash behind the note: beyond what the first read takes.
    fs::write(active.join("long.json"), long.to_string()).unwrap();
    fs::create_dir(active.join("folder.json")).unwrap();
    #[cfg(unix)]
    make_fifo(&active.join("fifo.json"));

    for registry in [Registry::at(root.path()), Registry::indexed(root.path())] {
        let mut found: Vec<String> = registry
            .entries_of(&repo, None)
            .into_iter()
            .map(|entry| entry.session_id)
            .collect();
        found.sort();
        assert_eq!(found, ["long", "mine"]);
    }
    let own = Registry::at(root.path()).entries_of(&repo, Some("mine"));
    assert_eq!(own.len(), 1, "a known session is read by its name");
    let elsewhere = Registry::at(root.path()).entries_of(&repo, Some("noted"));
    assert_eq!(
        elsewhere.len(),
        2,
        "its name alone makes it not this repository's"
    );
}

#[test]
fn an_entry_s_mode_and_strings_are_checked_as_the_peer_checks_them() {
    let (root, repo, _) = repo();
    let active = root.path().join("active");
    fs::create_dir(&active).unwrap();
    for (key, value, is_valid) in [
        ("mode", json!("x"), true),
        ("mode", json!(3), false),
        ("branch", json!(3), true),
        ("semantic_session_id", json!(3), true),
        ("session_id", json!(3), false),
        ("started_at", json!(null), false),
        ("last_heartbeat", json!(null), false),
        ("repo_path_hash", json!(repo.hash.to_uppercase()), false),
    ] {
        let mut fields = entry(&repo, "e");
        fields[key] = value.clone();
        fs::write(active.join("e.json"), fields.to_string()).unwrap();
        let found = Registry::at(root.path()).entries_of(&repo, None);
        assert_eq!(found.len(), usize::from(is_valid), "{key}: {value}");
    }
}

#[test]
fn a_session_id_is_never_taken_for_a_path() {
    let (root, repo, _) = repo();
    fs::create_dir(root.path().join("active")).unwrap();
    let text = entry(&repo, "../stray").to_string();
    fs::write(root.path().join("stray.json"), text).unwrap();
    let found = Registry::at(root.path()).entries_of(&repo, Some("../stray"));
    assert!(found.is_empty());
}
