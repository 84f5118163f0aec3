//! Paths made absolute by their text alone, whatever is on the disk.

use std::path::{Component, Path, PathBuf};

/// Makes a path absolute and plain, by its text alone.
pub fn absolute_path(path: &Path, cwd: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in cwd.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                // At the root there is nothing to pop: `/..` is `/`.
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
