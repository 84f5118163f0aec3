//! Whether the folder of a row is gone: known, or not known, but never guessed.
//!
//! A row has a name and a key, the start of the hash of a path. A path that
//! ends in the name and hashes to the key is the row's; if no
//! candidate does, the path is unknown.

use super::repo::Repo;
use crate::disk::absolute_path;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The state of the folder that a row stands for, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// It is there.
    There(PathBuf),
    /// It was there, and is no longer, though its neighbours are.
    Gone(PathBuf),
    /// No known folder has, or had, such a key; or it cannot be looked at.
    Unknown,
}

/// The folders in which repositories of this host are looked for.
#[derive(Clone, Debug, Default)]
pub struct Folders(Vec<PathBuf>);

impl Folders {
    /// Takes the roots and the folders in them, as a sweep does.
    pub fn below(roots: &[PathBuf], cwd: &Path) -> Self {
        let mut folders: Vec<PathBuf> = Vec::new();
        for root in roots {
            let root = absolute_path(root, cwd);
            let inner = fs::read_dir(&root).into_iter().flatten().flatten();
            folders.extend(
                inner
                    .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                    .map(|entry| entry.path()),
            );
            folders.push(root);
        }
        folders.sort();
        folders.dedup();
        Self(folders)
    }

    /// Looks for the folder of the row with this name and key.
    pub fn find(&self, name: &str, key: &str) -> Whereabouts {
        let mut found = Whereabouts::Unknown;
        for folder in &self.0 {
            let path = folder.join(name);
            // A name with a separator in it is not the name of a folder.
            if path.parent() != Some(folder) || Repo::at(&path, folder).key != key {
                continue;
            }
            match fs::symlink_metadata(&path) {
                Ok(_) => return Whereabouts::There(path),
                Err(error) if error.kind() == ErrorKind::NotFound && has_entries(folder) => {
                    found = Whereabouts::Gone(path);
                }
                Err(_) => {}
            }
        }
        found
    }
}

/// An empty folder may be where a volume is mounted at other times.
fn has_entries(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some_and(|it| it.is_ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_that_hashes_to_the_key_is_the_rows() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        for folder in ["src/here", "src/group/nested", "mount"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        let folders = Folders::below(&[at("src"), at("mount"), at("absent")], root.path());
        let find = |path: &str| {
            let repo = Repo::at(&at(path), root.path());
            folders.find(&repo.name, &repo.key)
        };
        let gone = |path| Whereabouts::Gone(at(path));
        assert_eq!(find("src/here"), Whereabouts::There(at("src/here")));
        assert_eq!(
            find("src/group/nested"),
            Whereabouts::There(at("src/group/nested"))
        );
        assert_eq!(find("src/was"), gone("src/was"));
        assert_eq!(find("src/group/was"), gone("src/group/was"));
        assert_eq!(
            find("mount/app"),
            Whereabouts::Unknown,
            "perhaps not mounted"
        );
        assert_eq!(find("absent/app"), Whereabouts::Unknown);
        assert_eq!(find("elsewhere/here"), Whereabouts::Unknown);
        assert_eq!(folders.find("here", "00000000"), Whereabouts::Unknown);
        assert_eq!(folders.find("..", "00000000"), Whereabouts::Unknown);
    }
}
