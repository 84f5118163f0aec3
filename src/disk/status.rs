//! What the file system knows of a file without opening it.

use std::fmt;
use std::fs::{FileType, Metadata};
use std::time::SystemTime;
#[cfg(unix)]
use std::time::{Duration, UNIX_EPOCH};

/// The identity of a file on this host: device and inode, written `259:1311045`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Takes the identity out of `meta`; `None` where the platform has none.
    pub fn of(meta: &Metadata) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(Self {
                device: meta.dev(),
                inode: meta.ino(),
            })
        }
        #[cfg(not(unix))]
        {
            let _ = meta;
            None
        }
    }

    /// Compares the devices: whether both lie on one file system, as far as can be told.
    pub fn same_device(self, other: Self) -> bool {
        self.device == other.device
    }
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.device, self.inode)
    }
}

/// The kind of something at a path where a regular file was wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A folder.
    Folder,
    /// A symbolic link, wherever it leads.
    Symlink,
    /// A FIFO, socket or device.
    Special,
}

impl FileKind {
    /// Names the kind of a file type; `None` for a regular file.
    pub fn of(file_type: FileType) -> Option<Self> {
        Self::new(
            file_type.is_file(),
            file_type.is_dir(),
            file_type.is_symlink(),
        )
    }

    fn new(is_file: bool, is_folder: bool, is_symlink: bool) -> Option<Self> {
        match (is_file, is_folder, is_symlink) {
            (true, ..) => None,
            (_, true, _) => Some(Self::Folder),
            (_, _, true) => Some(Self::Symlink),
            _ => Some(Self::Special),
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Folder => "a folder",
            Self::Symlink => "a symbolic link",
            Self::Special => "a FIFO, socket or device",
        })
    }
}

/// The file system's description of a name at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStatus {
    /// What it is; `None` is a regular file.
    pub kind: Option<FileKind>,
    /// Which file it is, where the platform tells.
    pub id: Option<FileId>,
    /// How many bytes it holds.
    pub length: u64,
    /// When its content last changed.
    pub modified: SystemTime,
    /// When it was last written, renamed, linked or given other permissions.
    pub changed: SystemTime,
}

impl FileStatus {
    /// Takes what `meta` says.
    pub fn of(meta: &Metadata) -> Self {
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt;
            time(meta.ctime(), meta.ctime_nsec())
        };
        #[cfg(not(unix))]
        let changed = meta.created().unwrap_or(SystemTime::UNIX_EPOCH);
        Self {
            kind: FileKind::of(meta.file_type()),
            id: FileId::of(meta),
            length: meta.len(),
            modified: meta.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            changed,
        }
    }

    /// Takes what `stat` says.
    #[cfg(unix)]
    #[allow(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        reason = "the types of the fields differ from system to system"
    )]
    pub(super) fn of_stat(stat: &rustix::fs::Stat) -> Self {
        let file_type = rustix::fs::FileType::from_raw_mode(stat.st_mode);
        Self {
            kind: FileKind::new(
                file_type.is_file(),
                file_type.is_dir(),
                file_type.is_symlink(),
            ),
            id: Some(FileId {
                device: stat.st_dev as u64,
                inode: stat.st_ino as u64,
            }),
            length: u64::try_from(stat.st_size).unwrap_or(0),
            modified: time(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: time(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }
}

/// Converts a time of the kernel's; one before 1970 counts as 1970.
#[cfg(unix)]
fn time(seconds: i64, nanoseconds: i64) -> SystemTime {
    let seconds = u64::try_from(seconds).unwrap_or(0);
    let nanoseconds = u32::try_from(nanoseconds).unwrap_or(0);
    UNIX_EPOCH + Duration::new(seconds.min(1 << 40), nanoseconds.min(999_999_999))
}
