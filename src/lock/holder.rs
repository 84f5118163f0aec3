//! The holder of a lock, as it is shown.

use super::record::Record;
use crate::disk::is_running;
use crate::printable::printable;
use std::fmt;

/// A holder as people see it: every text printable and cut.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct HolderNote {
    /// The process, on its own host.
    pub pid: i64,
    /// Its host.
    pub host: String,
    /// Since when, as it wrote it.
    #[serde(rename = "acquiredAt", skip_serializing_if = "Option::is_none")]
    pub acquired_at: Option<String>,
    /// Its label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Its command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cmd: Option<String>,
    /// Whether it runs; `None` for another host's, which cannot be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<bool>,
}

impl HolderNote {
    /// Describes the writer of `record`, which is of this host if `ours`.
    pub fn of(record: &Record, ours: bool) -> Self {
        let shown = |text: &Option<String>, limit| {
            text.as_deref()
                .filter(|text| !text.is_empty())
                .map(|text| printable(text, limit))
        };
        Self {
            pid: record.pid,
            host: printable(&record.host, 80),
            acquired_at: shown(&record.acquired_at, 40),
            holder: shown(&record.holder, 80),
            cmd: shown(&record.cmd, 120),
            running: ours.then(|| is_running(record.pid)),
        }
    }
}

impl fmt::Display for HolderNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pid {} on `{}`", self.pid, self.host)?;
        if let Some(since) = &self.acquired_at {
            write!(f, " since {since}")?;
        }
        if let Some(what) = self.cmd.as_ref().or(self.holder.as_ref()) {
            write!(f, " (`{what}`)")?;
        }
        f.write_str(match self.running {
            Some(true) => ", running",
            Some(false) => ", not running",
            None => ", may still be running",
        })
    }
}
