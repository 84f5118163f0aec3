//! From what is known to what the board shows; pure.

use super::registry::RegistryEntry;
use super::sources::Sources;
use crate::Timestamp;
use crate::board::Status;

/// The cells of a repository's row, but for its name and key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// What the repository's session is doing.
    pub status: Status,
    /// The session.
    pub session: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// The kind of the session.
    pub mode: Option<String>,
    /// The last sign of life, as its writer wrote it.
    pub heartbeat: Option<String>,
}

/// The cells that a caller states explicitly; they override everything derived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explicit {
    /// What the session is doing.
    pub status: Option<Status>,
    /// The session.
    pub session: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// The kind of the session.
    pub mode: Option<String>,
    /// The time of the event.
    pub heartbeat: Option<String>,
}

/// Derives a row by the peer's rules (session-orchestrator 5.3.0).
///
/// The first that applies: an explicit status; a live lease is in progress; a
/// dead one was force-closed; a prior `closed` or `force-closed` stays; a prior
/// `in-progress` has ended; a fresh registry entry is in progress; else the
/// repository is free and all cells are absent.
///
/// Cells come from the lease, else from the registry, stale or not. The branch
/// is never in a lease: it is the registry's, else that of `.git/HEAD`, which
/// the peer does not look at.
pub fn derive(
    sources: &Sources,
    prior: Option<Status>,
    explicit: Option<Status>,
    now: Timestamp,
) -> Derived {
    let lock = sources.lock.as_ref();
    let entry = telling_entry(sources);

    let status = if let Some(explicit) = explicit {
        explicit
    } else if let Some(lock) = lock {
        if lock.is_live(now) {
            Status::InProgress
        } else {
            Status::ForceClosed
        }
    } else if let Some(terminal @ (Status::Closed | Status::ForceClosed)) = prior {
        terminal
    } else if prior == Some(Status::InProgress) {
        Status::Closed
    } else if entry.is_some_and(|entry| entry.is_fresh(now)) {
        Status::InProgress
    } else {
        Status::Frei
    };

    if status == Status::Frei {
        return Derived {
            status,
            session: None,
            branch: None,
            mode: None,
            heartbeat: None,
        };
    }
    let cell = |text: &str| (!text.trim().is_empty()).then(|| text.to_owned());
    let registered = entry.and_then(|entry| entry.mode.clone());
    let (session, mode, heartbeat) = match (lock, entry) {
        (Some(lock), _) => (
            cell(lock.shown_session()),
            cell(&lock.mode).or(registered),
            cell(lock.heartbeat()),
        ),
        (None, Some(entry)) => (
            cell(entry.shown_session()),
            registered,
            cell(&entry.last_heartbeat),
        ),
        (None, None) => (None, None, None),
    };
    Derived {
        status,
        session,
        branch: entry
            .and_then(|entry| entry.branch.clone())
            .or_else(|| sources.branch.clone()),
        mode,
        heartbeat,
    }
}

impl Derived {
    /// Puts what the caller said in the place of what was derived.
    ///
    /// Give the explicit status to [`derive()`] too: it decides which cells there
    /// are at all.
    #[must_use = "the row with the caller's cells is returned, not changed in place"]
    pub fn overridden(self, explicit: &Explicit) -> Self {
        let or = |said: &Option<String>, derived| said.clone().or(derived);
        Self {
            status: explicit.status.unwrap_or(self.status),
            session: or(&explicit.session, self.session),
            branch: or(&explicit.branch, self.branch),
            mode: or(&explicit.mode, self.mode),
            heartbeat: or(&explicit.heartbeat, self.heartbeat),
        }
    }
}

/// Chooses the entry that speaks for the repository, where it has several.
///
/// The lease's own session; else the latest heartbeat, then the larger id. The
/// peer takes the first by file name, stale or not, so that the leftover of a
/// crashed session hides a running one.
fn telling_entry(sources: &Sources) -> Option<&RegistryEntry> {
    let own = sources.lock.as_ref().and_then(|lock| {
        sources
            .entries
            .iter()
            .find(|entry| entry.session_id == lock.session_id)
    });
    own.or_else(|| {
        sources
            .entries
            .iter()
            .max_by_key(|entry| (Timestamp::parse(&entry.last_heartbeat), &entry.session_id))
    })
}
