//! Files of the user's or a repository's, read whole, with errors that name them.

use crate::disk::{Links, ReadError, read_small};
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a file that exists could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A folder, FIFO, socket or device where a file is expected.
    #[error("`{}` is not a regular file; replace it by a regular file", .0.display())]
    NotRegular(PathBuf),
    /// A file beyond the cap, in bytes.
    #[error("`{}` is larger than {cap} bytes; remove it or make it smaller", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The greatest size that is read, in bytes.
        cap: u64,
    },
    /// What the system said.
    #[error("`{}` cannot be read: {source}; check its permissions", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// Reads a regular file of at most `cap` bytes; a missing one is `None`.
///
/// Symlinks are followed, since `CLAUDE.md` is often one.
pub fn read(path: &Path, cap: u64) -> Result<Option<Vec<u8>>, FileError> {
    let path_buf = || path.to_owned();
    read_small(path, cap, Links::Follow)
        .map(|contents| contents.map(|contents| contents.bytes))
        .map_err(|error| match error {
            ReadError::NotRegular { .. } => FileError::NotRegular(path_buf()),
            ReadError::TooLarge { limit, .. } => FileError::TooLarge {
                path: path_buf(),
                cap: limit,
            },
            ReadError::Io(source) => FileError::Io {
                path: path_buf(),
                source,
            },
        })
}
