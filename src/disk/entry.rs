//! Names that calls act on: a path, or a name in an opened folder.

use super::folder::Folder;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

#[cfg(unix)]
use rustix::fd::BorrowedFd;
#[cfg(unix)]
use rustix::fs::CWD;

/// The name that a step acts on: a name in an opened folder, or a path.
///
/// A path is for what the user names; in a vault only an [`Entry`] is safe.
pub trait At {
    /// Returns the path, for messages, and for platforms without handles.
    fn path(&self) -> Cow<'_, Path>;

    /// Returns the folder that the name is relative to.
    #[cfg(unix)]
    fn folder(&self) -> BorrowedFd<'_>;

    /// Returns the name, relative to the folder.
    fn name(&self) -> &Path;

    /// Opens the folder of the name, so that names beside it can be used.
    fn entry(&self) -> io::Result<Entry>;
}

impl<P: AsRef<Path> + ?Sized> At for P {
    fn path(&self) -> Cow<'_, Path> {
        Cow::Borrowed(self.as_ref())
    }

    #[cfg(unix)]
    fn folder(&self) -> BorrowedFd<'_> {
        CWD
    }

    fn name(&self) -> &Path {
        self.as_ref()
    }

    fn entry(&self) -> io::Result<Entry> {
        Entry::at(self.as_ref())
    }
}

/// A name in an opened folder, whether or not anything has it.
#[derive(Clone, Debug)]
pub struct Entry {
    folder: Folder,
    name: PathBuf,
}

impl Entry {
    /// Opens the folder of a path that the user named; its links are followed.
    pub fn at(path: &Path) -> io::Result<Self> {
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        Ok(Folder::open_root(folder.unwrap_or(Path::new(".")))?.entry(name))
    }

    /// Returns another name in the same folder.
    pub fn sibling(&self, name: impl AsRef<OsStr>) -> Self {
        self.folder.entry(name)
    }

    /// Returns the folder that it is a name in.
    pub fn in_folder(&self) -> &Folder {
        &self.folder
    }

    /// Returns the path, for messages.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }
}

impl Folder {
    /// Names an entry of this folder; `name` is one component.
    pub fn entry(&self, name: impl AsRef<OsStr>) -> Entry {
        Entry {
            folder: self.clone(),
            name: name.as_ref().into(),
        }
    }
}

impl At for Entry {
    fn path(&self) -> Cow<'_, Path> {
        Cow::Owned(self.path())
    }

    #[cfg(unix)]
    fn folder(&self) -> BorrowedFd<'_> {
        self.folder.handle()
    }

    fn name(&self) -> &Path {
        &self.name
    }

    fn entry(&self) -> io::Result<Entry> {
        Ok(self.clone())
    }
}
