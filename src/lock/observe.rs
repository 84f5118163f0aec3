//! What lies at the name of a lock or a guard.

use super::files::is_in_vault;
use super::record::Record;
use crate::disk::{self, Entry, FileId, FileKind, Links, ReadError, is_running, read_small};
use serde_json::Value;
use std::fmt;
use std::io::{self, ErrorKind};
use std::time::SystemTime;

/// Bounds what is read of any record, in bytes.
pub const MAX_BYTES: u64 = 64 * 1024;

/// The content seen at a name, and its time.
#[derive(Debug, PartialEq, Eq)]
pub struct Observed {
    /// What it is.
    pub content: LockContent,
    /// Its modification time, by the file system's clock.
    pub modified: SystemTime,
    /// What was read, to know it again.
    bytes: Vec<u8>,
    id: Option<FileId>,
}

/// The kinds of content at the name of a lock or a guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockContent {
    /// A complete record.
    Record(Record),
    /// Something empty, truncated, not JSON, without pid or host, or oversized.
    Incomplete,
    /// A file that this user may not read.
    Unreadable,
    /// A folder, the legacy layout; its owner, and whether that pid runs.
    Folder {
        /// The record in `owner.json`, if it is valid.
        owner: Option<Record>,
        /// Whether the owner's pid runs here.
        running: bool,
    },
    /// Something that nobody locks with.
    NotALock(Unrelated),
}

/// Something that is not a lock, where one was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrelated {
    /// A symlink, FIFO, socket or device.
    Special(FileKind),
    /// A file that holds something else.
    File,
    /// A folder that holds something else.
    Folder,
}

impl fmt::Display for Unrelated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Special(kind) => kind.fmt(f),
            Self::File => f.write_str("a file that holds something else"),
            Self::Folder => f.write_str("a folder that holds something else"),
        }
    }
}

impl Observed {
    /// Returns whether `other` is the very same thing, a heartbeat aside.
    pub fn is_same(&self, other: &Self) -> bool {
        self.content == other.content && self.bytes == other.bytes && self.id == other.id
    }

    /// Returns the holder's record, whichever way it was written.
    pub fn record(&self) -> Option<&Record> {
        match &self.content {
            LockContent::Record(record) => Some(record),
            LockContent::Folder { owner, .. } => owner.as_ref(),
            LockContent::Incomplete | LockContent::Unreadable | LockContent::NotALock(_) => None,
        }
    }
}

/// Looks at what lies at `entry`; `None` if nothing does.
pub fn observe(entry: &Entry) -> io::Result<Option<Observed>> {
    let unless_in_vault = |unrelated| match is_in_vault(&entry.path()) {
        true => LockContent::Incomplete,
        false => LockContent::NotALock(unrelated),
    };
    let observed = |content, modified| Observed {
        content,
        modified,
        bytes: Vec::new(),
        id: None,
    };
    Ok(Some(match read_small(entry, MAX_BYTES, Links::Refuse) {
        Ok(None) => return Ok(None),
        Ok(Some(contents)) => Observed {
            content: match Record::parse(&contents.bytes) {
                Some(record) => LockContent::Record(record),
                None if is_torn(&contents.bytes) => LockContent::Incomplete,
                None => unless_in_vault(Unrelated::File),
            },
            modified: contents.modified(),
            id: FileId::of(&contents.meta),
            bytes: contents.bytes,
        },
        Err(ReadError::TooLarge { modified, .. }) => {
            observed(unless_in_vault(Unrelated::File), modified)
        }
        Err(ReadError::NotRegular {
            kind: FileKind::Folder,
            modified,
        }) => observed(look_into_folder(entry), modified),
        Err(ReadError::NotRegular { kind, modified }) => {
            observed(LockContent::NotALock(Unrelated::Special(kind)), modified)
        }
        Err(ReadError::Io(error)) if error.kind() == ErrorKind::PermissionDenied => {
            observed(LockContent::Unreadable, disk::status(entry)?.modified)
        }
        Err(ReadError::Io(error)) => return Err(error),
    }))
}

/// Reads the owner of a legacy lock; one without a host is of this host.
fn look_into_folder(entry: &Entry) -> LockContent {
    let path = entry.path();
    let folder = entry
        .in_folder()
        .beneath(path.file_name().unwrap_or_default());
    let owner = folder.as_ref().ok().and_then(|folder| {
        let contents = read_small(&folder.entry("owner.json"), MAX_BYTES, Links::Refuse).ok()??;
        parse_owner(&contents.bytes)
    });
    let running = owner.as_ref().is_some_and(|owner| is_running(owner.pid));
    let is_other = |name: &str| !name.starts_with("owner.json");
    let has_others = || folder.and_then(|folder| folder.list(1, is_other));
    if owner.is_none() && !is_in_vault(&path) && has_others().is_ok_and(|others| !others.is_empty())
    {
        return LockContent::NotALock(Unrelated::Folder);
    }
    LockContent::Folder { owner, running }
}

