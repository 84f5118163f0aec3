//! Where rows come from: what a repository and its host say about it.
//!
//! [`Repo`] is who it is; [`Sources`] is all that is known about it, read from
//! its session lock ([`SessionLock`]), the host's [`Registry`] and `.git/HEAD`
//! ([`crate::git::branch`]); [`derive()`] turns that into a row, purely. [`enumerate`]
//! finds the repositories that a sweep has to look at.
//!
//! Nothing here fails: what is broken counts as absent, and says so in
//! [`Sources::warnings`]. Every file is read with a cap, and nothing that is
//! not a regular file is waited for.

mod derive;
mod enumerate;
mod first_seen;
pub mod lease;
mod registry;
mod repo;
mod session_lock;
mod sources;
mod whereabouts;

pub use derive::{Derived, Explicit, derive};
pub use enumerate::{Sweep, enumerate};
pub use first_seen::first_seen;
pub use lease::{FolderRow, Leases, folder_row};
pub use registry::{FRESH_FOR_MS, Registry, RegistryEntry};
pub use repo::Repo;
pub use session_lock::{SESSION_LOCK, SessionLock};
pub use sources::Sources;
pub use whereabouts::{Folders, Whereabouts};
