//! The backups of dropped rows: their names, and how many of them stay.

use crate::Timestamp;
use crate::disk;
use std::path::{Path, PathBuf};

/// The folder of backups, in the folder of the lock.
pub const BACKUPS: &str = "backups";
/// How many backups of one board stay.
const KEPT: usize = 20;

/// Names a new backup; names sort by time.
pub fn free_name(folder: &Path, stem: &str, now: Timestamp) -> PathBuf {
    let named = |at: i64| {
        let time = Timestamp::from_millis(at).to_string().replace(':', "");
        folder.join(format!("{stem}.{time}.md"))
    };
    (now.as_millis()..)
        .map(named)
        .find(|path| std::fs::symlink_metadata(path).is_err())
        .expect("there is always a later time")
}

/// Lists the backups of a board, the oldest first.
pub fn backups(folder: &Path, stem: &str) -> Vec<PathBuf> {
    let is_one = |name: &str| {
        name.strip_prefix(stem)
            .and_then(|rest| rest.strip_prefix('.')?.strip_suffix("Z.md"))
            .is_some_and(|time| {
                time.bytes()
                    .all(|b| b.is_ascii_digit() || b"-T.".contains(&b))
            })
    };
    let mut names = disk::list(folder, is_one).unwrap_or_default();
    names.sort();
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// Removes the oldest backups beyond those that stay, and names them.
pub fn expire(folder: &Path, stem: &str) -> Vec<PathBuf> {
    let mut all = backups(folder, stem);
    all.truncate(all.len().saturating_sub(KEPT));
    all.retain(|path| disk::remove("file.unlink", path).is_ok());
    all
}

/// Removes a backup that is not needed, and the folder with the last one.
pub fn discard(backup: &Path) {
    let _ = disk::remove("file.unlink", backup);
    if let Some(folder) = backup.parent() {
        let _ = disk::remove_folder("file.unlink", folder);
    }
}
