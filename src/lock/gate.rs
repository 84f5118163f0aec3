//! The gate: the kernel's proof, on this host, that a holder lives.

use crate::disk::{Attempt, FileId, KernelLock};
use std::fmt;
use std::path::Path;

/// Holds the gate, or says why not.
#[derive(Debug, Default)]
pub enum Gate {
    /// Nobody has tried for it yet.
    #[default]
    Untried,
    /// It is ours, for as long as this value lives.
    Held(KernelLock),
    /// Another process has it.
    Busy,
    /// There are no kernel locks here: it proves nothing, and age alone decides.
    Unavailable,
}

impl Gate {
    /// Tries for the gate file at `path` without waiting, if it is not ours yet.
    pub fn try_take(&mut self, path: &Path) {
        if matches!(self, Self::Untried | Self::Busy) {
            *self = match KernelLock::try_take(path, "gate.open", "gate.lock") {
                Attempt::Taken(lock) => Self::Held(lock),
                Attempt::Busy => Self::Busy,
                Attempt::Unavailable(_) => Self::Unavailable,
            };
        }
    }

    /// Gives the identity of the gate file while we hold it.
    pub fn id(&self) -> Option<FileId> {
        match self {
            Self::Held(lock) => lock.id(),
            Self::Untried | Self::Busy | Self::Unavailable => None,
        }
    }

    /// Says whether another process has it.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Busy)
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Held(_) => "with the gate",
            Self::Untried | Self::Busy => "without the gate, which another process has",
            Self::Unavailable => "without the gate: no kernel locks here",
        })
    }
}
