//! The files of a lock, all in its folder.

use crate::disk::{Entry, Folder, Token};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The folder of a vault's locks; below a vault no link is followed.
const ORCHESTRATOR: &str = ".orchestrator";

/// The names of one lock's files, in their opened folder.
#[derive(Clone, Debug)]
pub struct LockFiles {
    /// The lock itself: one record.
    pub lock: Entry,
    /// The gate, whose kernel lock proves that its holder lives; it outlasts the lock.
    pub gate: Entry,
    /// The guard, under which the lock's name changes.
    pub guard: Entry,
    name: String,
}

impl LockFiles {
    /// Opens the folder of the lock at `path`; `None` if it does not exist.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        let (folder, in_vault) = folder_of(path);
        let opened = match in_vault {
            true => Folder::open_root(folder).and_then(|vault| vault.beneath(ORCHESTRATOR)),
            false => Folder::open_root(folder),
        };
        match opened {
            Ok(folder) => Ok(Some(Self::in_folder(&folder, path))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens the folder of the lock at `path`, and makes it if it is missing.
    pub fn create(path: &Path) -> io::Result<Self> {
        if let Some(files) = Self::open(path)? {
            return Ok(files);
        }
        let (folder, in_vault) = folder_of(path);
        crate::disk::create_folder("folder.create", &folder)?;
        let folder = Folder::open_root(folder)?;
        let folder = match in_vault {
            true => folder.create_beneath(ORCHESTRATOR, 0o777)?,
            false => folder,
        };
        Ok(Self::in_folder(&folder, path))
    }

    fn in_folder(folder: &Folder, path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.strip_suffix(".lock").unwrap_or(&name);
        Self {
            lock: folder.entry(path.file_name().unwrap_or_default()),
            gate: folder.entry(format!("{stem}.gate.lock")),
            guard: folder.entry(format!("{name}.acquire")),
            name: name.into_owned(),
        }
    }

    /// Returns the folder of all backups.
    pub fn folder(&self) -> &Folder {
        self.lock.in_folder()
    }

    /// Names the file in which `token`'s record becomes complete.
    pub fn pending(&self, token: Token) -> Entry {
        self.lock.sibling(format!(".{}.{token}.pending", self.name))
    }

    /// Reads a token out of a pending file's name; `None` for any other name.
    pub fn pending_token(&self, name: &str) -> Option<Token> {
        let rest = name
            .strip_prefix('.')?
            .strip_prefix(&self.name)?
            .strip_prefix('.')?;
        Token::parse(rest.strip_suffix(".pending")?)
    }
}

/// Returns the trusted folder of the lock at `path`: a vault, whose
/// `.orchestrator` is then opened without following a link (true), or the
/// folder that the user named.
fn folder_of(path: &Path) -> (PathBuf, bool) {
    let or_here = |folder: &Path| match folder == Path::new("") {
        true => PathBuf::from("."),
        false => folder.to_owned(),
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    match folder.file_name().is_some_and(|name| name == ORCHESTRATOR) {
        true => (or_here(folder.parent().unwrap_or(Path::new(""))), true),
        false => (or_here(folder), false),
    }
}

/// Returns whether whatever lies at `path` is a lock or a guard, however torn.
///
/// Outside a vault's folder for locks, a path may be that of something
/// precious, which somebody took for a lock by mistake, as `Cargo.lock` is.
pub fn is_in_vault(path: &Path) -> bool {
    folder_of(path).1
}
