//! What an update came to, once, for people, programs and the ledger.

use crate::ledger::LockNote;
use crate::lock::{HolderNote, LockOutcome, Release, Unlocked, WhyUnlocked};
use serde::Serialize;
use std::path::PathBuf;

/// Names what became of an update, by the peers' words.
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
    /// Gives the word for it.
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

/// Reports one update.
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
    /// The conflict copies that the board now holds, where they have been put.
    pub copies: Vec<PathBuf>,
    /// Whether the rows say which host they come from.
    pub shared: bool,
}

/// Reports what kept an update apart from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockReport {
    /// What the lock did.
    pub outcome: LockOutcome,
    /// Whether the latch was held.
    pub latched: bool,
    /// How many writes of outsiders were met on the way.
    pub conflicts: u32,
}

/// Is a lock report as JSON shows it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LockJson<'a> {
    locked: bool,
    lock_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_override: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    waited_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    release: Option<Release>,
    #[serde(skip_serializing_if = "Option::is_none")]
    holder: Option<&'a HolderNote>,
    latched: bool,
    conflicts: u32,
}

impl Serialize for LockReport {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let outcome = &self.outcome;
        let mut json = LockJson {
            locked: outcome.is_locked(),
            lock_path: outcome.lock_path().to_string_lossy().into_owned(),
            stale_override: None,
            reason: None,
            detail: None,
            waited_ms: millis(outcome),
            release: None,
            holder: None,
            latched: self.latched,
            conflicts: self.conflicts,
        };
        match outcome {
            LockOutcome::Locked {
                stale_override,
                release,
                ..
            } => {
                json.stale_override = stale_override.as_ref().map(ToString::to_string);
                json.release = Some(*release);
            }
            LockOutcome::Unlocked(Unlocked { reason, holder, .. }) => {
                json.reason = Some(reason.word());
                json.holder = holder.as_deref();
                if let WhyUnlocked::FsError(what) = reason {
                    json.detail = Some(what);
                }
            }
        }
        json.serialize(serializer)
    }
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
    /// Gives what the ledger keeps of it: no path, and a release only if it failed.
    pub fn note<'a>(&'a self, stale_override: &'a mut String) -> LockNote<'a> {
        let mut note = LockNote {
            locked: self.outcome.is_locked(),
            reason: None,
            stale_override: None,
            waited_ms: millis(&self.outcome),
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
                note.release = (*release != Release::Released).then(|| release.word());
            }
            LockOutcome::Unlocked(unlocked) => note.reason = Some(unlocked.reason.word()),
        }
        note
    }
}

fn millis(outcome: &LockOutcome) -> u64 {
    u64::try_from(outcome.waited().as_millis()).unwrap_or(u64::MAX)
}
