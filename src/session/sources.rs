//! Everything that is known about a repository before the board is read.

use super::registry::{Registry, RegistryEntry};
use super::repo::Repo;
use super::session_lock::SessionLock;
use crate::git;
use crate::host_name::normalise;

/// The facts about a repository that it and its host keep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sources {
    /// The session's lease, if there is a valid one.
    pub lock: Option<SessionLock>,
    /// The registry's entries of this repository, in any order.
    pub entries: Vec<RegistryEntry>,
    /// The branch by `.git/HEAD`.
    pub branch: Option<String>,
    /// One sentence for each thing that could not be read.
    pub warnings: Vec<String>,
}

impl Sources {
    /// Reads everything about `repo`; what is broken counts as absent.
    pub fn read(repo: &Repo, registry: Option<&Registry>) -> Self {
        let (lock, warnings) = match SessionLock::read(&repo.path) {
            Ok(lock) => (lock, Vec::new()),
            Err(warning) => (None, vec![warning]),
        };
        let session_id = lock.as_ref().map(|lock| lock.session_id.as_str());
        let entries =
            registry.map_or_else(Vec::new, |registry| registry.entries_of(repo, session_id));
        Self {
            branch: git::branch(&repo.path),
            lock,
            entries,
            warnings,
        }
    }

    /// Returns the names that other writers may have for this host in the row of
    /// the repository: those of its session lock, and the registry's class.
    pub fn host_names(&self) -> impl Iterator<Item = String> {
        let of_lock = self.lock.iter().flat_map(|lock| {
            let id = lock.host_id.iter().cloned();
            id.chain([lock.host.clone()])
        });
        let classes = self
            .entries
            .iter()
            .filter_map(|entry| entry.host_class.clone());
        let names = of_lock.chain(classes).map(|name| normalise(&name));
        names
            .filter(|name| !name.is_empty())
            .collect::<Vec<_>>()
            .into_iter()
    }
}
