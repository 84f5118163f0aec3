//! Putting things in place: create, fill, publish, swap, replace, remove.

use super::folder::At;
use super::status::FileStatus;
use super::{Backoff, Patience, failpoint, read};
use std::fs::File;
#[cfg(not(unix))]
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;
use std::time::Duration;

/// Creates a folder and those above it; being there already is fine.
pub fn create_folder(step: &'static str, path: &Path) -> io::Result<()> {
    failpoint::around(step, || match path.is_dir() {
        true => Ok(()),
        false => std::fs::create_dir_all(path),
    })
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

/// Makes a system call's result one of the standard library's.
#[cfg(unix)]
pub(super) fn os<T>(result: rustix::io::Result<T>) -> io::Result<T> {
    result.map_err(io::Error::from)
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

/// Writes the whole content of a new file in one call.
pub fn fill(step: &'static str, mut file: &File, bytes: &[u8]) -> io::Result<()> {
    failpoint::around(step, || file.write_all(bytes))
}

/// Writes over the bytes of a regular file that is there, and gives what it is then.
///
/// Whoever reads meanwhile, or after a crash, sees half of it.
pub fn write_over(
    step: &'static str,
    at: &(impl At + ?Sized),
    bytes: &[u8],
    sync: bool,
) -> io::Result<FileStatus> {
    failpoint::around(step, || {
        let mut file = open_to_write(at, Write::Over)?;
        if !file.metadata()?.is_file() {
            return Err(ErrorKind::InvalidInput.into());
        }
        file.write_all(bytes)?;
        file.set_len(bytes.len() as u64)?;
        if sync {
            file.sync_all()?;
        }
        Ok(FileStatus::of(&file.metadata()?))
    })
}

/// Adds bytes to the end of a regular file that is there, in one call.
pub fn append(step: &'static str, at: &(impl At + ?Sized), bytes: &[u8]) -> io::Result<()> {
    failpoint::around(step, || {
        let mut file = open_to_write(at, Write::Append)?;
        match file.metadata()?.is_file() {
            true => file.write_all(bytes),
            false => Err(ErrorKind::InvalidInput.into()),
        }
    })
}

/// Where the bytes of a file that is there are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Write {
    Over,
    Append,
}

#[cfg(unix)]
fn open_to_write(at: &(impl At + ?Sized), write: Write) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let mut flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    flags.set(OFlags::APPEND, write == Write::Append);
    let opened = rustix::fs::openat(at.folder(), at.name(), flags, Mode::empty());
    os(opened).map(File::from)
}

#[cfg(not(unix))]
fn open_to_write(at: &(impl At + ?Sized), write: Write) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(write == Write::Append).write(true);
    options.open(at.path())
}

/// Tries for up to 100 ms what the system may grant in a moment.
///
/// A virus scanner, a sync tool or another client of a share has the file open
/// (EBUSY, EACCES, EPERM), a table of open files is full (EMFILE, ENFILE), a
/// server has just replaced what we had opened (ESTALE).
pub fn patiently<T>(mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut backoff = None;
    loop {
        match act() {
            Err(error) if may_pass(&error) => {
                let patience = || Backoff::new(PATIENCE, Duration::from_millis(10));
                if !backoff.get_or_insert_with(patience).pause() {
                    return Err(error);
                }
            }
            done => return done,
        }
    }
}

const PATIENCE: Patience = Patience::For(Duration::from_millis(100));

fn may_pass(error: &io::Error) -> bool {
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    matches!(
        error.kind(),
        ErrorKind::ResourceBusy | ErrorKind::PermissionDenied | ErrorKind::StaleNetworkFileHandle
    ) || (cfg!(unix) && matches!(error.raw_os_error(), Some(ENFILE | EMFILE)))
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

/// Gives the complete file `from` the name `to`, unless something has it.
///
/// A hard link, else a rename that refuses to replace. exFAT is the real case
/// of the second: no links, but no-replace works. Why a link cannot be made
/// differs (EPERM, EACCES, EXDEV, EIO, ENOTSUP, EMLINK and ENOSYS were seen),
/// so every error but two says no more than that. Where the file system has
/// neither the error is one of [`is_unsupported`]; see [`copy_new`] and
/// [`move_new`]. An existing `to` is [`ErrorKind::AlreadyExists`]; `from` then
/// stays.
pub fn place_new(
    step: &'static str,
    from: &(impl At + ?Sized),
    to: &(impl At + ?Sized),
) -> io::Result<()> {
    match failpoint::around(step, || link(from, to)) {
        Ok(()) => {
            // It is done: a second name that stays is swept as a leftover.
            let _ = remove("pending.unlink", from);
            Ok(())
        }
        Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) => {
            Err(error)
        }
        Err(_) => failpoint::around(step, || rename_new(from, to)),
    }
}

/// Copies the complete file `from` to the name `to`, unless something has it.
///
/// Whoever looks meanwhile, or after a crash, sees half of it: only for what
/// its readers know to be half.
pub fn copy_new(
    step: &'static str,
    from: &(impl At + ?Sized),
    to: &(impl At + ?Sized),
    mode: u32,
) -> io::Result<()> {
    let mut source = read::open_to_read(from, read::Links::Refuse)?;
    let mut file = create_new(step, to, mode)?;
    io::copy(&mut source, &mut file)?;
    file.sync_all()?;
    let _ = remove("pending.unlink", from);
    Ok(())
}

