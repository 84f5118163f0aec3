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

/// Finds the busy repositories among the roots and at most two levels below.
///
/// Busy is what has a session lock, readable or not, or a fresh entry in the
/// registry, which must be an indexed one ([`Registry::indexed`]). Idle ones
/// are told by their `.git`, folder or file, and only counted; within another
/// repository (submodules, say) they are not even that, which halves the calls.
///
/// Symlinks below a root are not followed, so no loop is possible. A root that
/// does not exist is passed over in silence; folders that cannot be read make
/// one warning.
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
        search.folder(&resolve(root, cwd), DEPTH, false);
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
    /// Looks at a folder and at `depth` levels below; reading it says for free
    /// whether it has a `.git` or might have a session lock.
    fn folder(&mut self, path: &Path, depth: usize, in_repo: bool) {
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            // Gone meanwhile, or a root that was never there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                let unreadable = format!("`{}` ({error})", path.display());
                return self.unreadable.push(unreadable);
            }
        };
        let (mut has_git, mut may_have_lease) = (false, false);
        let mut below = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name();
            if name == ".git" {
                has_git = true;
            } else if name == ".orchestrator" {
                may_have_lease = true;
            } else if name != "node_modules" && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                below.push(name);
            }
        }
        self.count(path, has_git, may_have_lease && has_lease(path));
        let in_repo = in_repo || has_git;
        for name in below {
            let path = path.join(name);
            if depth > 1 {
                self.folder(&path, depth - 1, in_repo);
            } else {
                let has_git = !in_repo && fs::symlink_metadata(path.join(".git")).is_ok();
                self.count(&path, has_git, has_lease(&path));
            }
        }
    }

    fn count(&mut self, path: &Path, has_git: bool, has_lease: bool) {
        let busy = if has_lease {
            Some(Repo::at(path, self.cwd))
        } else {
            self.registered(path)
        };
        self.found.seen += usize::from(has_git || busy.is_some());
        self.found.repos.extend(busy);
    }

    fn registered(&self, path: &Path) -> Option<Repo> {
        let registry = self.registry?;
        let repo = Repo::at(path, self.cwd);
        registry.has_fresh_of(&repo, self.now).then_some(repo)
    }
}

fn has_lease(path: &Path) -> bool {
    fs::symlink_metadata(path.join(SESSION_LOCK)).is_ok()
}
