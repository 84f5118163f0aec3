//! The kernel's advisory lock on a whole file, for the gate and the latch.
//!
//! The kernel lets go of it when its holder dies, however it dies. That is
//! all the proof of death that the lock's judgement ever asks for.

use super::read::FileId;
use super::step;

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// Holds the kernel lock of one file until it is dropped.
#[derive(Debug)]
#[must_use = "the kernel lock is let go when this is dropped"]
pub struct KernelLock {
    _file: File,
    id: Option<FileId>,
}

/// Says how one attempt at a kernel lock ended.
#[derive(Debug)]
pub enum Attempt {
    /// It is ours.
    Taken(KernelLock),
    /// Another process has it.
    Busy,
    /// This file system, or this path, has none to give.
    Unavailable(io::Error),
}

impl KernelLock {
    /// Tries for the lock of the file at `path`, created if absent, never removed.
    ///
    /// `open` and `lock` name the two steps. A file that was removed by hand
    /// between the two is opened anew: a lock on a file without a name keeps
    /// nobody out.
    pub fn try_take(path: &Path, open: &'static str, lock: &'static str) -> Attempt {
        for _ in 0..3 {
            match Self::attempt(path, open, lock) {
                Ok(Some(attempt)) => return attempt,
                Ok(None) => continue,
                Err(error) => return Attempt::Unavailable(error),
            }
        }
        Attempt::Busy
    }

    /// Gives the identity of the locked file, where the platform has one.
    pub fn id(&self) -> Option<FileId> {
        self.id
    }

    fn attempt(path: &Path, open: &'static str, lock: &'static str) -> io::Result<Option<Attempt>> {
        let file = step::around(open, || open_or_create(path))?;
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "not a regular file",
            ));
        }
        let taken = step::around(lock, || match file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        })?;
        if !taken {
            return Ok(Some(Attempt::Busy));
        }
        let id = FileId::of(&meta);
        let named = match std::fs::symlink_metadata(path) {
            Ok(meta) => FileId::of(&meta),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok((named == id).then_some(Attempt::Taken(Self { _file: file, id })))
    }
}

/// Opens without following a symlink and without waiting for a FIFO's other end.
fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    options.open(path)
}
