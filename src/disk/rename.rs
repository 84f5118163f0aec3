//! Links, renames and removals: giving names, swapping them, taking them away.

use super::entry::At;
use super::errno::is_unsupported;
#[cfg(unix)]
use super::errno::os;
use super::status::FileStatus;
use super::write::create_new;
use super::{failpoint, read};
use std::io::{self, ErrorKind};

/// Publishes the complete file `from` as `to`, unless something is there.
///
/// A hard link, else a rename that refuses to replace; see [`link_new`]. Where
/// the file system has neither the error is one of [`is_unsupported`]; see
/// [`move_new`]. An existing `to` is [`ErrorKind::AlreadyExists`]; `from` then
/// stays. Some FUSE drivers drop the flag of such a rename: two hosts that
/// publish in the same instant then both succeed.
pub fn publish_new(
    step: &'static str,
    from: &(impl At + ?Sized),
    to: &(impl At + ?Sized),
) -> io::Result<()> {
    match link_new(step, from, to) {
        Err(error) if is_no_link(&error) => failpoint::around(step, || rename_new(from, to)),
        done => done,
    }
}

/// Publishes the complete file `from` as `to` for one of several hosts.
///
/// A hard link, else an exclusive create and a write: what no file system that
/// was met lies about. A reader meanwhile, or after a crash, may see half of
/// it: only for files whose readers recognise half a file.
pub fn publish_exclusive(
    step: &'static str,
    from: &(impl At + ?Sized),
    to: &(impl At + ?Sized),
    mode: u32,
) -> io::Result<()> {
    match link_new(step, from, to) {
        Err(error) if is_no_link(&error) => copy_new(step, from, to, mode),
        done => done,
    }
}

fn link_new(
    step: &'static str,
    from: &(impl At + ?Sized),
    to: &(impl At + ?Sized),
) -> io::Result<()> {
    failpoint::around(step, || link(from, to))?;
    // It is done: a second name that stays is swept as a leftover.
    let _ = remove("pending.unlink", from);
    Ok(())
}

/// Why a link cannot be made differs (EPERM, EACCES, EXDEV, EIO, ENOTSUP, EMLINK
/// and ENOSYS were seen), so every error but two is taken to mean that.
fn is_no_link(error: &io::Error) -> bool {
    !matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound)
}

fn copy_new(
    step: &'static str,
    from: &(impl At + ?Sized),
    to: &(impl At + ?Sized),
    mode: u32,
) -> io::Result<()> {
    let mut source = read::open_to_read(from, read::Links::Refuse)?;
    let mut file = create_new(step, to, mode)?;
    let copied = io::copy(&mut source, &mut file).and_then(|_| file.sync_all());
    // Whoever took us for dead in the middle of it has put theirs there.
    let ours = FileStatus::of(&file.metadata()?).id;
    let is_ours = read::status(to).is_ok_and(|now| now.id == ours);
    match copied {
        Ok(()) if is_ours => {
            let _ = remove("pending.unlink", from);
            Ok(())
        }
        Ok(()) => Err(ErrorKind::AlreadyExists.into()),
        Err(error) => {
            if is_ours {
                let _ = remove("pending.unlink", to);
            }
            Err(error)
        }
    }
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
