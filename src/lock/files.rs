//! The names of a lock's files, all beside the lock.

use crate::disk::Token;
use std::path::{Path, PathBuf};

/// Names the files of one lock.
#[derive(Clone, Debug)]
pub struct LockFiles {
    /// The lock itself: one record.
    pub lock: PathBuf,
    /// The gate, whose kernel lock proves that its holder lives; it outlasts the lock.
    pub gate: PathBuf,
    /// The guard, under which the lock's name changes.
    pub guard: PathBuf,
    /// The folder of them all.
    pub folder: PathBuf,
    name: String,
}

impl LockFiles {
    /// Derives the names from the path of the lock.
    pub fn of(lock: &Path) -> Self {
        let name = lock
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let stem = name.strip_suffix(".lock").unwrap_or(&name);
        let folder = lock.parent().unwrap_or(Path::new("")).to_owned();
        Self {
            lock: lock.to_owned(),
            gate: folder.join(format!("{stem}.gate.lock")),
            guard: folder.join(format!("{name}.acquire")),
            folder,
            name,
        }
    }

    /// Names the file in which `token`'s record becomes complete.
    pub fn pending(&self, token: Token) -> PathBuf {
        self.folder.join(format!(".{}.{token}.pending", self.name))
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
