//! What a caller may set: patience, staleness, labels, where warnings go.

use super::host::Host;
use super::outcome::{LockOutcome, Unlocked};
use crate::disk::Patience;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Sets how a lock is sought and held; `Default` is what the command uses.
pub struct LockOptions<'a> {
    /// How long to try; 5 s.
    pub patience: Patience,
    /// The longest delay between two looks; 10 ms.
    pub poll: Duration,
    /// The age past which a lock of this host is stale; 60 s.
    pub staleness: Duration,
    /// Another path for the lock than `<vault>/.orchestrator/board.lock`.
    pub lock_file: Option<PathBuf>,
    /// Who we are, for a caller that has asked already; asked if `None`.
    pub host: Option<Host>,
    /// A file of names that mean one host, read only if a name differs.
    pub aliases_file: Option<PathBuf>,
    /// The label in the record; `board-writer-<pid>-<8 hex>`.
    pub holder: Option<String>,
    /// The command line in the record.
    pub command: Option<String>,
    /// The permissions of records (Unix), cut by the umask; 644 octal.
    pub mode: u32,
    /// Whether a record is synced before it is published; true.
    pub sync: bool,
    /// How long the section takes at most, where that is known: a lock that is
    /// given back before its first heartbeat is due needs none; `None`.
    pub expected: Option<Duration>,
    /// Whether to run the section without trying for the lock; false.
    pub skip: bool,
    /// Ends a wait early, as by a timeout, once it is true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Takes the one warning of a section that runs unlocked; stderr.
    pub warn: &'a dyn Fn(&Unlocked),
    /// Takes the outcome, exactly once, after the section and the release,
    /// also when the section panicked.
    pub on_outcome: &'a dyn Fn(&LockOutcome),
    /// Takes each step of the lock, for people who want to see it work.
    pub trace: Option<&'a dyn Fn(std::fmt::Arguments)>,
}

impl Default for LockOptions<'_> {
    fn default() -> Self {
        Self {
            patience: Patience::For(Duration::from_secs(5)),
            poll: Duration::from_millis(10),
            staleness: Duration::from_secs(60),
            lock_file: None,
            host: None,
            aliases_file: None,
            holder: None,
            command: None,
            mode: 0o644,
            sync: true,
            expected: None,
            skip: false,
            interrupt: None,
            warn: &|unlocked| eprintln!("boardsync: {unlocked}; going on without the lock"),
            on_outcome: &|_| {},
            trace: None,
        }
    }
}

impl LockOptions<'_> {
    /// Gives the staleness in ms.
    pub(super) fn staleness_ms(&self) -> i64 {
        i64::try_from(self.staleness.as_millis()).unwrap_or(i64::MAX)
    }

    /// Says whether the caller wants the wait to end.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

impl std::fmt::Debug for LockOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LockOptions")
            .field("patience", &self.patience)
            .field("poll", &self.poll)
            .field("staleness", &self.staleness)
            .field("lock_file", &self.lock_file)
            .finish_non_exhaustive()
    }
}
