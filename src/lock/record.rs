//! The record: the JSON body of the lock, of the guard, of a pending file.

use super::host::Host;
use crate::Timestamp;
use crate::disk::FileId;
use serde::Serialize;
use serde_json::Value;

/// The holder of a lock, as its file records it.
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

    /// Reads a record out of JSON; `None` without a pid or a host, which other
    /// writers of locks call `hostname`.
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
            host: ["host", "hostname"]
                .into_iter()
                .filter_map(&mut text)
                .find(|host| !host.trim().is_empty())?,
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

    /// Returns whether it was written on `host`.
    pub fn is_of(&self, host: &Host) -> bool {
        host.is(&self.host, self.host_id.as_deref(), self.boot_id.as_deref())
    }

    /// Returns whether it was written under the very gate `gate` of this boot.
    pub fn is_under(&self, gate: Option<FileId>, host: &Host) -> bool {
        let same_boot = self.boot_id.is_some() && self.boot_id == host.boot_id;
        same_boot && gate.is_some_and(|gate| self.gate.as_deref() == Some(&gate.to_string()))
    }
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
    fn a_host_may_be_called_hostname() {
        let host = |json: &str| Record::parse(json.as_bytes()).unwrap().host;
        assert_eq!(host(r#"{"pid": 1, "hostname": "a"}"#), "a");
        assert_eq!(host(r#"{"pid": 1, "host": "", "hostname": "a"}"#), "a");
        assert_eq!(host(r#"{"pid": 1, "host": "b", "hostname": "a"}"#), "b");
    }

    #[test]
    fn an_additive_field_of_another_type_is_absent() {
        let record = Record::parse(br#"{"pid": -1, "host": "h", "gate": 7, "later": {}}"#);
        assert_eq!(
            record.map(|record| (record.pid, record.gate)),
            Some((-1, None))
        );
    }
}
