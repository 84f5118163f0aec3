//! Reading what others may have planted: bounded, never through a symlink,
//! never from a pipe.

use std::ffi::OsString;
use std::fmt;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

/// Identifies a file on this host: device and inode, written `259:1311045`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Takes the identity out of `meta`; `None` where the platform has none.
    #[cfg(unix)]
    pub fn of(meta: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self {
            device: meta.dev(),
            inode: meta.ino(),
        })
    }

    /// Takes the identity out of `meta`; `None` where the platform has none.
    #[cfg(not(unix))]
    pub fn of(_meta: &Metadata) -> Option<Self> {
        None
    }

    /// Says whether both lie on one file system, as far as can be told.
    pub fn same_device(self, other: Self) -> bool {
        self.device == other.device
    }
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.device, self.inode)
    }
}

/// Names what lies at a path where a regular file was wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A folder.
    Folder,
    /// A symbolic link, wherever it leads.
    Symlink,
    /// A FIFO, socket or device.
    Special,
}

impl Kind {
    /// Names what `file_type` is; `None` for a regular file.
    pub fn of(file_type: FileType) -> Option<Self> {
        if file_type.is_file() {
            None
        } else if file_type.is_dir() {
            Some(Self::Folder)
        } else if file_type.is_symlink() {
            Some(Self::Symlink)
        } else {
            Some(Self::Special)
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Folder => "a folder",
            Self::Symlink => "a symbolic link",
            Self::Special => "a FIFO, socket or device",
        })
    }
}

/// Holds a regular file as it was read.
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
    /// Gives the time of the last change of the content.
    pub fn modified(&self) -> SystemTime {
        modified(&self.meta)
    }
}

fn modified(meta: &Metadata) -> SystemTime {
    meta.modified().unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Says why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Something else than a regular file lies there; it was not opened.
    #[error("it is {kind}, not a regular file")]
    NotRegular {
        /// What it is.
        kind: Kind,
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

/// Reads the regular file at `path`, at most `limit` bytes; `None` if there is none.
///
/// A symbolic link is not followed.
pub fn read_regular(path: &Path, limit: u64) -> Result<Option<Contents>, ReadError> {
    read(path, limit, Links::Refuse)
}

/// Reads like [`read_regular`], through symbolic links.
///
/// For files that people link: `CLAUDE.md` often is one.
pub fn read_linked(path: &Path, limit: u64) -> Result<Option<Contents>, ReadError> {
    read(path, limit, Links::Follow)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    Refuse,
    Follow,
}

/// Looks before it opens, since opening a FIFO or a device is itself an act
/// that its other end can see, and looks again at what was opened.
fn read(path: &Path, limit: u64, links: Links) -> Result<Option<Contents>, ReadError> {
    let found = match links {
        Links::Refuse => std::fs::symlink_metadata(path),
        Links::Follow => std::fs::metadata(path),
    };
    let found = match found {
        Ok(meta) => meta,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let refuse_irregular = |meta: &Metadata| match Kind::of(meta.file_type()) {
        None => Ok(()),
        Some(kind) => Err(ReadError::NotRegular {
            kind,
            modified: modified(meta),
        }),
    };
    refuse_irregular(&found)?;
    let file = match open_without_waiting(path, links) {
        Ok(file) => file,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let meta = file.metadata()?;
    refuse_irregular(&meta)?;
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

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn open_without_waiting(path: &Path, links: Links) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = match links {
            Links::Refuse => OFlags::NONBLOCK | OFlags::NOFOLLOW,
            Links::Follow => OFlags::NONBLOCK,
        };
        options.custom_flags(flags.bits().cast_signed());
    }
    #[cfg(not(unix))]
    let _ = links;
    options.open(path)
}

/// Lists the names in a folder that are text and that `wanted` picks.
pub fn list(folder: &Path, wanted: impl Fn(&str) -> bool) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name: OsString = entry?.file_name();
        if let Some(name) = name.to_str().filter(|name| wanted(name)) {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}
