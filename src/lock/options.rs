//! What a caller may set: patience, staleness, labels, where warnings go.

use super::host::Host;
use super::outcome::Unlocked;
use crate::disk::{Durability, Patience};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A callback that receives the reason why a section is about to run without the lock.
pub type Warn = Arc<dyn Fn(&Unlocked) + Send + Sync>;

/// Takes one line for each step of the lock.
pub type Trace = Arc<dyn Fn(fmt::Arguments) + Send + Sync>;

/// The settings of one acquisition; `Default` is what the command line uses.
///
/// Start from the default and set what differs. The options can be shared
/// between threads, and used for any number of locks.
///
/// ```
/// use boardsync::lock::LockOptions;
/// use std::time::Duration;
///
/// let mut options = LockOptions::default();
/// options.patience = Duration::from_millis(500).into();
/// options.warn = Some(std::sync::Arc::new(|unlocked| eprintln!("{unlocked}")));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct LockOptions {
    /// How long to try; 5 s.
    pub patience: Patience,
    /// The longest delay between two looks; 10 ms.
    pub poll: Duration,
    /// The age past which a lock of this host is stale; 60 s.
    pub staleness: Duration,
    /// This host, for a caller that has asked already; asked if `None`.
    pub host: Option<Host>,
    /// A file of names that mean one host, read only if a name differs.
    pub aliases_file: Option<PathBuf>,
    /// The label in the record; `board-writer-<pid>-<8 hex>`.
    pub holder: Option<String>,
    /// The program and its command in the record, cut to 500 bytes. Others may
    /// read it: no arguments, no paths.
    pub command: Option<String>,
    /// The permissions of the lock's files (Unix), cut by the umask; 600 octal.
    pub mode: u32,
    /// Whether a record is synced before it is published; true.
    pub durability: Durability,
    /// How long the section takes at most, where that is known: a lock that is
    /// released before its first heartbeat is due needs none; `None`.
    pub expected: Option<Duration>,
    /// Whether to run the section without trying for the lock; false.
    pub skip: bool,
    /// The token of a lock that a parent process holds for this one: a section
    /// under that very lock runs at once; `None`.
    pub inherited: Option<String>,
    /// Ends a wait early once it is true; `None`.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Called once before a section that runs without the lock, unless that
    /// was asked for; `None`, which prints nothing.
    pub warn: Option<Warn>,
    /// Called at each step of the lock; `None`.
    pub trace: Option<Trace>,
}

impl Default for LockOptions {
    fn default() -> Self {
        Self {
            patience: Patience::For(Duration::from_secs(5)),
            poll: Duration::from_millis(10),
            staleness: Duration::from_secs(60),
            host: None,
            aliases_file: None,
            holder: None,
            command: None,
            mode: 0o600,
            durability: Durability::Synced,
            expected: None,
            skip: false,
            inherited: None,
            interrupt: None,
            warn: None,
            trace: None,
        }
    }
}

impl LockOptions {
    /// Returns the staleness in ms.
    pub(super) fn staleness_ms(&self) -> i64 {
        i64::try_from(self.staleness.as_millis()).unwrap_or(i64::MAX)
    }

    /// Returns whether the caller wants the wait to end.
    pub(super) fn is_interrupted(&self) -> bool {
        let interrupt = self.interrupt.as_ref();
        interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

impl fmt::Debug for LockOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LockOptions")
            .field("patience", &self.patience)
            .field("poll", &self.poll)
            .field("staleness", &self.staleness)
            .finish_non_exhaustive()
    }
}
