//! Creating files and folders, and writing into them.

use super::entry::At;
#[cfg(unix)]
use super::errno::os;
use super::failpoint;
use super::status::FileStatus;
use std::fs::File;
#[cfg(not(unix))]
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

/// What survives a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// What is written is synced to the disk before the write counts as done.
    Synced,
    /// The system writes it to the disk when it likes.
    Unsynced,
}

/// Creates a folder and those above it; an existing one is fine.
pub fn create_folder(step: &'static str, path: &Path) -> io::Result<()> {
    failpoint::around(step, || match path.is_dir() {
        true => Ok(()),
        false => std::fs::create_dir_all(path),
    })
}

/// Creates a folder that only its owner may look into, and those above it.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Creates a file that must not exist yet, readable by its owner and `mode`.
pub fn create_new(step: &'static str, at: &(impl At + ?Sized), mode: u32) -> io::Result<File> {
    failpoint::around(step, || {
        #[cfg(unix)]
        {
            use rustix::fs::OFlags;
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let created = rustix::io::retry_on_intr(|| {
                rustix::fs::openat(at.folder(), at.name(), flags, raw_mode(mode))
            });
            os(created).map(File::from)
        }
        #[cfg(not(unix))]
        {
            let _ = mode;
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            options.open(at.path())
        }
    })
}

/// Writes the whole content of a new file in one call.
pub fn fill(step: &'static str, mut file: &File, bytes: &[u8]) -> io::Result<()> {
    failpoint::around(step, || file.write_all(bytes))
}

/// Overwrites the bytes of an existing regular file, and returns its new status.
///
/// A reader meanwhile, or after a crash, may see half of it.
pub fn write_over(
    step: &'static str,
    at: &(impl At + ?Sized),
    bytes: &[u8],
    durability: Durability,
) -> io::Result<FileStatus> {
    failpoint::around(step, || {
        let mut file = open_to_write(at, WriteMode::Over)?;
        if !file.metadata()?.is_file() {
            return Err(ErrorKind::InvalidInput.into());
        }
        file.write_all(bytes)?;
        file.set_len(bytes.len() as u64)?;
        if durability == Durability::Synced {
            file.sync_all()?;
        }
        Ok(FileStatus::of(&file.metadata()?))
    })
}

/// Appends bytes to an existing regular file, in one call.
pub fn append(step: &'static str, at: &(impl At + ?Sized), bytes: &[u8]) -> io::Result<()> {
    failpoint::around(step, || {
        let mut file = open_to_write(at, WriteMode::Append)?;
        match file.metadata()?.is_file() {
            true => file.write_all(bytes),
            false => Err(ErrorKind::InvalidInput.into()),
        }
    })
}

/// The place in an existing file where bytes are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WriteMode {
    Over,
    Append,
}

#[cfg(unix)]
fn open_to_write(at: &(impl At + ?Sized), mode: WriteMode) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let mut flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    flags.set(OFlags::APPEND, mode == WriteMode::Append);
    let opened = rustix::fs::openat(at.folder(), at.name(), flags, Mode::empty());
    os(opened).map(File::from)
}

#[cfg(not(unix))]
fn open_to_write(at: &(impl At + ?Sized), mode: WriteMode) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(mode == WriteMode::Append).write(true);
    options.open(at.path())
}

/// Sets a file's modification time to the file system's own now.
///
/// The kernel (on a network volume: the server) supplies the time, so a
/// skewed clock of this host never enters a lock's age.
pub fn touch(step: &'static str, file: &File) -> io::Result<()> {
    #[cfg(unix)]
    let act = || {
        use rustix::fs::{Timespec, Timestamps, UTIME_NOW};
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_NOW,
        };
        // Both: exfat-fuse does nothing, and says that it did, if one is omitted.
        let times = Timestamps {
            last_access: now,
            last_modification: now,
        };
        Ok(rustix::fs::futimens(file, &times)?)
    };
    #[cfg(not(unix))]
    let act = || file.set_modified(std::time::SystemTime::now());
    failpoint::around(step, act)
}

#[cfg(unix)]
#[allow(
    clippy::useless_conversion,
    reason = "the type of a mode differs from system to system"
)]
pub(super) fn raw_mode(mode: u32) -> rustix::fs::Mode {
    let bits = rustix::fs::RawMode::try_from(mode & 0o777).unwrap_or(0o600);
    rustix::fs::Mode::from_raw_mode(bits)
}
