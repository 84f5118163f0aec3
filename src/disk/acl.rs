//! POSIX ACLs, which Linux keeps as an attribute of a file.

pub use system::*;

#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    use rustix::fs::{XattrFlags, fgetxattr, fremovexattr, fsetxattr};
    use rustix::io::Errno;
    use std::fs::File;
    use std::io;

    const NAME: &str = "system.posix_acl_access";
    /// Room for 127 entries; files with more exist on no board.
    const MAX_BYTES: usize = 1024;

    /// Tells whether an error means that there is no ACL. EIO is what `rclone
    /// mount` answers for every attribute of a file that it reads well.
    pub fn is_none(error: Errno) -> bool {
        matches!(
            error,
            Errno::NODATA | Errno::NOTSUP | Errno::NOSYS | Errno::INVAL | Errno::PERM | Errno::IO
        )
    }

    pub fn read(file: &File) -> io::Result<Option<Vec<u8>>> {
        let mut acl = [0; MAX_BYTES];
        match fgetxattr(file, NAME, &mut acl[..]) {
            Ok(length) => Ok(Some(acl[..length].to_owned())),
            Err(error) if is_none(error) => Ok(None),
            // One too long to be copied: nobody but the owner, then.
            Err(Errno::RANGE) => Ok(Some(Vec::new())),
            Err(error) => Err(error.into()),
        }
    }

    pub fn write(file: &File, acl: &[u8]) -> io::Result<()> {
        Ok(fsetxattr(file, NAME, acl, XattrFlags::empty())?)
    }

    pub fn remove(file: &File) -> io::Result<()> {
        match fremovexattr(file, NAME) {
            Err(error) if !is_none(error) => Err(error.into()),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Returns the mode that allows nobody more than this ACL does.
    ///
    /// Whom the ACL names may be in the group, or be anybody: both get only
    /// what all of those have.
    pub fn common(acl: &[u8]) -> u32 {
        const USER: u16 = 2;
        const GROUP_ITSELF: u16 = 4;
        const GROUP: u16 = 8;
        const MASK: u16 = 16;
        const OTHER: u16 = 32;
        let Some((_version, entries)) = acl.split_first_chunk::<4>() else {
            return 0o600;
        };
        let (mut named, mut group, mut mask, mut other) = (7, 0, 7, 0);
        for entry in entries.chunks_exact(8) {
            let tag = u16::from_le_bytes([entry[0], entry[1]]);
            let may = u32::from(entry[2]) & 7;
            match tag {
                USER | GROUP => named &= may,
                GROUP_ITSELF => group = may,
                MASK => mask = may,
                OTHER => other = may,
                _ => {}
            }
        }
        let named = named & mask;
        0o600 | (group & named) << 3 | (other & named)
    }
}

/// Elsewhere an ACL is not an attribute that could be copied.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
mod system {
    use std::fs::File;
    use std::io;

    pub fn read(_file: &File) -> io::Result<Option<Vec<u8>>> {
        Ok(None)
    }

    pub fn write(_file: &File, _acl: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn remove(_file: &File) -> io::Result<()> {
        Ok(())
    }

    pub fn common(_acl: &[u8]) -> u32 {
        0o600
    }
}
