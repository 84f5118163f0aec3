//! A session's own lease on its repository: `.orchestrator/session.lock`.

use crate::Timestamp;
use crate::config::named_file;
use serde_json::{Map, Value};
use std::path::Path;

/// Where the lease lies in a repository.
pub const SESSION_LOCK: &str = ".orchestrator/session.lock";

/// The greatest size of a lease, in bytes; a real one has a few hundred.
const MAX_BYTES: u64 = 64 * 1024;

/// How far a heartbeat may be ahead of our clock, in milliseconds: one that is
/// further was written by a wrong clock, and proves nothing (session-orchestrator
/// 5.4).
pub(super) const AHEAD_MS: i64 = 5 * 60 * 1000;

const MILLIS_PER_HOUR: f64 = 3_600_000.0;

/// A session's lease, of version 1 (no heartbeat) or 2.
///
/// Fields and their types: session-orchestrator 5.3.0.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionLock {
    /// The session by its machine id.
    pub session_id: String,
    /// The session in words, where it has such a name, possibly with
    /// nothing: then the board shows no session.
    pub semantic_session_id: Option<String>,
    /// The start, as the session wrote it.
    pub started_at: String,
    /// The last sign of life as the session wrote it; version 1 has none.
    pub last_heartbeat: Option<String>,
    /// The kind of the session, possibly with nothing.
    pub mode: String,
    /// The host.
    pub host: String,
    /// The host as its writer normalised it.
    pub host_id: Option<String>,
    /// The time from a heartbeat to the end of the lease, in hours.
    pub ttl_hours: f64,
}

impl SessionLock {
    /// Reads the lease of the repository at `repo`; `None` if it has no session.lock.
    ///
    /// # Errors
    ///
    /// One sentence for a person, where the file is not a lease.
    pub fn read(repo: &Path) -> Result<Option<Self>, String> {
        let path = repo.join(SESSION_LOCK);
        match named_file::read(&path, MAX_BYTES) {
            Ok(None) => Ok(None),
            Ok(Some(bytes)) => Self::parse(&bytes).map(Some).map_err(|fault| {
                format!(
                    "`{}` is not a session lock ({fault}) and counts as absent; \
                     remove it, or let its session write it anew",
                    path.display()
                )
            }),
            Err(error) => Err(format!("{error}; the session lock counts as absent")),
        }
    }

    /// Reads a lease from its bytes.
    ///
    /// Optional fields of another type count as absent, as with the peer.
    ///
    /// # Errors
    ///
    /// What is wrong, in a few words.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let fields: Map<String, Value> =
            serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let text = |key: &str| match fields.get(key) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(format!("`{key}` is not a string")),
            None => Err(format!("`{key}` is missing")),
        };
        let number = |key: &str| match fields.get(key) {
            Some(Value::Number(number)) => Ok(number.as_f64().unwrap_or(f64::NAN)),
            Some(_) => Err(format!("`{key}` is not a number")),
            None => Err(format!("`{key}` is missing")),
        };
        let optional = |key: &str| text(key).ok();
        number("pid")?;
        Ok(Self {
            session_id: text("session_id")?,
            started_at: text("started_at")?,
            mode: text("mode")?,
            host: text("host")?,
            ttl_hours: number("ttl_hours")?,
            semantic_session_id: optional("semantic_session_id"),
            last_heartbeat: optional("last_heartbeat").filter(|time| !time.trim().is_empty()),
            host_id: optional("host_id"),
        })
    }

    /// Returns the name that the board shows: in words, else the machine id.
    pub fn shown_session(&self) -> &str {
        self.semantic_session_id
            .as_deref()
            .unwrap_or(&self.session_id)
    }

    /// Returns the last sign of life as written: the heartbeat, else the start.
    pub fn heartbeat(&self) -> &str {
        self.last_heartbeat.as_deref().unwrap_or(&self.started_at)
    }

    /// Returns whether the lease still runs; one with an unreadable time does not,
    /// nor one with a time that is yet to come.
    pub fn is_live(&self, now: Timestamp) -> bool {
        Timestamp::parse(self.heartbeat()).is_some_and(|beat| {
            let age = now.since(beat);
            age >= -AHEAD_MS && (age as f64) < self.ttl_hours * MILLIS_PER_HOUR
        })
    }
}
