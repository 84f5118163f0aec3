//! The options of an edit.

use crate::Timestamp;
use crate::commit::LATCH_PATIENCE;
use crate::config::vault::BoardPlace;
use crate::disk::Durability;
use crate::lock::{Host, LockOptions};
use std::path::PathBuf;
use std::time::Duration;

/// The place and the options of an edit.
#[derive(Debug)]
#[non_exhaustive]
pub struct EditOptions<'a> {
    /// Where the board and everything beside it lie.
    pub place: &'a BoardPlace,
    /// The time of the edit.
    pub now: Timestamp,
    /// The options of the lock; `expected` is set by the edit.
    pub lock: LockOptions,
    /// Whether the board and its folder are synced to the disk.
    pub durability: Durability,
    /// How long the latch is waited for.
    pub latch: Duration,
    /// Who edits.
    pub host: Host,
    /// The user's folder of state, for what this host wrote; none is kept
    /// without it.
    pub state: Option<PathBuf>,
    /// Whether rows show what their sessions do.
    pub activity: ActivityCell,
    /// Whether anything is written.
    pub dry_run: DryRun,
}

/// A choice between doing an edit and only trying it in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DryRun {
    /// It is done.
    #[default]
    No,
    /// Nothing is written, locked or waited for.
    Yes,
}

impl From<bool> for DryRun {
    fn from(flag: bool) -> Self {
        if flag { Self::Yes } else { Self::No }
    }
}

impl<'a> EditOptions<'a> {
    /// Makes the options of an edit by this host, now: locked, synced, and not a dry run.
    pub fn new(place: &'a BoardPlace) -> Self {
        Self {
            place,
            now: Timestamp::now(),
            lock: LockOptions::default(),
            durability: Durability::Synced,
            latch: LATCH_PATIENCE,
            host: Host::current(),
            state: None,
            activity: ActivityCell::default(),
            dry_run: DryRun::No,
        }
    }
}

/// The choice whether the Mode cell of a row that only a hook keeps shows what its
/// session does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ActivityCell {
    /// It does, on a board that no other writer shares.
    #[default]
    On,
    /// It does not.
    Off,
}
