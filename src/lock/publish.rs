//! Publishing: a record is complete, and durable, before it can be seen.

use super::files::LockFiles;
use crate::disk::{self, Durability, Entry, Token};
use std::fs::File;
use std::io::{self, ErrorKind, Seek};
use std::time::{Instant, SystemTime};

/// The time as the lock's file system tells it.
///
/// Taken from the modification time of a file that was created this instant,
/// so that a skewed clock, here or on a server, cannot make a live lock look
/// stale; carried on by this host's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    then: SystemTime,
    since: Instant,
}

impl Clock {
    /// Takes `now` as the file system's time of this instant.
    pub fn at(now: SystemTime) -> Self {
        Self {
            then: now,
            since: Instant::now(),
        }
    }

    /// Takes this host's own time, where the file system's cannot be read.
    pub fn here() -> Self {
        Self::at(SystemTime::now())
    }

    /// Returns the age of `modified` in ms, negative if it is in the future.
    pub fn age_ms(&self, modified: SystemTime) -> i64 {
        const LIMIT: u128 = 1 << 53;
        let now = self.then + self.since.elapsed();
        let bounded = |ms: u128| i64::try_from(ms.min(LIMIT)).expect("is within the limit");
        match now.duration_since(modified) {
            Ok(age) => bounded(age.as_millis()),
            Err(ahead) => -bounded(ahead.duration().as_millis()),
        }
    }
}

/// A record on its way, written under a name that nobody looks at.
///
/// Dropped unpublished, it removes its file.
#[derive(Debug)]
pub struct Pending {
    entry: Entry,
    file: File,
    mode: u32,
    published: bool,
}

impl Pending {
    /// Creates the file that `token` names, empty, as the step `step`.
    pub fn create(
        step: &'static str,
        files: &LockFiles,
        token: Token,
        mode: u32,
    ) -> io::Result<Self> {
        let entry = files.pending(token);
        let file = disk::create_new(step, &entry, mode)?;
        Ok(Self {
            entry,
            file,
            mode,
            published: false,
        })
    }

    /// Reads the file system's clock off the file, which was written this instant.
    pub fn clock(&self) -> io::Result<Clock> {
        Ok(Clock::at(self.file.metadata()?.modified()?))
    }

    /// Writes the whole record, in place of one written before.
    pub fn fill(&self, step: &'static str, json: &str, durability: Durability) -> io::Result<()> {
        if self.file.metadata()?.len() > 0 {
            self.file.set_len(0)?;
            (&self.file).rewind()?;
        }
        disk::fill(step, &self.file, json.as_bytes())?;
        if durability == Durability::Synced {
            disk::failpoint::around("record.sync", || self.file.sync_all())?;
        }
        Ok(())
    }

    /// Sets its time to now, and reads the file system's clock off it.
    pub fn touch(&self) -> io::Result<Clock> {
        disk::touch("record.touch", &self.file)?;
        self.clock()
    }

    /// Publishes the record as the lock, unless something is there.
    ///
    /// A link keeps the old time, and a waiter that wrote its record five
    /// seconds ago would publish a lock that is five seconds old: the time is
    /// set to now first. False if something lies there already.
    pub fn publish(&mut self, lock: &Entry) -> io::Result<bool> {
        disk::touch("record.touch", &self.file)?;
        self.publish_as("lock.publish", lock)
    }

    /// Publishes the file as `entry`; false if something is there.
    pub fn publish_as(&mut self, step: &'static str, entry: &Entry) -> io::Result<bool> {
        match disk::publish_exclusive(step, &self.entry, entry, self.mode) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
            Ok(()) => {
                self.published = true;
                Ok(true)
            }
        }
    }

    /// Moves the record over `lock`, whatever lies there.
    pub fn replace(&mut self, lock: &Entry) -> io::Result<()> {
        disk::touch("record.touch", &self.file)?;
        disk::retry_briefly(|| disk::replace("lock.take-over", &self.entry, lock))?;
        self.published = true;
        Ok(())
    }

    /// Swaps the record with the folder at `lock`; the folder then has this path.
    pub fn swap(&mut self, lock: &Entry) -> io::Result<Entry> {
        disk::touch("record.touch", &self.file)?;
        disk::exchange("lock.swap-folder", &self.entry, lock)?;
        self.published = true;
        Ok(self.entry.clone())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.published {
            // What stays behind is swept by the next holder.
            let _ = disk::remove("pending.unlink", &self.entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn an_age_grows_with_the_clock_and_is_negative_in_the_future() {
        let now = SystemTime::now();
        let minute = Duration::from_secs(60);
        let earlier = Clock {
            then: now,
            since: Instant::now()
                .checked_sub(minute)
                .expect("a minute of uptime"),
        };
        for (modified, least) in [(now, 60_000), (now - minute, 120_000), (now + minute, 0)] {
            let age = earlier.age_ms(modified);
            assert!(
                (least..least + 30_000).contains(&age),
                "{age} is not {least}"
            );
        }
        assert!(Clock::at(now).age_ms(now + minute) < -30_000);
    }
}
