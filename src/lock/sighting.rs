//! What lies at the path of a lock or a guard, as it is found.

use super::record::Record;
use crate::disk::{FileId, Kind, ReadError, is_running, list, read_regular};
use serde_json::Value;
use std::fmt;
use std::path::Path;
use std::time::SystemTime;

/// Bounds what is read of any record, in bytes.
pub const LIMIT: u64 = 64 * 1024;

/// Says what lies at a lock's path, and since when.
#[derive(Debug, PartialEq, Eq)]
pub struct Sighting {
    /// What it is.
    pub what: Seen,
    /// Its modification time, by the file system's clock.
    pub modified: SystemTime,
    /// What was read, to know it again.
    bytes: Vec<u8>,
    id: Option<FileId>,
}

/// Names what can lie at a lock's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A complete record.
    Record(Record),
    /// Empty, truncated, not JSON, without pid or host, or oversized.
    Incomplete,
    /// A folder, the legacy layout; its owner, and whether that pid runs.
    Folder {
        /// The record in `owner.json`, if it is valid.
        owner: Option<Record>,
        /// Whether the owner's pid runs here.
        running: bool,
    },
    /// Something that nobody locks with.
    NotALock(Stranger),
}

/// Names what lies where a lock was wanted, and is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stranger {
    /// A symlink, FIFO, socket or device.
    Special(Kind),
    /// A file that holds something else.
    File,
    /// A folder that holds something else.
    Folder,
}

impl fmt::Display for Stranger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Special(kind) => kind.fmt(f),
            Self::File => f.write_str("a file that holds something else"),
            Self::Folder => f.write_str("a folder that holds something else"),
        }
    }
}

impl Sighting {
    /// Says whether `other` is the very same thing, a heartbeat aside.
    pub fn is_same(&self, other: &Self) -> bool {
        self.what == other.what && self.bytes == other.bytes && self.id == other.id
    }

    /// Gives the holder's record, whichever way it was written.
    pub fn record(&self) -> Option<&Record> {
        match &self.what {
            Seen::Record(record) => Some(record),
            Seen::Folder { owner, .. } => owner.as_ref(),
            Seen::Incomplete | Seen::NotALock(_) => None,
        }
    }
}

/// Says whether a name is one that only a lock or a guard has.
///
/// Whatever lies at such a name is a lock, however torn. Any other name may be
/// that of something precious, which somebody took for a lock by mistake, as
/// `Cargo.lock` is.
pub fn is_lock_name(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|name| name == ".orchestrator")
        || path.extension().is_some_and(|ending| ending == "acquire")
}

/// Looks at what lies at `path`; `None` if nothing does.
pub fn look(path: &Path) -> std::io::Result<Option<Sighting>> {
    let unless_named = |stranger| match is_lock_name(path) {
        true => Seen::Incomplete,
        false => Seen::NotALock(stranger),
    };
    let (what, modified, bytes, id) = match read_regular(path, LIMIT) {
        Ok(None) => return Ok(None),
        Ok(Some(contents)) => {
            let what = match Record::parse(&contents.bytes) {
                Some(record) => Seen::Record(record),
                None if is_torn(&contents.bytes) => Seen::Incomplete,
                None => unless_named(Stranger::File),
            };
            let (modified, id) = (contents.modified(), FileId::of(&contents.meta));
            (what, modified, contents.bytes, id)
        }
        Err(ReadError::TooLarge { modified, .. }) => {
            (unless_named(Stranger::File), modified, Vec::new(), None)
        }
        Err(ReadError::NotRegular {
            kind: Kind::Folder,
            modified,
        }) => (look_into_folder(path), modified, Vec::new(), None),
        Err(ReadError::NotRegular { kind, modified }) => {
            let what = Seen::NotALock(Stranger::Special(kind));
            (what, modified, Vec::new(), None)
        }
        Err(ReadError::Io(error)) => return Err(error),
    };
    Ok(Some(Sighting {
        what,
        modified,
        bytes,
        id,
    }))
}

/// Reads the owner of a legacy lock; one without a host is of this host.
fn look_into_folder(path: &Path) -> Seen {
    let owner = read_regular(&path.join("owner.json"), LIMIT).ok().flatten();
    let owner = owner.and_then(|contents| parse_owner(&contents.bytes));
    let running = owner.as_ref().is_some_and(|owner| is_running(owner.pid));
    let is_other = |name: &str| !name.starts_with("owner.json");
    let is_stranger = owner.is_none()
        && !is_lock_name(path)
        && list(path, is_other).is_ok_and(|others| !others.is_empty());
    if is_stranger {
        return Seen::NotALock(Stranger::Folder);
    }
    Seen::Folder { owner, running }
}

/// Says whether these may be the first bytes of a record.
fn is_torn(bytes: &[u8]) -> bool {
    let end = serde_json::from_slice::<Value>(bytes).err();
    // A power cut leaves NULs.
    bytes.iter().all(|byte| *byte == 0)
        || bytes[0] == b'{' && end.is_some_and(|error| error.is_eof())
}

fn parse_owner(bytes: &[u8]) -> Option<Record> {
    Record::parse(bytes).or_else(|| {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let pid = value.get("pid").and_then(Value::as_i64)?;
        Some(Record {
            pid,
            ..Record::default()
        })
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn seen(name: &str, bytes: &[u8]) -> Seen {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        look(&path).unwrap().unwrap().what
    }

    #[test]
    fn what_has_another_name_and_is_no_record_is_not_taken_for_a_torn_one() {
        let other = Seen::NotALock(Stranger::File);
        let long = [b' '; LIMIT as usize + 1];
        for (bytes, elsewhere) in [
            (&b""[..], &Seen::Incomplete),
            (b"\0\0\0", &Seen::Incomplete),
            (b"{", &Seen::Incomplete),
            (b"{\n  \"pid\": 7,\n  \"ho", &Seen::Incomplete),
            (b"{\"pid\": 7}", &other),
            (b"{ not JSON }", &other),
            (b"precious", &other),
            (&long, &other),
        ] {
            assert_eq!(seen(".orchestrator/x.lock", bytes), Seen::Incomplete);
            assert_eq!(seen("x.lock.acquire", bytes), Seen::Incomplete);
            assert_eq!(seen("notes.md", bytes), *elsewhere);
            assert_eq!(seen("Cargo.lock", bytes), *elsewhere);
        }
    }

    #[test]
    fn a_folder_with_something_else_in_it_is_a_lock_only_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let legacy = Seen::Folder {
            owner: None,
            running: false,
        };
        for (name, file, expected) in [
            (".orchestrator/x.lock", "thesis.txt", &legacy),
            ("project", "owner.json.tmp", &legacy),
            ("thesis", "thesis.txt", &Seen::NotALock(Stranger::Folder)),
        ] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(&path).unwrap();
            std::fs::write(path.join(file), "").unwrap();
            assert_eq!(look(&path).unwrap().unwrap().what, *expected, "{name}");
        }
    }
}
