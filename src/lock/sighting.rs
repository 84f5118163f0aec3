//! What lies at the path of a lock or a guard, as it is found.

use super::record::Record;
use crate::disk::{FileId, Kind, ReadError, is_running, read_regular};
use serde_json::Value;
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
    /// A symlink, FIFO, socket or device.
    NotALock(Kind),
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

/// Looks at what lies at `path`; `None` if nothing does.
pub fn look(path: &Path) -> std::io::Result<Option<Sighting>> {
    let (what, modified, bytes, id) = match read_regular(path, LIMIT) {
        Ok(None) => return Ok(None),
        Ok(Some(contents)) => {
            let what = Record::parse(&contents.bytes).map_or(Seen::Incomplete, Seen::Record);
            let (modified, id) = (contents.modified(), FileId::of(&contents.meta));
            (what, modified, contents.bytes, id)
        }
        Err(ReadError::TooLarge { modified, .. }) => (Seen::Incomplete, modified, Vec::new(), None),
        Err(ReadError::NotRegular {
            kind: Kind::Folder,
            modified,
        }) => (look_into_folder(path), modified, Vec::new(), None),
        Err(ReadError::NotRegular { kind, modified }) => {
            (Seen::NotALock(kind), modified, Vec::new(), None)
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
    Seen::Folder { owner, running }
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
