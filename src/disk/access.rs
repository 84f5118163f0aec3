//! Who may read and write a file: its owner, its mode and its ACL.
//!
//! A new content gets the access of the old one before it has a byte, and
//! never more: a mode whose owner, group or ACL cannot be kept is cut to what
//! everybody had who could gain by that.

#[cfg(unix)]
use super::acl;
use super::entry::At;
use super::read::{Links, open_to_read};
use std::fs::{File, Metadata};
use std::io;

/// The permissions of a file, to be given to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    mode: u32,
    owner: Option<(u32, u32)>,
    /// The attribute `system.posix_acl_access`, as the kernel keeps it.
    acl: Option<Vec<u8>>,
}

impl From<&Metadata> for Access {
    /// Takes the owner and the mode; an ACL is not among what `meta` holds.
    fn from(meta: &Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Self {
                // No execute and no set-id bit: nobody runs a note.
                mode: meta.mode() & 0o666,
                owner: Some((meta.uid(), meta.gid())),
                acl: None,
            }
        }
        #[cfg(not(unix))]
        {
            let _ = meta;
            Self::default()
        }
    }
}

impl Access {
    /// Takes the permissions of an open file.
    #[cfg(unix)]
    pub fn of(file: &File) -> io::Result<Self> {
        Ok(Self {
            acl: acl::read(file)?,
            ..Self::from(&file.metadata()?)
        })
    }

    /// Takes the permissions of an open file; this platform keeps its own.
    #[cfg(not(unix))]
    pub fn of(_file: &File) -> io::Result<Self> {
        Ok(Self::default())
    }

    /// Takes the permissions of the file at `at`; `None` if it cannot be opened.
    pub fn at(at: &(impl At + ?Sized), links: Links) -> Option<Self> {
        Self::of(&open_to_read(at, links).ok()?).ok()
    }

    /// Returns the mode with which a file is created that will get this access:
    /// what an ACL allows somebody is not yet allowed to a group.
    pub fn initial_mode(&self) -> u32 {
        match self.acl {
            None => self.mode,
            Some(_) => self.mode & 0o600,
        }
    }

    /// Applies this access to a file, as far as that is permitted.
    #[cfg(unix)]
    pub fn give_to(&self, file: &File) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        let meta = file.metadata()?;
        let mut mode = self.mode;
        if let Some((user, group)) = self.owner
            && (meta.uid(), meta.gid()) != (user, group)
            && fchown(file, Some(user), Some(group)).is_err()
            && meta.gid() != group
            && fchown(file, None, Some(group)).is_err()
        {
            // Another group gets no more than everybody had.
            mode &= 0o600 | (mode & 0o007) | (mode & 0o007) << 3;
        }
        let is_kept = mode == self.mode;
        match &self.acl {
            Some(acl) if is_kept && acl::write(file, acl).is_ok() => return Ok(()),
            Some(acl) => mode &= acl::common(acl),
            // A folder may hand an ACL of its own down to what is made in it.
            None => acl::remove(file)?,
        }
        if meta.mode() & 0o7777 != mode {
            file.set_permissions(std::fs::Permissions::from_mode(mode))?;
        }
        Ok(())
    }

    /// Applies nothing; this platform keeps its own.
    #[cfg(not(unix))]
    pub fn give_to(&self, _file: &File) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, any(target_os = "linux", target_os = "android")))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    /// Writes an ACL as the kernel does, of tags and what they may.
    fn acl(entries: &[(u16, u16)]) -> Vec<u8> {
        let mut bytes = 2_u32.to_le_bytes().to_vec();
        for (tag, may) in entries {
            let id = if matches!(tag, 2 | 8) {
                12_345
            } else {
                u32::MAX
            };
            bytes.extend(tag.to_le_bytes());
            bytes.extend(may.to_le_bytes());
            bytes.extend(id.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn an_acl_that_cannot_be_kept_allows_nobody_more() {
        // rw for the owner, r for one user, nothing for the group.
        let one_user = acl(&[(1, 6), (2, 4), (4, 0), (16, 4), (32, 0)]);
        assert_eq!(acl::common(&one_user), 0o600);
        // One user is kept out of what everybody reads.
        let kept_out = acl(&[(1, 6), (2, 0), (4, 4), (16, 4), (32, 4)]);
        assert_eq!(acl::common(&kept_out), 0o600);
        // The mask is an upper bound of the group's.
        let masked = acl(&[(1, 6), (2, 6), (4, 6), (16, 4), (32, 4)]);
        assert_eq!(acl::common(&masked), 0o644);
        assert_eq!(acl::common(&[]), 0o600, "one too long to be read");
    }

    #[test]
    fn an_acl_goes_along_with_the_mode() {
        let file = tempfile::tempfile_in("/dev/shm").unwrap();
        file.set_permissions(std::fs::Permissions::from_mode(0o600))
            .unwrap();
        let wanted = acl(&[(1, 6), (2, 4), (4, 0), (16, 4), (32, 0)]);
        acl::write(&file, &wanted).expect("a tmpfs keeps ACLs");
        let access = Access::of(&file).unwrap();
        assert_eq!(
            access.initial_mode(),
            0o600,
            "0640 would let the group read"
        );
        let other = tempfile::tempfile_in("/dev/shm").unwrap();
        access.give_to(&other).unwrap();
        assert_eq!(Access::of(&other).unwrap(), access);
        // And one that a folder handed down does not stay.
        let plain = Access {
            acl: None,
            ..access
        };
        plain.give_to(&other).unwrap();
        assert_eq!(Access::of(&other).unwrap().acl, None);
    }

    #[test]
    fn a_file_system_without_attributes_has_no_acl() {
        use rustix::io::Errno;
        // rclone says EIO, others the rest; a refusal to look is an error.
        for error in [Errno::IO, Errno::NOTSUP, Errno::NOSYS, Errno::NODATA] {
            assert!(acl::is_none(error), "{error}");
        }
        assert!(!acl::is_none(Errno::ACCESS));
    }

    #[test]
    fn no_bit_to_execute_is_copied() {
        let file = tempfile::tempfile().unwrap();
        file.set_permissions(std::fs::Permissions::from_mode(0o6777))
            .unwrap();
        let other = tempfile::tempfile().unwrap();
        Access::of(&file).unwrap().give_to(&other).unwrap();
        assert_eq!(other.metadata().unwrap().mode() & 0o7777, 0o666);
    }
}