/// Returns whether these may be the first bytes of a record.
fn is_torn(bytes: &[u8]) -> bool {
    let end = serde_json::from_slice::<Value>(bytes).err();
    // A power cut leaves NULs.
    bytes.iter().all(|byte| *byte == 0)
        || bytes[0] == b'{' && end.is_some_and(|error| error.is_eof())
}

/// Reads the owner of a legacy lock, whose host may be missing; `None` without a number that a process can have.
fn parse_owner(bytes: &[u8]) -> Option<Record> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let pid = value.get("pid").and_then(Value::as_i64)?;
    let record = Record::parse(bytes).unwrap_or_else(|| Record {
        pid,
        ..Record::default()
    });
    (pid > 0).then_some(record)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn content(path: &std::path::Path) -> LockContent {
        observe(&Entry::at(path).unwrap()).unwrap().unwrap().content
    }

    fn seen(name: &str, bytes: &[u8]) -> LockContent {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        content(&path)
    }

    #[test]
    fn the_same_is_what_has_the_same_text_in_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let see = |name: &str| {
            let path = folder.path().join(name);
            observe(&Entry::at(&path).unwrap()).unwrap().unwrap()
        };
        std::fs::write(folder.path().join("a"), "{").unwrap();
        std::fs::write(folder.path().join("b"), "{").unwrap();
        let first = see("a");
        assert!(first.is_same(&see("a")));
        assert!(!first.is_same(&see("b")), "another file");
        std::fs::write(folder.path().join("a"), "{ ").unwrap();
        assert!(!first.is_same(&see("a")), "another text");
        std::fs::write(folder.path().join("a"), r#"{"pid": 1, "host": "a"}"#).unwrap();
        assert!(!first.is_same(&see("a")), "another record");
    }

    #[test]
    fn what_has_another_name_and_is_no_record_is_not_taken_for_a_torn_one() {
        let other = LockContent::NotALock(Unrelated::File);
        let long = [b' '; MAX_BYTES as usize + 1];
        for (bytes, elsewhere) in [
            (&b""[..], &LockContent::Incomplete),
            (b"\0\0\0", &LockContent::Incomplete),
            (b"{", &LockContent::Incomplete),
            (b"{\n  \"pid\": 7,\n  \"ho", &LockContent::Incomplete),
            (b"{\"pid\": 7}", &other),
            (b"{ not JSON }", &other),
            (b"precious", &other),
            (&long, &other),
        ] {
            assert_eq!(seen(".orchestrator/x.lock", bytes), LockContent::Incomplete);
            assert_eq!(seen("x.lock.acquire", bytes), *elsewhere);
            assert_eq!(seen("notes.md", bytes), *elsewhere);
            assert_eq!(seen("Cargo.lock", bytes), *elsewhere);
        }
    }

    #[test]
    fn a_folder_with_something_else_in_it_is_a_lock_only_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let legacy = LockContent::Folder {
            owner: None,
            running: false,
        };
        for (name, file, expected) in [
            (".orchestrator/x.lock", "thesis.txt", &legacy),
            ("project", "owner.json.tmp", &legacy),
            (
                "thesis",
                "thesis.txt",
                &LockContent::NotALock(Unrelated::Folder),
            ),
        ] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(&path).unwrap();
            std::fs::write(path.join(file), "").unwrap();
            assert_eq!(content(&path), *expected, "{name}");
        }
    }

    #[test]
    fn an_owner_has_a_host_by_either_name_and_the_number_of_a_process() {
        let owner = |json: &str| parse_owner(json.as_bytes()).map(|owner| owner.host);
        assert_eq!(owner(r#"{"pid": 7, "host": "a"}"#).unwrap(), "a");
        assert_eq!(owner(r#"{"pid": 7, "hostname": "a"}"#).unwrap(), "a");
        assert_eq!(owner(r#"{"pid": 7}"#).unwrap(), "");
        for none in [
            r#"{"pid": 0, "host": "a"}"#,
            r#"{"pid": -1}"#,
            r#"{"host": "a"}"#,
            "7",
        ] {
            assert_eq!(owner(none), None, "{none}");
        }
    }
}
