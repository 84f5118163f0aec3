//! The one way in which this module and its neighbours read a file.

use crate::disk;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a file that exists could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SmallFileError {
    /// Reports a folder, FIFO, socket or device where a file is expected.
    #[error("`{}` is not a regular file; replace it by a regular file", .0.display())]
    NotRegular(PathBuf),
    /// Reports a file beyond the cap, in bytes.
    #[error("`{}` is larger than {cap} bytes; remove it or make it smaller", path.display())]
    TooLarge {
        /// Names the file.
        path: PathBuf,
        /// Gives the greatest size that is read, in bytes.
        cap: u64,
    },
    /// Reports what the system said.
    #[error("`{}` cannot be read: {source}; check its permissions", path.display())]
    Io {
        /// Names the file.
        path: PathBuf,
        /// Gives the system's reason.
        source: io::Error,
    },
}

/// Reads a regular file of at most `cap` bytes; one that is not there is `None`.
///
/// Symlinks are followed, since `CLAUDE.md` is often one.
pub fn read_regular(path: &Path, cap: u64) -> Result<Option<Vec<u8>>, SmallFileError> {
    match disk::read_small(path, cap, disk::Links::Follow) {
        Ok(contents) => Ok(contents.map(|contents| contents.bytes)),
        Err(disk::ReadError::NotRegular { .. }) => {
            Err(SmallFileError::NotRegular(path.to_path_buf()))
        }
        Err(disk::ReadError::TooLarge { limit, .. }) => Err(SmallFileError::TooLarge {
            path: path.to_path_buf(),
            cap: limit,
        }),
        Err(disk::ReadError::Io(source)) => Err(SmallFileError::Io {
            path: path.to_path_buf(),
            source,
        }),
    }
}

/// Opens for reading without ever waiting for somebody at the other end.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    options.open(path)
}
