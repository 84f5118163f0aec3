//! From what is known to what the board shows; pure.

use super::registry::RegistryEntry;
use super::sources::Sources;
use crate::Timestamp;

/// The words for a repository's status, as all peers write them.
pub mod status {
    /// Says that a session runs.
    pub const IN_PROGRESS: &str = "in-progress";
    /// Says that a session's lease ran out.
    pub const FORCE_CLOSED: &str = "force-closed";
    /// Says that a session ended.
    pub const CLOSED: &str = "closed";
    /// Says that nobody has been there (German for *free*).
    pub const FREI: &str = "frei";

    /// Finds the word in a text; any other text is `None`.
    pub fn named(text: &str) -> Option<&'static str> {
        [IN_PROGRESS, FORCE_CLOSED, CLOSED, FREI]
            .into_iter()
            .find(|word| *word == text.trim())
    }
}

/// Is what a row shows of a repository, but for its name and key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// Gives one of the four words of [`status`].
    pub status: &'static str,
    /// Names the session.
    pub session: Option<String>,
    /// Names the branch.
    pub branch: Option<String>,
    /// Names the kind of the session.
    pub mode: Option<String>,
    /// Gives the last sign of life, as its writer wrote it.
    pub heartbeat: Option<String>,
}

/// Is what a caller says in so many words, and what beats everything derived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explicit {
    /// Gives one of the four words of [`status`].
    pub status: Option<&'static str>,
    /// Names the session.
    pub session: Option<String>,
    /// Names the branch.
    pub branch: Option<String>,
    /// Names the kind of the session.
    pub mode: Option<String>,
    /// Gives the time of the event.
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
/// the peer does not look at. An unknown explicit status is ignored.
pub fn derive(
    sources: &Sources,
    prior_status: Option<&str>,
    explicit_status: Option<&str>,
    now: Timestamp,
) -> Derived {
    let lock = sources.lock.as_ref();
    let entry = telling_entry(sources);
    let prior = prior_status.and_then(status::named);

    let status = if let Some(explicit) = explicit_status.and_then(status::named) {
        explicit
    } else if let Some(lock) = lock {
        if lock.is_live(now) {
            status::IN_PROGRESS
        } else {
            status::FORCE_CLOSED
        }
    } else if let Some(terminal @ (status::CLOSED | status::FORCE_CLOSED)) = prior {
        terminal
    } else if prior == Some(status::IN_PROGRESS) {
        status::CLOSED
    } else if entry.is_some_and(|entry| entry.is_fresh(now)) {
        status::IN_PROGRESS
    } else {
        status::FREI
    };

    if status == status::FREI {
        return Derived {
            status,
            session: None,
            branch: None,
            mode: None,
            heartbeat: None,
        };
    }
    let cell = |text: &str| (!text.trim().is_empty()).then(|| text.to_owned());
    let (session, mode, heartbeat) = match (lock, entry) {
        (Some(lock), _) => (
            cell(lock.shown_session()),
            cell(&lock.mode),
            cell(lock.heartbeat()),
        ),
        (None, Some(entry)) => (
            cell(entry.shown_session()),
            entry.mode.clone(),
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
