//! What the errors of the operating system mean.

use std::io::{self, ErrorKind};

/// Makes a system call's result one of the standard library's.
#[cfg(unix)]
pub(super) fn os<T>(result: rustix::io::Result<T>) -> io::Result<T> {
    result.map_err(io::Error::from)
}

/// Returns whether an error means that the file system lacks the operation.
///
/// Which one it is differs: EPERM (FAT), EOPNOTSUPP (network volumes), ENOSYS
/// (old kernels), EINVAL (flags of renameat2; a folder's fsync), EMLINK.
pub fn is_unsupported(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let known = [
            Errno::PERM,
            Errno::NOTSUP,
            Errno::OPNOTSUPP,
            Errno::NOSYS,
            Errno::INVAL,
            Errno::MLINK,
        ];
        error
            .raw_os_error()
            .is_some_and(|code| known.iter().any(|e| e.raw_os_error() == code))
            || error.kind() == ErrorKind::Unsupported
    }
    #[cfg(not(unix))]
    {
        error.kind() == ErrorKind::Unsupported || error.raw_os_error() == Some(1)
    }
}

/// Recognises an error that says nothing of the file: no free descriptor
/// (EMFILE, ENFILE), a handle that a server has forgotten (ESTALE), a signal.
pub fn is_passing(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let codes = [Errno::MFILE, Errno::NFILE].map(Errno::raw_os_error);
        if error
            .raw_os_error()
            .is_some_and(|code| codes.contains(&code))
        {
            return true;
        }
    }
    matches!(
        error.kind(),
        ErrorKind::StaleNetworkFileHandle | ErrorKind::Interrupted
    )
}

/// Recognises EIO: a disk that is broken, but also what file systems over a network
/// or a cache say of a file that is being replaced (rclone).
pub fn is_io(error: &io::Error) -> bool {
    #[cfg(unix)]
    return error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error());
    #[cfg(not(unix))]
    {
        let _ = error;
        false
    }
}

/// Recognises a file that another program has open: a virus scanner, an indexer
/// or a sync tool.
pub(super) fn is_busy(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ResourceBusy | ErrorKind::PermissionDenied
    )
}
