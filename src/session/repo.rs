//! A repository's identity on the board: its path, its name, its key.

use crate::disk::absolute_path;
use std::path::{Path, PathBuf};

/// How many hex digits of the hash the board shows.
const KEY_DIGITS: usize = 8;

/// A repository's identity on the board.
///
/// The path is resolved by its text alone, as Node's `path.resolve` does, so
/// it need not exist, and two paths that meet through a symlink are two
/// repositories. This is what the peers hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repo {
    /// The absolute path, without `.`, `..` or a trailing separator.
    pub path: PathBuf,
    /// Gives `vault-name` of its configuration, else the last component of the
    /// path, or the whole path if it has none.
    pub name: String,
    /// The first 8 hex digits of [`Repo::hash`].
    pub key: String,
    /// The SHA-256 of the path in 64 lower-case hex digits.
    ///
    /// The registry's `repo_path_hash`. On macOS and Windows the path is
    /// lower-cased first, since their file systems do not tell case apart.
    pub hash: String,
}

impl Repo {
    /// Identifies the repository at `path`, seen from the absolute `cwd`.
    pub fn at(path: &Path, cwd: &Path) -> Self {
        let path = absolute_path(path, cwd);
        let name = path.file_name().map_or_else(
            || path.to_string_lossy().into_owned(),
            |name| name.to_string_lossy().into_owned(),
        );
        let hash = hash_of(&path);
        let key = hash[..KEY_DIGITS].to_owned();
        Self {
            path,
            name,
            key,
            hash,
        }
    }

    /// Returns the same repository under the name that its configuration chose.
    #[must_use = "the repository is returned, not changed in place"]
    pub fn named(self, name: Option<String>) -> Self {
        Self {
            name: name.unwrap_or(self.name),
            ..self
        }
    }
}

fn hash_of(path: &Path) -> String {
    use std::fmt::Write;
    let mut text = path.to_string_lossy();
    if cfg!(any(target_os = "macos", windows)) {
        text = text.to_lowercase().into();
    }
    hmac_sha256::Hash::hash(text.as_bytes()).iter().fold(
        String::with_capacity(64),
        |mut hex, byte| {
            write!(hex, "{byte:02x}").expect("a String takes whatever is written");
            hex
        },
    )
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn at(path: &str) -> Repo {
        Repo::at(Path::new(path), Path::new("/home/me/src"))
    }

    #[test]
    fn resolves_by_text_as_node_does() {
        for (given, expected) in [
            ("app", "/home/me/src/app"),
            ("", "/home/me/src"),
            (".", "/home/me/src"),
            ("..", "/home/me"),
            ("../../../../..", "/"),
            ("/", "/"),
            ("/a/./b/../c/", "/a/c"),
            ("//a//b", "/a/b"),
            ("a/..", "/home/me/src"),
        ] {
            assert_eq!(at(given).path, Path::new(expected), "`{given}`");
        }
    }

    #[test]
    fn names_even_the_root() {
        assert_eq!(at("/").name, "/");
        assert_eq!(at("---").name, "---");
        assert_eq!(at("app/").name, "app");
    }

    // Both figures by the peer's `boardKey` and `repoPathHash`, 5.3.0, on Linux.
    #[cfg(target_os = "linux")]
    #[test]
    fn keys_as_the_peer_does() {
        let repo = at("/tmp/peer-src/h3/app");
        assert_eq!(repo.key, "339eea63");
        assert_eq!(
            repo.hash,
            "339eea638999db96f0052aae630ac4f94c5333f6c2a60527b901dad9c635c8d8"
        );
    }
}
