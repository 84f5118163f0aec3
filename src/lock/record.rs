//! The record: the JSON body of the lock, of the guard, of a pending file.

use super::host::Host;
use crate::Timestamp;
use crate::disk::{FileId, Kind, ReadError, is_running, read_regular};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use std::time::SystemTime;

/// Bounds what is read of any record, in bytes.
pub const LIMIT: u64 = 64 * 1024;
const CMD_LIMIT: usize = 500;

/// Says who holds a lock.
///
/// `pid`, `host`, `acquiredAt` and `holder` are what the Node peer reads and
/// must stay so; the rest is additive, and absent in a peer's record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Record {
    /// The process, on its own host.
    pub pid: i64,
    /// The host's name as its system gives it.
    pub host: String,
    /// The host's name made comparable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_id: Option<String>,
    /// When it was acquired, RFC 3339.
    #[serde(rename = "acquiredAt", skip_serializing_if = "Option::is_none")]
    pub acquired_at: Option<String>,
    /// `acquisition-guard` in a guard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// A label for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// What a release compares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The kernel's name for the boot it was written in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
    /// The gate file whose kernel lock the writer held, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// What was run, at most 500 bytes, the home folder written `~`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cmd: Option<String>,
    /// The program and version that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<String>,
}

impl Record {
    /// Makes a record of this process on `host`.
    pub fn of_this_process(host: &Host, now: Timestamp, token: String) -> Self {
        Self {
            pid: std::process::id().into(),
            host: host.name.clone(),
            host_id: Some(host.id.clone()),
            acquired_at: Some(now.to_string()),
            token: Some(token),
            boot_id: host.boot_id.clone(),
            writer: Some(concat!("boardsync ", env!("CARGO_PKG_VERSION")).to_owned()),
            ..Self::default()
        }
    }

    /// Reads a record out of JSON; `None` without a pid or a host.
    ///
    /// An additive field of another type is taken as absent, since a later
    /// version may give it one.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let Value::Object(mut fields) = serde_json::from_slice(bytes).ok()? else {
            return None;
        };
        let pid = fields.get("pid").and_then(Value::as_i64)?;
        let mut text = |name| match fields.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        Some(Self {
            pid,
            host: text("host").filter(|host| !host.trim().is_empty())?,
            host_id: text("host_id"),
            acquired_at: text("acquiredAt"),
            kind: text("kind"),
            holder: text("holder"),
            token: text("token"),
            boot_id: text("boot_id"),
            gate: text("gate"),
            cmd: text("cmd"),
            writer: text("writer"),
        })
    }

    /// Writes it as the peer does: two spaces a level, a newline at the end.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("a record is plain JSON");
        json.push('\n');
        json
    }

    /// Says whether it was written on `host`.
    pub fn is_of(&self, host: &Host) -> bool {
        host.is(&self.host, self.host_id.as_deref(), self.boot_id.as_deref())
    }

    /// Says whether it was written under the very gate `gate` of this boot.
    pub fn is_under(&self, gate: Option<FileId>, host: &Host) -> bool {
        let same_boot = self.boot_id.is_some() && self.boot_id == host.boot_id;
        same_boot && gate.is_some_and(|gate| self.gate.as_deref() == Some(&gate.to_string()))
    }
}

/// Writes a command line for people, cut to 500 bytes.
pub fn command_line(args: impl IntoIterator<Item = String>, home: Option<&str>) -> String {
    let mut line = args.into_iter().collect::<Vec<_>>().join(" ");
    if let Some(home) = home
        .map(|home| home.trim_end_matches('/'))
        .filter(|home| home.len() > 1)
    {
        line = line.replace(&format!("{home}/"), "~/");
    }
    while line.len() > CMD_LIMIT {
        line.pop();
    }
    line
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_reads_back_and_keeps_the_peers_keys_in_their_order() {
        let host = Host::named("Studio.local", Some("b"));
        let record = Record::of_this_process(&host, Timestamp::from_millis(0), "t".into());
        let json = record.to_json();
        assert!(json.starts_with("{\n  \"pid\": "), "{json}");
        assert!(json.ends_with("\n}\n"), "{json}");
        assert!(
            json.contains("\"acquiredAt\": \"1970-01-01T00:00:00.000Z\""),
            "{json}"
        );
        assert_eq!(Record::parse(json.as_bytes()), Some(record));
    }

    #[test]
    fn what_lacks_a_pid_or_a_host_is_no_record() {
        for bytes in [
            "",
            "{",
            "[]",
            "7",
            r#"{"pid": 1}"#,
            r#"{"pid": "1", "host": "h"}"#,
            r#"{"pid": 1, "host": " "}"#,
            r#"{"pid": 1e99, "host": "h"}"#,
        ] {
            assert_eq!(Record::parse(bytes.as_bytes()), None, "{bytes}");
        }
        let deep = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
        assert_eq!(Record::parse(deep.as_bytes()), None);
    }

    #[test]
    fn an_additive_field_of_another_type_is_absent() {
        let record = Record::parse(br#"{"pid": -1, "host": "h", "gate": 7, "later": {}}"#);
        assert_eq!(
            record.map(|record| (record.pid, record.gate)),
            Some((-1, None))
        );
    }

    #[test]
    fn a_command_line_hides_the_home_folder_and_is_cut_between_characters() {
        let args = ["boardsync", "update", "--repo", "/home/me/src"].map(str::to_owned);
        assert_eq!(
            command_line(args, Some("/home/me")),
            "boardsync update --repo ~/src"
        );
        let long = command_line(["ä".repeat(400)], None);
        assert_eq!(long.len(), 500);
    }
}