/// Links without clobbering, and believes the file rather than the reply.
///
/// On NFS the reply to a link can be lost and its repetition be answered
/// with "exists"; two names of one file say that it was done (open(2)).
pub(super) fn link(from: &(impl At + ?Sized), to: &(impl At + ?Sized)) -> io::Result<()> {
    #[cfg(unix)]
    let linked = os(rustix::fs::linkat(
        from.folder(),
        from.name(),
        to.folder(),
        to.name(),
        rustix::fs::AtFlags::empty(),
    ));
    #[cfg(not(unix))]
    #[allow(clippy::disallowed_methods, reason = "this is the shim")]
    let linked = std::fs::hard_link(from.path(), to.path());
    if matches!(&linked, Err(error) if error.kind() == ErrorKind::AlreadyExists) {
        let ours = read::status(from)?.id;
        if ours.is_some() && read::status(to).is_ok_and(|theirs| theirs.id == ours) {
            return Ok(());
        }
    }
    linked
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_with(
    from: &(impl At + ?Sized),
    to: &(impl At + ?Sized),
    flags: rustix::fs::RenameFlags,
) -> io::Result<()> {
    let (from, to) = ((from.folder(), from.name()), (to.folder(), to.name()));
    os(rustix::fs::renameat_with(from.0, from.1, to.0, to.1, flags))
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn rename_new(from: &(impl At + ?Sized), to: &(impl At + ?Sized)) -> io::Result<()> {
    rename_with(from, to, rustix::fs::RenameFlags::NOREPLACE)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn rename_new(_from: &(impl At + ?Sized), _to: &(impl At + ?Sized)) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Swaps two existing names atomically, be they files or folders.
///
/// Where that does not exist the error is one of [`is_unsupported`].
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub fn exchange(
    step: &'static str,
    one: &(impl At + ?Sized),
    other: &(impl At + ?Sized),
) -> io::Result<()> {
    failpoint::around(step, || {
        rename_with(one, other, rustix::fs::RenameFlags::EXCHANGE)
    })
}

/// Swaps two existing names atomically; this platform cannot.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub fn exchange(
    _step: &'static str,
    _one: &(impl At + ?Sized),
    _other: &(impl At + ?Sized),
) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Moves `from` over `to`, which is replaced if it exists.
pub fn replace(
    step: &'static str,
    from: &(impl At + ?Sized),
    to: &(impl At + ?Sized),
) -> io::Result<()> {
    failpoint::around(step, || rename(from, to))
}

#[cfg(unix)]
fn rename(from: &(impl At + ?Sized), to: &(impl At + ?Sized)) -> io::Result<()> {
    os(rustix::fs::renameat(
        from.folder(),
        from.name(),
        to.folder(),
        to.name(),
    ))
}

#[cfg(not(unix))]
#[allow(clippy::disallowed_methods, reason = "this is the shim")]
fn rename(from: &(impl At + ?Sized), to: &(impl At + ?Sized)) -> io::Result<()> {
    std::fs::rename(from.path(), to.path())
}

/// Moves `from` to the free name `to`, or fails with [`ErrorKind::AlreadyExists`].
///
/// Where a rename cannot refuse, it looks first.
pub fn move_new(
    step: &'static str,
    from: &(impl At + ?Sized),
    to: &(impl At + ?Sized),
) -> io::Result<()> {
    match failpoint::around(step, || rename_new(from, to)) {
        Err(error) if is_unsupported(&error) => {}
        done => return done,
    }
    match read::status(to) {
        Ok(_) => Err(ErrorKind::AlreadyExists.into()),
        Err(_) => failpoint::around(step, || rename(from, to)),
    }
}

/// Removes a file; its absence is fine.
pub fn remove(step: &'static str, at: &(impl At + ?Sized)) -> io::Result<()> {
    failpoint::around(step, || match unlink(at) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        done => done,
    })
}

#[cfg(unix)]
fn unlink(at: &(impl At + ?Sized)) -> io::Result<()> {
    let flags = rustix::fs::AtFlags::empty();
    os(rustix::fs::unlinkat(at.folder(), at.name(), flags))
}

#[cfg(not(unix))]
#[allow(clippy::disallowed_methods, reason = "this is the shim")]
fn unlink(at: &(impl At + ?Sized)) -> io::Result<()> {
    std::fs::remove_file(at.path())
}

/// Removes an empty folder.
pub fn remove_folder(step: &'static str, at: &(impl At + ?Sized)) -> io::Result<()> {
    #[cfg(unix)]
    let act = || {
        let flags = rustix::fs::AtFlags::REMOVEDIR;
        os(rustix::fs::unlinkat(at.folder(), at.name(), flags))
    };
    #[cfg(not(unix))]
    #[allow(clippy::disallowed_methods, reason = "this is the shim")]
    let act = || std::fs::remove_dir(at.path());
    failpoint::around(step, act)
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
