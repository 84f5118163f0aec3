//! Reading what others may have planted: bounded, never from a pipe, and through a
//! symlink only if the caller says so.

use super::entry::At;
#[cfg(unix)]
use super::errno::os;
use super::status::{FileKind, FileStatus};
use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

/// A regular file as it was read.
#[derive(Debug)]
pub struct Contents {
    /// The whole content.
    pub bytes: Vec<u8>,
    /// What the file system said of it at the time.
    pub meta: Metadata,
    /// The file itself, whatever its name means by now.
    pub file: File,
}

impl Contents {
    /// Returns the time of the last change of the content.
    pub fn modified(&self) -> SystemTime {
        modified(&self.meta)
    }
}

fn modified(meta: &Metadata) -> SystemTime {
    meta.modified().unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The reason why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Something else than a regular file lies there; it was not opened.
    #[error("it is {kind}, not a regular file")]
    NotRegular {
        /// What it is.
        kind: FileKind,
        /// When its content last changed.
        modified: SystemTime,
    },
    /// It holds more than `limit` bytes.
    #[error("it is larger than {limit} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
        /// When its content last changed.
        modified: SystemTime,
    },
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The treatment of a symbolic link in the last component of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// It is refused, as [`ReadError::NotRegular`].
    Refuse,
    /// It is followed: for files that people link, as they do `CLAUDE.md`.
    Follow,
}

/// Reads the regular file at `at`, at most `limit` bytes; `None` if it does not exist.
///
/// It looks before it opens, since opening a FIFO or a device is itself an act
/// that its other end can see, and looks again at what was opened. A file that
/// vanishes, or turns stale on a server, between the two is looked for again:
/// somebody has just put another in its place.
pub fn read_small(
    at: &(impl At + ?Sized),
    limit: u64,
    links: Links,
) -> Result<Option<Contents>, ReadError> {
    const TRIES: usize = 8;
    for _ in 1..TRIES {
        match try_read(at, limit, links) {
            Err(ReadError::Io(error)) if may_be_gone(&error) => {}
            done => return done,
        }
    }
    match try_read(at, limit, links) {
        Err(ReadError::Io(error)) if is_absence(&error) => Ok(None),
        done => done,
    }
}

fn try_read(
    at: &(impl At + ?Sized),
    limit: u64,
    links: Links,
) -> Result<Option<Contents>, ReadError> {
    let refuse_irregular = |status: &FileStatus| match status.kind {
        None => Ok(()),
        Some(kind) => Err(ReadError::NotRegular {
            kind,
            modified: status.modified,
        }),
    };
    match status_of(at, links) {
        Ok(status) => refuse_irregular(&status)?,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    let file = open_to_read(at, links)?;
    let meta = file.metadata()?;
    refuse_irregular(&FileStatus::of(&meta))?;
    let too_large = || ReadError::TooLarge {
        limit,
        modified: modified(&meta),
    };
    if meta.len() > limit {
        return Err(too_large());
    }
    // One byte more than it should hold, so that a file of that very size ends
    // the loop in two calls instead of three.
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
    (&file).take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    Ok(Some(Contents { bytes, meta, file }))
}

/// The size of a buffer for [`read_at_once`]: few files of the kind have more.
pub const ONE_READ: usize = 4096;

/// Reads a file with an open and one read into `buffer`, if it fits: one of the many
/// small files of a folder in which only this user writes.
///
/// A regular file gives a short read only at its end; one that fills the buffer is
/// read again, with care, at most `limit` bytes. Anything else gives nothing, an
/// error, or what does not parse, and never waits.
pub fn read_at_once<'a>(
    at: &(impl At + ?Sized),
    limit: u64,
    links: Links,
    buffer: &'a mut [u8],
) -> Option<Cow<'a, [u8]>> {
    let length = open_to_read(at, links).ok()?.read(buffer).ok()?;
    if length < buffer.len() {
        return Some(Cow::Borrowed(&buffer[..length]));
    }
    let contents = read_small(at, limit, links).ok()??;
    Some(Cow::Owned(contents.bytes))
}

/// Reads a small file that the kernel makes anew for each reader, in one call:
/// a second one would only find its end.
pub fn read_proc(path: impl AsRef<Path>) -> Option<Vec<u8>> {
    let mut bytes = [0; 4096];
    let length = File::open(path).ok()?.read(&mut bytes).ok()?;
    Some(bytes[..length].to_vec())
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Recognises an error that another look may not meet.
fn may_be_gone(error: &io::Error) -> bool {
    is_absence(error)
        || matches!(
            error.kind(),
            io::ErrorKind::StaleNetworkFileHandle | io::ErrorKind::Interrupted
        )
}

/// Asks the file system about a name; a link is itself.
pub fn status(at: &(impl At + ?Sized)) -> io::Result<FileStatus> {
    status_of(at, Links::Refuse)
}

#[cfg(unix)]
fn status_of(at: &(impl At + ?Sized), links: Links) -> io::Result<FileStatus> {
    use rustix::fs::AtFlags;
    let flags = match links {
        Links::Refuse => AtFlags::SYMLINK_NOFOLLOW,
        Links::Follow => AtFlags::empty(),
    };
    let stat = os(rustix::fs::statat(at.folder(), at.name(), flags))?;
    Ok(FileStatus::of_stat(&stat))
}

#[cfg(not(unix))]
fn status_of(at: &(impl At + ?Sized), links: Links) -> io::Result<FileStatus> {
    let meta = match links {
        Links::Refuse => std::fs::symlink_metadata(at.path()),
        Links::Follow => std::fs::metadata(at.path()),
    };
    meta.map(|meta| FileStatus::of(&meta))
}

/// Opens a file to be read, without waiting for a FIFO's other end.
#[cfg(unix)]
pub(super) fn open_to_read(at: &(impl At + ?Sized), links: Links) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let flags = match links {
        Links::Refuse => flags | OFlags::NOFOLLOW,
        Links::Follow => flags,
    };
    let opened = rustix::io::retry_on_intr(|| {
        rustix::fs::openat(at.folder(), at.name(), flags, Mode::empty())
    });
    os(opened).map(File::from)
}

#[cfg(not(unix))]
pub(super) fn open_to_read(at: &(impl At + ?Sized), _links: Links) -> io::Result<File> {
    File::open(at.path())
}
