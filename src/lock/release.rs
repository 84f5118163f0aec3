//! Releasing: the guard, the look, the unlink, the guard, and last the gate.
//!
//! Without the guard, a holder that pauses between its look and its unlink
//! removes its successor's lock, and a third party gets in.

use super::guard::Guard;
use super::outcome::Release;
use super::owner::{LockOwner, owner};
use super::site::Site;
use crate::disk::{self, Backoff, Patience};
use std::io;
use std::time::Duration;

/// A release waits this long for the guard, and for a file system that refuses,
/// then leaves the lock to be judged by its record.
const RELEASE_PATIENCE: Patience = Patience::For(Duration::from_millis(250));

/// Removes the lock, only if it is still ours.
pub fn release(site: &Site) -> Release {
    let mut backoff = Backoff::new(RELEASE_PATIENCE, site.options.poll);
    loop {
        let tried = try_release(site);
        let release = match &tried {
            Ok(release) => *release,
            Err(_) => Release::FsError,
        };
        if matches!(release, Release::Busy | Release::FsError) && backoff.pause() {
            continue;
        }
        match tried {
            Ok(release) => site.say(format_args!("release: {release:?}")),
            Err(error) => site.say(format_args!("release: {error}")),
        }
        return release;
    }
}

fn try_release(site: &Site) -> io::Result<Release> {
    let Ok(_guard) = Guard::take(site)? else {
        return Ok(Release::Busy);
    };
    let lock = &site.files.lock;
    Ok(match owner(lock, &site.token.to_string())? {
        LockOwner::Us(_) => {
            disk::retry_briefly(|| disk::remove("lock.unlink", lock))?;
            Release::Released
        }
        LockOwner::Nobody => Release::NotFound,
        LockOwner::Another => Release::NotOwner,
    })
}
