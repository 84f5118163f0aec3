//! The outcome of an edit, for people, programs and the ledger.

use crate::ledger::LockNote;
use crate::lock::{LockOutcome, Release};
use serde::Serialize;
use std::path::PathBuf;

/// The outcome of an edit, in the peers' words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// The board has the new rows.
    Written,
    /// It had them already, and was not touched.
    SkippedNoop,
    /// A person's note lies where the board should.
    SkippedHandwritten,
    /// The board already shows a later event of the same session.
    SkippedOutdated,
    /// The board holds git's conflict markers.
    SkippedConflicted,
    /// The file system refused the write.
    SkippedWriteFailed,
    /// No vault is enabled for the repository.
    SkippedVaultDisabled,
    /// Nothing was done, on demand.
    DryRun,
}

impl Action {
    /// Returns the word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::SkippedNoop => "skipped-noop",
            Self::SkippedHandwritten => "skipped-handwritten",
            Self::SkippedOutdated => "skipped-outdated",
            Self::SkippedConflicted => "skipped-conflicted",
            Self::SkippedWriteFailed => "skipped-write-failed",
            Self::SkippedVaultDisabled => "skipped-vault-disabled",
            Self::DryRun => "dry-run",
        }
    }
}

/// The report of one edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What became of it.
    pub action: Action,
    /// The board.
    pub path: PathBuf,
    /// How many rows the board has, if it was read.
    pub rows: Option<usize>,
    /// What the lock did, if one was tried.
    pub lock: Option<LockReport>,
    /// One line for people: why it was skipped, and what to do.
    pub note: Option<String>,
    /// The conflict copies that the board now holds, in their new places.
    pub copies: Vec<PathBuf>,
    /// Whether the rows say which host they come from.
    pub shared: bool,
}

impl Report {
    /// Makes the report of an edit that did not reach the lock.
    pub fn new(action: Action, path: impl Into<PathBuf>) -> Self {
        Self {
            action,
            path: path.into(),
            rows: None,
            lock: None,
            note: None,
            copies: Vec::new(),
            shared: false,
        }
    }
}

/// The locks that kept an edit apart from others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LockReport {
    /// What the lock did.
    #[serde(flatten)]
    pub outcome: LockOutcome,
    /// Whether the latch was held.
    pub latched: bool,
    /// The number of writes of other programs that were joined.
    pub conflicts: u32,
}

impl Serialize for Report {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Json<'a> {
            action: Action,
            path: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            rows: Option<usize>,
            #[serde(skip_serializing_if = "Option::is_none")]
            lock: Option<&'a LockReport>,
            #[serde(skip_serializing_if = "Option::is_none")]
            note: Option<&'a str>,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            copies: Vec<String>,
        }
        let Self {
            action,
            path,
            rows,
            lock,
            note,
            copies,
            ..
        } = self;
        let copies = copies.iter();
        let path = path.to_string_lossy().into_owned();
        let (lock, note) = (lock.as_ref(), note.as_deref());
        Json {
            action: *action,
            path,
            rows: *rows,
            lock,
            note,
            copies: copies
                .map(|path| path.to_string_lossy().into_owned())
                .collect(),
        }
        .serialize(serializer)
    }
}

impl LockReport {
    /// Returns what the ledger keeps of it: no path, and a release only if it failed.
    pub fn note<'a>(&'a self, stale_override: &'a mut String) -> LockNote<'a> {
        let mut note = LockNote {
            locked: self.outcome.is_locked(),
            reason: None,
            stale_override: None,
            waited_ms: self.outcome.waited_ms(),
            release: None,
        };
        match &self.outcome {
            LockOutcome::Locked {
                stale_override: reason,
                release,
                ..
            } => {
                if let Some(reason) = reason {
                    *stale_override = reason.to_string();
                    note.stale_override = Some(stale_override);
                }
                note.release =
                    (!matches!(release, Release::Released | Release::Kept)).then(|| release.word());
            }
            LockOutcome::Unlocked(unlocked) => note.reason = Some(unlocked.reason.word()),
        }
        note
    }
}
