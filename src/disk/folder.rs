//! Folders that are reached without following links, and the names in them.
//!
//! A vault is shared or synced: any name in it may become a link between two
//! calls. A [`Folder`] below a vault's root is opened one component at a time,
//! none of which may be a link, and every call after that starts from the
//! opened folder (`openat` and its kin), whatever its path means by then.
//! Where a platform has no such calls, paths are looked at before use.

#[cfg(unix)]
use super::errno::os;
use super::failpoint;
use super::status::{FileKind, FileStatus};
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

#[cfg(unix)]
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
#[cfg(unix)]
use rustix::fs::{CWD, Mode, OFlags};
#[cfg(unix)]
use std::sync::Arc;

/// An opened folder; copies of it are one handle.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    #[cfg(unix)]
    handle: Arc<OwnedFd>,
}

impl Folder {
    /// Opens a folder that the user named; links on the way are followed.
    pub fn open_root(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref().to_owned();
        #[cfg(unix)]
        let handle = Arc::new(os(rustix::fs::openat(CWD, &path, HANDLE, Mode::empty()))?);
        #[cfg(not(unix))]
        if !std::fs::metadata(&path)?.is_dir() {
            return Err(ErrorKind::NotADirectory.into());
        }
        Ok(Self {
            path,
            #[cfg(unix)]
            handle,
        })
    }

    /// Opens a folder that the user named, and makes what is missing of it.
    pub fn create_root(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        match (Self::open_root(path), path.parent(), path.file_name()) {
            (Err(error), Some(parent), Some(name)) if error.kind() == ErrorKind::NotFound => {
                let parent = match parent == Path::new("") {
                    true => Path::new("."),
                    false => parent,
                };
                Self::create_root(parent)?.create_beneath(name, 0o777)
            }
            (opened, ..) => opened,
        }
    }

    /// Opens the folder at `relative` below this one, following no link.
    pub fn beneath(&self, relative: impl AsRef<Path>) -> io::Result<Self> {
        self.descend(relative.as_ref(), &|folder, name| folder.open(name))
    }

