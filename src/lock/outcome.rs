//! The outcome: what the lock did, reported once.

use super::holder::HolderNote;
use super::judge::Reason;
use crate::printable::printable;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The outcome of a section: whether it ran under the lock, and how that ended.
///
/// **A section may run without the lock**: this is a fail-open mutex. A caller
/// to whom that matters asks the [`Hold`](super::Hold) before it acts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LockOutcome {
    /// The section ran under the lock.
    Locked {
        /// The lock's path.
        lock_path: PathBuf,
        /// Why another holder's lock was taken over, if one was.
        stale_override: Option<Reason>,
        /// How long it was waited for.
        waited: Duration,
        /// How it was given back.
        release: Release,
    },
    /// The section ran without it.
    Unlocked(Unlocked),
}

/// The outcome of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Release {
    /// It was ours and is gone.
    Released,
    /// Someone has taken it over; it was left alone.
    NotOwner,
    /// It was gone already.
    NotFound,
    /// The guard could not be acquired; the lock's record says who may take it over.
    Busy,
    /// The file system refused.
    FsError,
    /// An enclosing section or a parent process holds it, and keeps it.
    Kept,
}

impl Release {
    /// Returns the word of the outcome's JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Released => "released",
            Self::NotOwner => "not-owner",
            Self::NotFound => "not-found",
            Self::Busy => "busy",
            Self::FsError => "fs-error",
            Self::Kept => "kept",
        }
    }
}

/// The reason for which a section runs without the lock, and who holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unlocked {
    /// The lock's path.
    pub lock_path: PathBuf,
    /// The kind of reason.
    pub reason: WhyUnlocked,
    /// How long it was waited for.
    pub waited: Duration,
    /// Who holds it, if that could be read.
    pub holder: Option<Box<HolderNote>>,
}

/// The kinds of reason for which a section runs without the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhyUnlocked {
    /// Someone else held it all the time.
    Timeout,
    /// It may be taken over, but something that nobody will give back lies in
    /// its guard's place; the holder is the guard's.
    Guarded,
    /// The file system refused; the text says what, to which file.
    FsError(String),
    /// The caller asked for it.
    Skipped,
    /// The caller's interrupt ended the wait.
    Interrupted,
}

impl fmt::Display for Unlocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = printable(&self.lock_path.to_string_lossy(), 200);
        match &self.reason {
            WhyUnlocked::Skipped => write!(f, "the lock `{path}` was skipped"),
            WhyUnlocked::Interrupted => write!(f, "the wait for the lock `{path}` was interrupted"),
            WhyUnlocked::FsError(what) => write!(f, "fs-error: {}", printable(what, 400)),
            WhyUnlocked::Timeout => {
                let waited = self.waited.as_millis();
                write!(f, "timeout after {waited} ms for the lock `{path}`")?;
                match &self.holder {
                    Some(holder) => write!(f, ", held by {holder}"),
                    None => f.write_str(", held by an unknown process"),
                }
            }
            WhyUnlocked::Guarded => {
                let waited = self.waited.as_millis();
                write!(
                    f,
                    "timeout after {waited} ms behind the guard `{path}.acquire`"
                )?;
                if let Some(holder) = &self.holder {
                    write!(f, ", left by {holder}")?;
                }
                f.write_str("; see `boardsync lock status`")
            }
        }
    }
}

impl WhyUnlocked {
    /// Returns the word of the outcome's JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Timeout | Self::Guarded => "timeout",
            Self::FsError(_) => "fs-error",
            Self::Skipped => "skipped",
            Self::Interrupted => "interrupted",
        }
    }
}

impl LockOutcome {
    /// Returns whether the section ran under the lock.
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::Locked { .. })
    }

    /// Returns the lock's path.
    pub fn lock_path(&self) -> &Path {
        match self {
            Self::Locked { lock_path, .. } | Self::Unlocked(Unlocked { lock_path, .. }) => {
                lock_path
            }
        }
    }

    /// Returns the time waited for it.
    pub fn waited(&self) -> Duration {
        match self {
            Self::Locked { waited, .. } | Self::Unlocked(Unlocked { waited, .. }) => *waited,
        }
    }

    /// Returns the time waited for it, in ms.
    pub fn waited_ms(&self) -> u64 {
        u64::try_from(self.waited().as_millis()).unwrap_or(u64::MAX)
    }
}

impl Serialize for LockOutcome {
    /// Writes `{"locked": true, "lockPath": …, "waitedMs": n, "release": …}`, or
    /// `{"locked": false, …, "reason": …, "holder": …}`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("locked", &self.is_locked())?;
        map.serialize_entry("lockPath", &self.lock_path().to_string_lossy())?;
        if let Self::Locked {
            stale_override: Some(reason),
            ..
        } = self
        {
            map.serialize_entry("staleOverride", &reason.to_string())?;
        }
        if let Self::Unlocked(unlocked) = self {
            map.serialize_entry("reason", unlocked.reason.word())?;
            if let WhyUnlocked::FsError(what) = &unlocked.reason {
                map.serialize_entry("detail", what)?;
            }
        }
        map.serialize_entry("waitedMs", &self.waited_ms())?;
        match self {
            Self::Locked { release, .. } => map.serialize_entry("release", release)?,
            Self::Unlocked(Unlocked { holder, .. }) => {
                if let Some(holder) = holder {
                    map.serialize_entry("holder", holder)?;
                }
            }
        }
        map.end()
    }
}
