//! Which repositories of the host a sweep has to look at.

use super::registry::Registry;
use super::repo::{Repo, resolve};
use super::session_lock::SESSION_LOCK;
use crate::Timestamp;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How many levels below a root are searched.
const DEPTH: usize = 2;

/// Folders that are never anybody's repository, and large.
const SKIPPED: [&str; 3] = [".git", ".orchestrator", "node_modules"];

/// Is what a search for repositories found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sweep {
    /// Holds the busy repositories, sorted by path, each once.
    pub repos: Vec<Repo>,
    /// Counts all repositories that were found, idle ones included.
    pub seen: usize,
    /// Says in one line what could not be searched.
    pub warning: Option<String>,
}

/// Gives the roots that are searched where none are set: `~/Projects`.
pub fn default_roots(home: &Path) -> Vec<PathBuf> {
    vec![home.join("Projects")]
}

/// Finds the busy repositories at most two levels below the roots.
///
/// A repository has a `.git` (folder or file) or a session lock. It is busy if
/// it has a session lock, readable or not, or a fresh entry in the registry,
/// which must be an indexed one ([`Registry::indexed`]). Symlinks below a root
/// are not followed, so no loop is possible. A root that does not exist is
/// passed over in silence; a folder that cannot be read is counted in the one
/// warning.
pub fn enumerate(
    roots: &[PathBuf],
    cwd: &Path,
    registry: Option<&Registry>,
    now: Timestamp,
) -> Sweep {
    let mut search = Search {
        cwd,
        // Hashing thousands of paths is worth it only if one may be found.
        registry: registry.filter(|registry| registry.has_fresh(now)),
        now,
        found: Sweep::default(),
        unreadable: Vec::new(),
    };
    for root in roots {
        search.below(&resolve(root, cwd), DEPTH);
    }
    let mut sweep = search.found;
    sweep.repos.sort_by(|a, b| a.path.cmp(&b.path));
    sweep.repos.dedup_by(|a, b| a.path == b.path);
    sweep.warning = search.unreadable.first().map(|first| {
        let more = match search.unreadable.len() - 1 {
            0 => String::new(),
            n => format!(", and {n} more"),
        };
        format!("not searched for repositories: {first}{more}")
    });
    sweep
}

struct Search<'a> {
    cwd: &'a Path,
    registry: Option<&'a Registry>,
    now: Timestamp,
    found: Sweep,
    unreadable: Vec<String>,
}

impl Search<'_> {
    /// Looks at every folder in `folder`, and so on for `depth` levels in all.
    fn below(&mut self, folder: &Path, depth: usize) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                // Gone meanwhile, or a root that was never there.
                if error.kind() != io::ErrorKind::NotFound {
                    self.unreadable
                        .push(format!("`{}` ({error})", folder.display()));
                }
                return;
            }
        };
        for entry in entries.flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let name = entry.file_name();
            if !is_folder || SKIPPED.iter().any(|skipped| name == *skipped) {
                continue;
            }
            let path = entry.path();
            self.look_at(&path);
            if depth > 1 {
                self.below(&path, depth - 1);
            }
        }
    }

    fn look_at(&mut self, path: &Path) {
        let has_lease = fs::symlink_metadata(path.join(SESSION_LOCK)).is_ok();
        if !has_lease && fs::symlink_metadata(path.join(".git")).is_err() {
            return;
        }
        self.found.seen += 1;
        if has_lease || self.registry.is_some() {
            let repo = Repo::at(path, self.cwd);
            if has_lease || self.is_registered(&repo) {
                self.found.repos.push(repo);
            }
        }
    }

    fn is_registered(&self, repo: &Repo) -> bool {
        self.registry.is_some_and(|registry| {
            registry
                .entries_of(repo, None)
                .iter()
                .any(|entry| entry.is_fresh(self.now))
        })
    }
}