    /// Opens the folder at `relative` below this one, following no link, and
    /// makes what is missing of it with the permissions `mode`.
    ///
    /// The name of a folder that it makes is synced at once: a file in it would
    /// be lost with it. That happens once in a vault's life.
    pub fn create_beneath(&self, relative: impl AsRef<Path>, mode: u32) -> io::Result<Self> {
        self.descend(relative.as_ref(), &|folder, name| match folder.open(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                match failpoint::around("folder.create", || folder.make(name, mode)) {
                    Ok(()) => {
                        let _ = folder.sync("folder.sync");
                    }
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error),
                }
                folder.open(name)
            }
            opened => opened,
        })
    }

    /// Returns the handle, from which names in it are reached.
    #[cfg(unix)]
    pub(super) fn handle(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    /// Returns the path by which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Asks the file system about the folder itself.
    pub fn status(&self) -> io::Result<FileStatus> {
        #[cfg(unix)]
        return Ok(FileStatus::of_stat(&os(rustix::fs::fstat(&*self.handle))?));
        #[cfg(not(unix))]
        return Ok(FileStatus::of(&std::fs::metadata(&self.path)?));
    }

    /// Lists at most `limit` names that are text and that `wanted` picks, of the
    /// first [`MAX_NAMES`] in it.
    pub fn list(&self, limit: usize, wanted: impl Fn(&str) -> bool) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        let mut looked_at = 0;
        let mut pick = |name: &OsStr| {
            looked_at += 1;
            if let Some(name) = name.to_str().filter(|name| wanted(name)) {
                names.push(name.to_owned());
            }
            names.len() < limit && looked_at < MAX_NAMES
        };
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            let mut entries = rustix::fs::Dir::new(self.readable()?)?;
            while let Some(entry) = entries.read() {
                let entry = entry?;
                let name = entry.file_name().to_bytes();
                if name != b"." && name != b".." && !pick(OsStr::from_bytes(name)) {
                    break;
                }
            }
        }
        #[cfg(not(unix))]
        for entry in std::fs::read_dir(&self.path)? {
            if !pick(&entry?.file_name()) {
                break;
            }
        }
        Ok(names)
    }

    /// Makes the names in it durable; a platform that cannot is fine.
    pub fn sync(&self, step: &'static str) -> io::Result<()> {
        #[cfg(unix)]
        return failpoint::around(step, || match os(rustix::fs::fsync(self.readable()?)) {
            Err(error) if super::is_unsupported(&error) => Ok(()),
            done => done,
        });
        #[cfg(not(unix))]
        failpoint::around(step, || Ok(()))
    }

    fn descend(
        &self,
        relative: &Path,
        open: &dyn Fn(&Self, &OsStr) -> io::Result<Self>,
    ) -> io::Result<Self> {
        let mut folder = self.clone();
        for component in relative.components() {
            match component {
                Component::CurDir => {}
                Component::Normal(name) => folder = open(&folder, name)?,
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(io::Error::new(
                        ErrorKind::InvalidInput,
                        "the path leaves its folder",
                    ));
                }
            }
        }
        Ok(folder)
    }

    /// Opens one folder in this one; a link is refused by name.
    fn open(&self, name: &OsStr) -> io::Result<Self> {
        #[cfg(unix)]
        let opened = os(rustix::fs::openat(
            &*self.handle,
            name,
            HANDLE | OFlags::NOFOLLOW,
            Mode::empty(),
        ));
        #[cfg(not(unix))]
        let opened = match self.status_of(name)?.kind {
            Some(FileKind::Folder) => Ok(()),
            _ => Err(io::Error::from(ErrorKind::NotADirectory)),
        };
        match opened {
            Ok(_handle) => Ok(Self {
                path: self.path.join(name),
                #[cfg(unix)]
                handle: Arc::new(_handle),
            }),
            Err(error) => match self.status_of(name).map(|status| status.kind) {
                Ok(Some(FileKind::Symlink)) => Err(io::Error::new(
                    ErrorKind::NotADirectory,
                    "it is a symbolic link, which is not followed in a vault",
                )),
                Ok(Some(FileKind::Folder)) | Err(_) => Err(error),
                Ok(_) => Err(io::Error::new(
                    ErrorKind::NotADirectory,
                    "it is not a folder",
                )),
            },
        }
    }

    /// Asks the file system about a name in the folder; a link is itself.
    fn status_of(&self, name: &OsStr) -> io::Result<FileStatus> {
        #[cfg(unix)]
        {
            let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
            let stat = os(rustix::fs::statat(&*self.handle, name, flags))?;
            Ok(FileStatus::of_stat(&stat))
        }
        #[cfg(not(unix))]
        Ok(FileStatus::of(&std::fs::symlink_metadata(
            self.path.join(name),
        )?))
    }

    fn make(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        #[cfg(unix)]
        return os(rustix::fs::mkdirat(
            &*self.handle,
            name,
            super::write::raw_mode(mode),
        ));
        #[cfg(not(unix))]
        {
            let _ = mode;
            std::fs::create_dir(self.path.join(name))
        }
    }

    /// Opens the folder once more, to be read or synced.
    #[cfg(unix)]
    fn readable(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        os(rustix::fs::openat(&*self.handle, ".", flags, Mode::empty()))
    }
}

/// How many names of a folder are looked at: 40 ms' worth. No vault has as many
/// in one folder, unless somebody wants to keep us busy.
const MAX_NAMES: usize = 100_000;

/// A handle for walking on: a folder that may be searched need not be readable.
#[cfg(any(target_os = "linux", target_os = "android"))]
const HANDLE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
const HANDLE: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_is_followed_to_a_root_and_never_below_it() {
        let temporary = tempfile::tempdir().unwrap();
        let vault = temporary.path().join("vault");
        std::fs::create_dir_all(vault.join("a/b")).unwrap();
        symlink("a", vault.join("link")).unwrap();
        symlink("vault", temporary.path().join("root")).unwrap();
        let root = Folder::open_root(temporary.path().join("root")).unwrap();
        assert!(root.beneath("a/b").is_ok());
        for through in ["link", "link/b"] {
            for opened in [root.beneath(through), root.create_beneath(through, 0o755)] {
                let error = opened.unwrap_err().to_string();
                assert!(error.contains("symbolic link"), "{through}: {error}");
            }
        }
        assert!(root.beneath("../vault").is_err());
        assert!(root.create_beneath("a/c/d", 0o755).is_ok());
        assert!(vault.join("a/c/d").is_dir());
    }

    #[test]
    fn an_opened_folder_stays_what_it_was() {
        let temporary = tempfile::tempdir().unwrap();
        let inside = temporary.path().join("inside");
        let elsewhere = temporary.path().join("elsewhere");
        std::fs::create_dir(&inside).unwrap();
        std::fs::create_dir(&elsewhere).unwrap();
        let root = Folder::open_root(temporary.path()).unwrap();
        let folder = root.beneath("inside").unwrap();
        std::fs::rename(&inside, temporary.path().join("moved")).unwrap();
        symlink(&elsewhere, &inside).unwrap();
        super::super::create_new("probe.create", &folder.entry("note"), 0o600).unwrap();
        assert!(temporary.path().join("moved/note").exists());
        assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
    }
}
