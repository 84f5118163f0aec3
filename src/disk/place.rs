//! Putting things in place: create, fill, publish, swap, replace, remove.

use super::step;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Creates a folder and those above it; being there already is fine.
pub fn create_folder(step: &'static str, path: &Path) -> io::Result<()> {
    step::around(step, || match path.is_dir() {
        true => Ok(()),
        false => std::fs::create_dir_all(path),
    })
}

/// Creates a file that must not exist yet, readable by its owner and `mode`.
pub fn create_new(step: &'static str, path: &Path, mode: u32) -> io::Result<File> {
    step::around(step, || {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
        #[cfg(not(unix))]
        let _ = mode;
        options.open(path)
    })
}

/// Writes the whole content of a new file in one call.
pub fn fill(step: &'static str, mut file: &File, bytes: &[u8]) -> io::Result<()> {
    step::around(step, || file.write_all(bytes))
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
    step::around(step, act)
}

/// Gives the complete file `from` the name `to`, unless something has it.
///
/// A hard link, else a rename that refuses to replace. exFAT is the real case
/// of the second: no links, but no-replace works. Where the file system has
/// neither the error is one of [`is_unsupported`]; see [`copy_new`] and
/// [`move_new`]. An existing `to` is [`ErrorKind::AlreadyExists`]; `from` then
/// stays.
pub fn place_new(step: &'static str, from: &Path, to: &Path) -> io::Result<()> {
    match step::around(step, || link(from, to)) {
        Ok(()) => {
            // It is done: a second name that stays is swept as a leftover.
            let _ = remove("pending.unlink", from);
            Ok(())
        }
        Err(error) if is_unsupported(&error) => step::around(step, || rename_new(from, to)),
        Err(error) => Err(error),
    }
}

/// Copies the complete file `from` to the name `to`, unless something has it.
///
/// Whoever looks meanwhile, or after a crash, sees half of it: only for what
/// its readers know to be half.
pub fn copy_new(step: &'static str, from: &Path, to: &Path, mode: u32) -> io::Result<()> {
    let bytes = std::fs::read(from)?;
    let mut file = create_new(step, to, mode)?;
    file.write_all(&bytes)?;
    file.sync_all()?;
    let _ = remove("pending.unlink", from);
    Ok(())
}

/// Links without clobbering, and believes the file rather than the reply.
///
/// On NFS the reply to a link can be lost and its repetition be answered
/// with "exists"; two names of one file say that it was done (open(2)).
#[allow(clippy::disallowed_methods, reason = "this is the shim")]
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    let linked = std::fs::hard_link(from, to);
    #[cfg(unix)]
    if matches!(&linked, Err(error) if error.kind() == ErrorKind::AlreadyExists) {
        use std::os::unix::fs::MetadataExt;
        let (ours, theirs) = (
            std::fs::symlink_metadata(from)?,
            std::fs::symlink_metadata(to),
        );
        if theirs.is_ok_and(|theirs| theirs.ino() == ours.ino() && theirs.dev() == ours.dev()) {
            return Ok(());
        }
    }
    linked
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_with(from: &Path, to: &Path, flags: rustix::fs::RenameFlags) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(
        rustix::fs::CWD,
        from,
        rustix::fs::CWD,
        to,
        flags,
    )?)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    rename_with(from, to, rustix::fs::RenameFlags::NOREPLACE)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn rename_new(_from: &Path, _to: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Swaps two existing names atomically, be they files or folders.
///
/// Where that does not exist the error is one of [`is_unsupported`].
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub fn exchange(step: &'static str, one: &Path, other: &Path) -> io::Result<()> {
    step::around(step, || {
        rename_with(one, other, rustix::fs::RenameFlags::EXCHANGE)
    })
}

/// Swaps two existing names atomically; this platform cannot.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub fn exchange(_step: &'static str, _one: &Path, _other: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Moves `from` over `to`, which is replaced if it exists.
#[allow(clippy::disallowed_methods, reason = "this is the shim")]
pub fn replace(step: &'static str, from: &Path, to: &Path) -> io::Result<()> {
    step::around(step, || std::fs::rename(from, to))
}

/// Moves `from` to the free name `to`, or fails with [`ErrorKind::AlreadyExists`].
///
/// Where a rename cannot refuse, it looks first.
#[allow(clippy::disallowed_methods, reason = "this is the shim")]
pub fn move_new(step: &'static str, from: &Path, to: &Path) -> io::Result<()> {
    match step::around(step, || rename_new(from, to)) {
        Err(error) if is_unsupported(&error) => {}
        done => return done,
    }
    match std::fs::symlink_metadata(to) {
        Ok(_) => Err(ErrorKind::AlreadyExists.into()),
        Err(_) => step::around(step, || std::fs::rename(from, to)),
    }
}

/// Removes a file; its absence is fine.
#[allow(clippy::disallowed_methods, reason = "this is the shim")]
pub fn remove(step: &'static str, path: &Path) -> io::Result<()> {
    step::around(step, || match std::fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        done => done,
    })
}

/// Removes an empty folder.
#[allow(clippy::disallowed_methods, reason = "this is the shim")]
pub fn remove_folder(step: &'static str, path: &Path) -> io::Result<()> {
    step::around(step, || std::fs::remove_dir(path))
}

/// Makes the names in a folder durable; a platform that cannot is fine.
pub fn sync_folder(step: &'static str, path: &Path) -> io::Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    step::around(step, || match File::open(path)?.sync_all() {
        Err(error) if is_unsupported(&error) => Ok(()),
        done => done,
    })
}

/// Says whether an error means that the file system lacks the operation.
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
