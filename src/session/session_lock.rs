//! A session's own lease on its repository: `.orchestrator/session.lock`.

use super::small_file::read_regular;
use crate::Timestamp;
use serde_json::{Map, Value};
use std::path::Path;

/// Where the lease lies in a repository.
pub const SESSION_LOCK: &str = ".orchestrator/session.lock";

/// The greatest size of a lease, in bytes; a real one has a few hundred.
const CAP: u64 = 64 * 1024;

const MILLIS_PER_HOUR: f64 = 3_600_000.0;

/// Is a session's lease, of version 1 (no heartbeat) or 2.
///
/// Fields and their types: session-orchestrator 5.3.0.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionLock {
    /// Names the session by its machine id.
    pub session_id: String,
    /// Names the session in words, where it has such a name.
    pub semantic_session_id: Option<String>,
    /// Gives the start, as the session wrote it.
    pub started_at: String,
    /// Gives the last sign of life as the session wrote it; version 1 has none.
    pub last_heartbeat: Option<String>,
    /// Names the kind of the session, possibly with nothing.
    pub mode: String,
    /// Names the host.
    pub host: String,
    /// Gives the time from a heartbeat to the end of the lease, in hours.
    pub ttl_hours: f64,
}

impl SessionLock {
    /// Reads the lease of the repository at `repo`; `None` where there is none.
    ///
    /// # Errors
    ///
    /// One sentence for a person, where something lies there that is no lease.
    pub fn read(repo: &Path) -> Result<Option<Self>, String> {
        let path = repo.join(SESSION_LOCK);
        match read_regular(&path, CAP) {
            Ok(None) => Ok(None),
            Ok(Some(bytes)) => Self::parse(&bytes).map(Some).map_err(|fault| {
                format!(
                    "`{}` is no session lock ({fault}) and counts as absent; \
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
        let optional = |key: &str| text(key).ok().filter(|text| !text.trim().is_empty());
        number("pid")?;
        Ok(Self {
            session_id: text("session_id")?,
            started_at: text("started_at")?,
            mode: text("mode")?,
            host: text("host")?,
            ttl_hours: number("ttl_hours")?,
            semantic_session_id: optional("semantic_session_id"),
            last_heartbeat: optional("last_heartbeat"),
        })
    }

    /// Gives the name that the board shows: in words, else the machine id.
    pub fn shown_session(&self) -> &str {
        self.semantic_session_id
            .as_deref()
            .unwrap_or(&self.session_id)
    }

    /// Gives the last sign of life as written: the heartbeat, else the start.
    pub fn heartbeat(&self) -> &str {
        self.last_heartbeat.as_deref().unwrap_or(&self.started_at)
    }

    /// Tells whether the lease still runs; one with an unreadable time does not.
    pub fn is_live(&self, now: Timestamp) -> bool {
        Timestamp::parse(self.heartbeat())
            .is_some_and(|beat| (now.since(beat) as f64) < self.ttl_hours * MILLIS_PER_HOUR)
    }
}
