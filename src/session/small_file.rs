//! The one way in which this module and its neighbours read a file.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Says why a file that is there could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Reports a folder, FIFO, socket or device where a file is expected.
    #[error("`{}` is not a regular file; remove it or put the file in its place", .0.display())]
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
/// Symlinks are followed, since `CLAUDE.md` is often one. A FIFO is opened
/// without waiting for its writer, and then refused by what the handle says,
/// so nothing can be exchanged between the look and the read.
pub fn read_regular(path: &Path, cap: u64) -> Result<Option<Vec<u8>>, ReadError> {
    let failed = |source| ReadError::Io {
        path: path.to_path_buf(),
        source,
    };
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if is_absence(&error) => return Ok(None),
        // A socket cannot be opened at all, and its error names nothing useful.
        Err(_) if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file()) => {
            return Err(ReadError::NotRegular(path.to_path_buf()));
        }
        Err(error) => return Err(failed(error)),
    };
    let meta = file.metadata().map_err(failed)?;
    if !meta.is_file() {
        return Err(ReadError::NotRegular(path.to_path_buf()));
    }
    let too_large = || ReadError::TooLarge {
        path: path.to_path_buf(),
        cap,
    };
    if meta.len() > cap {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
    // One byte more than the cap: the file may grow while it is read.
    file.take(cap.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > cap {
        return Err(too_large());
    }
    Ok(Some(bytes))
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

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
