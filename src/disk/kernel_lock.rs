//! The kernel's advisory lock on a whole file, for the gate and the latch.
//!
//! The kernel lets go of it when its holder dies, however it dies. That is
//! all the proof of death that the lock's judgement ever asks for.

use super::entry::At;
use super::failpoint;
use super::read::status;
use super::status::FileId;

use fs4::{FileExt, TryLockError};
use std::fs::File;
#[cfg(not(unix))]
use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
#[cfg(unix)]
use std::path::Path;

/// The kernel lock of one file, held until it is dropped.
#[derive(Debug)]
#[must_use = "the kernel lock is let go when this is dropped"]
pub struct KernelLock {
    _file: File,
    id: Option<FileId>,
}

/// The outcome of one attempt at a kernel lock.
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
    /// Tries for the lock of the file at `path`, created if absent, left there.
    ///
    /// Nobody is let in whom `mode` does not let read; see [`Openers`]. `open`
    /// and `lock` name the two steps.
    pub fn try_take(
        path: &(impl At + ?Sized),
        mode: u32,
        open: &'static str,
        lock: &'static str,
    ) -> Attempt {
        let try_lock = |file: &File| match FileExt::try_lock(file) {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            // What SMB replies where another client has it.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::PermissionDenied => {
                Ok(false)
            }
            Err(TryLockError::Error(error)) => Err(error),
        };
        match Self::take(path, mode, open, lock, try_lock) {
            Ok(Some(taken)) => Attempt::Taken(taken),
            Ok(None) => Attempt::Busy,
            Err(error) => Attempt::Unavailable(error),
        }
    }

    /// Returns the identity of the locked file, where the platform has one.
    pub fn id(&self) -> Option<FileId> {
        self.id
    }

    /// Locks the file at `path` by `act`; `None` if `act` says that it is busy.
    ///
    /// A file that was removed by hand meanwhile, or that a server has
    /// forgotten, is opened anew: a lock on a file without a name keeps nobody
    /// out. Where that does not help, the file system gives no lock: one that
    /// answers each look with another number would hold us for ever.
    pub(super) fn take(
        path: &(impl At + ?Sized),
        mode: u32,
        open: &'static str,
        lock: &'static str,
        act: impl Fn(&File) -> io::Result<bool>,
    ) -> io::Result<Option<Self>> {
        const TRIES: usize = 16;
        let mut last = io::Error::other("its name is given to another file each time it is locked");
        for _ in 0..TRIES {
            let file = match failpoint::around(open, || open_or_create(path, mode)) {
                Err(error) if error.kind() == ErrorKind::StaleNetworkFileHandle => {
                    last = error;
                    continue;
                }
                opened => opened?,
            };
            let meta = file.metadata()?;
            if !meta.is_file() {
                return Err(io::Error::new(
                    ErrorKind::InvalidInput,
                    "not a regular file",
                ));
            }
            if !failpoint::around(lock, || act(&file))? {
                return Ok(None);
            }
            let id = FileId::of(&meta);
            match status(path) {
                Ok(named) if named.id == id => return Ok(Some(Self { _file: file, id })),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }
}

/// Opens without following a symlink and without waiting for a FIFO's other end.
#[cfg(unix)]
fn open_or_create(at: &(impl At + ?Sized), mode: u32) -> io::Result<File> {
    use super::{errno::os, write::raw_mode};
    use rustix::fs::OFlags;
    let openers = Openers::of(at, mode);
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let open = |flags| {
        let opened = rustix::io::retry_on_intr(|| {
            rustix::fs::openat(at.folder(), at.name(), flags, raw_mode(openers.mode))
        });
        os(opened).map(File::from)
    };
    match open(flags | OFlags::RDWR | OFlags::CREATE) {
        // Another user's: the kernel locks what we may only read, too.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => open(flags | OFlags::RDONLY),
        Ok(file) => {
            // A file system that refuses has no permissions worth setting.
            let _ = openers.admit_to(&file);
            Ok(file)
        }
        failed => failed,
    }
}

/// Opens the file, created if absent.
#[cfg(not(unix))]
fn open_or_create(at: &(impl At + ?Sized), _mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.open(at.path())
}

/// The users who may open the file of a kernel lock.
///
/// The kernel gives a lock to whoever may read its file, for as long as they
/// like: one who may only read a vault could keep all its writers waiting. So
/// only those may open it who may write in its folder, and of these only those
/// who may read the board.
#[cfg(unix)]
struct Openers {
    mode: u32,
    /// The owner and the group of the folder, to whom `mode` applies.
    folder: Option<(u32, u32)>,
}

#[cfg(unix)]
impl Openers {
    /// Returns the users of the file at `at` whom `mode` allows to read.
    #[allow(
        clippy::useless_conversion,
        reason = "the type of a mode differs from system to system"
    )]
    fn of(at: &(impl At + ?Sized), mode: u32) -> Self {
        use rustix::fs::{AtFlags, statat};
        let folder = at.name().parent().filter(|it| *it != Path::new(""));
        let folder = folder.unwrap_or(Path::new("."));
        match statat(at.folder(), folder, AtFlags::empty()) {
            Ok(stat) => {
                let writers = u32::from(stat.st_mode) & 0o022;
                Self {
                    mode: 0o600 | mode & (writers | writers << 1),
                    folder: Some((stat.st_uid, stat.st_gid)),
                }
            }
            Err(_) => Self {
                mode: 0o600,
                folder: None,
            },
        }
    }

    /// Lets only these open the file, if we may change its permissions.
    fn admit_to(&self, file: &File) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        let meta = file.metadata()?;
        // Anything else is a file of somebody's, put here by a hard link.
        if !meta.is_file() || meta.nlink() != 1 || meta.len() != 0 {
            return Ok(());
        }
        let mut mode = self.mode;
        if let Some((owner, group)) = self.folder {
            if meta.uid() != owner && rustix::process::geteuid().is_root() {
                fchown(file, Some(owner), Some(group))?;
            } else if meta.gid() != group && fchown(file, None, Some(group)).is_err() {
                // Another group than the one that may write here.
                mode &= 0o606;
            }
        }
        if meta.mode() & 0o7777 != mode {
            file.set_permissions(std::fs::Permissions::from_mode(mode))?;
        }
        Ok(())
    }
}
