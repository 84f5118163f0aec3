//! Failures of the file system under way to the lock.

use super::observe::Unrelated;
use super::outcome::WhyUnlocked;
use crate::disk::{self, At};
use std::io;

/// A refusal of the file system, and the file that it concerns.
pub struct IoFailure {
    /// What was tried, on which file, and the error.
    pub what: String,
    /// How long it is likely to last.
    pub lasts: Lasts,
}

/// How long a failure is likely to last.
#[derive(Debug, PartialEq, Eq)]
pub enum Lasts {
    /// It is over in a moment.
    Briefly,
    /// Nobody knows.
    Perhaps,
    /// For longer than anybody waits for a lock.
    Long,
}

impl From<IoFailure> for WhyUnlocked {
    fn from(failure: IoFailure) -> Self {
        Self::FsError(failure.what)
    }
}

/// Tells what was done to which file when an error came.
pub fn at(verb: &'static str, at: &(impl At + ?Sized)) -> impl FnOnce(io::Error) -> IoFailure {
    let path = at.path().into_owned();
    move |error| IoFailure {
        what: format!("cannot {verb} `{}`: {error}", path.display()),
        lasts: match &error {
            error if disk::is_passing(error) => Lasts::Briefly,
            error if disk::is_io(error) => Lasts::Perhaps,
            // Somebody removed our record before it was published, or NFS says so.
            error if error.kind() == io::ErrorKind::NotFound => Lasts::Perhaps,
            _ => Lasts::Long,
        },
    }
}

/// Refuses what lies at the lock's path.
pub fn not_a_lock(lock: &disk::Entry, unrelated: Unrelated) -> IoFailure {
    IoFailure {
        what: format!("`{}` is {unrelated}, not a lock", lock.path().display()),
        lasts: Lasts::Long,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use rustix::io::Errno;

    #[test]
    fn only_a_full_table_passes_and_only_a_failing_disk_or_a_lost_file_may() {
        for (errno, lasts) in [
            (Errno::MFILE, Lasts::Briefly),
            (Errno::STALE, Lasts::Briefly),
            (Errno::IO, Lasts::Perhaps),
            (Errno::NOENT, Lasts::Perhaps),
            (Errno::NOSPC, Lasts::Long),
            (Errno::ROFS, Lasts::Long),
        ] {
            let failure = at("read", std::path::Path::new("/lock"))(errno.into());
            assert_eq!(failure.lasts, lasts, "{}", failure.what);
            assert!(
                failure.what.starts_with("cannot read `/lock`: "),
                "{}",
                failure.what
            );
        }
    }
}
