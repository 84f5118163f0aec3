//! Which repositories of the host a sweep has to look at.

use super::repo::Repo;
use super::session_lock::SessionLock;
use crate::disk::absolute_path;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How many levels below a root are searched.
const DEPTH: usize = 2;

/// The outcome of a search for repositories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sweep {
    /// The busy repositories, sorted by path, each once.
    pub repos: Vec<Repo>,
    /// The number of repositories that were found, idle ones included.
    pub seen: usize,
    /// What could not be searched, in one line.
    pub warning: Option<String>,
}

/// Finds the busy repositories at most two levels below the roots, and among the
/// `declared` ones, as far as those lie below a root.
///
/// Busy is what has a valid session lock: of all others a sweep knows less than
/// their rows say. A repository is told by its `.git`, folder or file. The roots
/// themselves are none, and hidden folders are not searched.
///
/// Symlinks below a root are not followed, so no loop is possible. A root that
/// does not exist is passed over in silence; folders that cannot be read make
/// one warning.
pub fn enumerate(roots: &[PathBuf], declared: &[PathBuf], cwd: &Path) -> Sweep {
    let roots: Vec<PathBuf> = roots.iter().map(|root| absolute_path(root, cwd)).collect();
    let mut found = Vec::new();
    let mut unreadable = Vec::new();
    for root in &roots {
        search(root, DEPTH, &mut found, &mut unreadable);
    }
    let below = |path: &PathBuf| {
        roots
            .iter()
            .any(|root| path != root && path.starts_with(root))
    };
    found.extend(
        declared
            .iter()
            .map(|path| absolute_path(path, cwd))
            .filter(below),
    );
    found.sort();
    found.dedup();
    let is_busy = |path: &&PathBuf| matches!(SessionLock::read(path), Ok(Some(_)));
    let more = match unreadable.len() {
        0 | 1 => String::new(),
        n => format!(", and {} more", n - 1),
    };
    Sweep {
        repos: found
            .iter()
            .filter(is_busy)
            .map(|path| Repo::at(path, cwd))
            .collect(),
        seen: found.len(),
        warning: unreadable
            .first()
            .map(|first| format!("not searched for repositories: {first}{more}")),
    }
}

/// Collects the repositories in a folder and `depth` levels of folders.
fn search(folder: &Path, depth: usize, found: &mut Vec<PathBuf>, unreadable: &mut Vec<String>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        // Gone meanwhile, or a root that was never there.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Err(error) => return unreadable.push(format!("`{}` ({error})", folder.display())),
    };
    for entry in entries.flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let (path, name) = (entry.path(), entry.file_name());
        if fs::symlink_metadata(path.join(".git")).is_ok() {
            found.push(path.clone());
        }
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        if depth > 1 && !is_hidden && name != "node_modules" {
            search(&path, depth - 1, found, unreadable);
        }
    }
}
