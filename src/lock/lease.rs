//! The lease: a published record, kept fresh by its heartbeat, given back once.

use super::acquire::Seeker;
use super::guard::Guard;
use super::judge::Reason;
use super::outcome::Release;
use super::record::Record;
use super::sighting::LIMIT;
use crate::disk::{self, Backoff, Patience, ReadError, Token};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::Duration;

/// A release waits this long for the guard, then leaves the lock to be judged.
const RELEASE_PATIENCE: Patience = Patience::For(Duration::from_millis(250));

/// Holds the lock until it is released or dropped.
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct Lease {
    seeker: Seeker,
    heart: Option<Heart>,
    /// Why another holder's lock was taken over, if one was.
    pub stale_override: Option<Reason>,
    /// How long the lock was waited for.
    pub waited: Duration,
    released: bool,
}

impl Lease {
    /// Starts the heartbeat of a lock that has just been published, if it is
    /// to be held for that long.
    pub(super) fn start(seeker: Seeker, stale_override: Option<Reason>, waited: Duration) -> Self {
        seeker.sweep();
        let path = seeker.files.lock.clone();
        let interval = seeker.options.staleness / 4;
        let is_brief = seeker
            .options
            .expected
            .is_some_and(|longest| longest < interval);
        let heart = if is_brief {
            None
        } else {
            Heart::start(path, seeker.token, interval)
        };
        Self {
            seeker,
            heart,
            stale_override,
            waited,
            released: false,
        }
    }

    /// Gives the lock's path.
    pub fn path(&self) -> &Path {
        &self.seeker.files.lock
    }

    /// Gives the token of its record.
    pub fn token(&self) -> String {
        self.seeker.token.to_string()
    }

    /// Tells whether the lock still carries our token.
    pub fn is_still_ours(&self) -> bool {
        matches!(whose(self.path(), &self.token()), Ok(Whose::Ours(_)))
    }

    /// Gives the lock back, only if it is still ours.
    pub fn release(mut self) -> Release {
        self.give_back()
    }

    /// The guard, the look, the unlink, the guard, and last of all the gate.
    ///
    /// Without the guard, a holder that pauses between its look and its unlink
    /// removes its successor's lock, and a third party gets in.
    fn give_back(&mut self) -> Release {
        self.released = true;
        drop(self.heart.take());
        let mut backoff = Backoff::new(RELEASE_PATIENCE, self.seeker.options.poll);
        let release = match Guard::wait(&self.seeker, &mut backoff) {
            Ok(Some(_guard)) => self.unlink().unwrap_or(Release::FsError),
            Ok(None) => Release::Busy,
            Err(_) => Release::FsError,
        };
        self.seeker.say(format_args!("release: {release:?}"));
        release
    }

    fn unlink(&self) -> io::Result<Release> {
        Ok(match whose(self.path(), &self.token())? {
            Whose::Ours(_) => {
                disk::remove("lock.unlink", self.path())?;
                Release::Released
            }
            Whose::Nobodys => Release::NotFound,
            Whose::Anothers => Release::NotOwner,
        })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if !self.released {
            self.give_back();
        }
    }
}

/// Says whose record lies at a lock's path.
pub(super) enum Whose {
    Ours(std::fs::File),
    Nobodys,
    Anothers,
}

pub(super) fn whose(path: &Path, token: &str) -> io::Result<Whose> {
    match disk::read_regular(path, LIMIT) {
        Ok(None) => Ok(Whose::Nobodys),
        Ok(Some(contents)) => {
            let ours = Record::parse(&contents.bytes)
                .is_some_and(|record| record.token.as_deref() == Some(token));
            Ok(if ours {
                Whose::Ours(contents.file)
            } else {
                Whose::Anothers
            })
        }
        Err(ReadError::Io(error)) => Err(error),
        Err(ReadError::NotRegular { .. } | ReadError::TooLarge { .. }) => Ok(Whose::Anothers),
    }
}

/// Beats every quarter of the staleness, so that a slow live holder never looks stale.
#[derive(Debug)]
struct Heart {
    stop: Arc<AtomicBool>,
    thread: Thread,
}

impl Heart {
    /// Starts beating; without a thread to be had the lease simply ages.
    fn start(path: PathBuf, token: Token, interval: Duration) -> Option<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let beat = move || {
            while !stopped.load(Ordering::Acquire) {
                std::thread::park_timeout(interval);
                if stopped.load(Ordering::Acquire) || !Self::beat(&path, token) {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .stack_size(64 * 1024)
            .spawn(beat)
            .ok()?;
        Some(Self {
            stop,
            thread: thread.thread().clone(),
        })
    }

    /// Touches the very file whose token was read, whatever its name means by
    /// then; false once the lock is not ours.
    fn beat(path: &Path, token: Token) -> bool {
        match whose(path, &token.to_string()) {
            Ok(Whose::Ours(file)) => {
                // One refusal of the file system is no loss of the lease.
                let _ = disk::touch("lock.beat", &file);
                true
            }
            Ok(Whose::Nobodys | Whose::Anothers) => false,
            Err(_) => true,
        }
    }
}

impl Drop for Heart {
    /// Ends the beating without waiting for the thread: a beat that is under
    /// way touches a file with our token or none, and waiting for a busy
    /// machine to schedule the thread cost more than the whole release.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        self.thread.unpark();
    }
}
