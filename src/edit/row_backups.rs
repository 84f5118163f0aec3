//! The backups of dropped rows: their names, and how many of them stay.

use crate::Timestamp;
use crate::config::vault::BoardPlace;
use crate::disk::{self, Entry, Folder, status};
use std::io;

/// The folder of backups, in the folder of the lock.
const BACKUPS: &str = "backups";
/// How many backups of one board stay.
const MAX_KEPT: usize = 20;
/// How many names of backups are looked at.
const MAX_NAMES: usize = 10_000;

/// The backups of one board, in `.orchestrator/backups/`.
#[derive(Debug)]
pub struct Backups<'a> {
    place: &'a BoardPlace,
}

impl<'a> Backups<'a> {
    /// Names the backups of the board at `place`; reads nothing.
    pub fn of(place: &'a BoardPlace) -> Self {
        Self { place }
    }

    /// Names a new backup, and creates its folder; names sort by time.
    pub fn create(&self, now: Timestamp) -> io::Result<Entry> {
        let folder = self.place.create_orchestrator()?;
        let folder = folder.create_beneath(BACKUPS, 0o777)?;
        let named = |at: i64| {
            let time = Timestamp::from_millis(at).to_string().replace(':', "");
            folder.entry(format!("{}.{time}.md", self.place.stem))
        };
        let is_free = |entry: &Entry| status(entry).is_err();
        let free = (now.as_millis()..).map(named).find(is_free);
        free.ok_or_else(|| io::ErrorKind::AlreadyExists.into())
    }

    /// Lists them, the oldest first.
    pub fn all(&self) -> Vec<Entry> {
        let Ok(folder) = self.folder() else {
            return Vec::new();
        };
        let is_one = |name: &str| {
            name.strip_prefix(&self.place.stem)
                .and_then(|rest| rest.strip_prefix('.')?.strip_suffix("Z.md"))
                .is_some_and(|time| {
                    time.bytes()
                        .all(|b| b.is_ascii_digit() || b"-T.".contains(&b))
                })
        };
        let mut names = folder.list(MAX_NAMES, is_one).unwrap_or_default();
        names.sort();
        names.iter().map(|name| folder.entry(name)).collect()
    }

    /// Removes all but the newest, and returns the paths of those removed.
    ///
    /// What is not a regular file was not made here, and stays.
    pub fn expire(&self) -> Vec<Entry> {
        let mut all = self.all();
        all.truncate(all.len().saturating_sub(MAX_KEPT));
        all.retain(|entry| {
            status(entry).is_ok_and(|status| status.kind.is_none())
                && disk::remove("file.unlink", entry).is_ok()
        });
        all
    }

    /// Removes a backup that is not needed, and with the last one the folder.
    pub fn discard(&self, backup: &Entry) {
        let _ = disk::remove("file.unlink", backup);
        if let Ok(orchestrator) = self.place.orchestrator() {
            let _ = disk::remove_folder("file.unlink", &orchestrator.entry(BACKUPS));
        }
    }

    fn folder(&self) -> io::Result<Folder> {
        self.place.orchestrator()?.beneath(BACKUPS)
    }
}
