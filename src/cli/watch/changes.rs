//! Changes of files: noticed at once where the system notifies, by polling everywhere.

use super::events::WatchEvent;
use crate::disk::FileId;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::time::SystemTime;

/// The changes of some files and of one folder, none of which need exist.
pub struct Changes {
    files: Vec<PathBuf>,
    folder: Option<PathBuf>,
    seen: Vec<Option<Fingerprint>>,
    /// `None` where the system does not notify: then only polling sees.
    watcher: Option<RecommendedWatcher>,
    folders: Vec<WatchedFolder>,
}

/// The metadata that changes with a file's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fingerprint {
    id: Option<FileId>,
    modified: Option<SystemTime>,
    length: u64,
}

/// A watched folder: a later one of the same name is another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WatchedFolder {
    path: PathBuf,
    id: Option<FileId>,
}

impl Changes {
    /// Starts to watch; a change sends [`WatchEvent::Look`].
    pub fn watch(files: Vec<PathBuf>, folder: Option<PathBuf>, sender: Sender<WatchEvent>) -> Self {
        // The folders on the way count as well: they may have yet to come.
        let names: HashSet<OsString> = files
            .iter()
            .chain(&folder)
            .flat_map(|file| file.iter().map(OsString::from))
            .collect();
        let within = folder.clone();
        let tell = move |event: notify::Result<notify::Event>| {
            if event.map_or(true, |event| concerns(&event, &names, within.as_deref())) {
                // Nobody may listen any more at the very end.
                let _ = sender.send(WatchEvent::Look);
            }
        };
        let mut changes = Self {
            seen: Vec::new(),
            watcher: notify::recommended_watcher(tell).ok(),
            folders: Vec::new(),
            files,
            folder,
        };
        changes.look();
        changes
    }

    /// Remembers how the files look, to see when they change again.
    pub fn look(&mut self) {
        self.follow();
        self.seen = self.fingerprints();
    }

    /// Returns whether the files look different from when they were last looked at.
    pub fn see(&mut self) -> bool {
        self.follow() || self.fingerprints() != self.seen
    }

    fn fingerprints(&self) -> Vec<Option<Fingerprint>> {
        let all = self.files.iter().chain(&self.folder);
        all.map(|path| fingerprint(path)).collect()
    }

    /// Watches the folders that the files are in, or will be; true if they are new.
    fn follow(&mut self) -> bool {
        let Some(watcher) = &mut self.watcher else {
            return false;
        };
        let around = self.files.iter().filter_map(|file| file.parent());
        let mut folders: Vec<WatchedFolder> = around
            .chain(self.folder.as_deref())
            .filter_map(nearest)
            .collect();
        folders.dedup();
        if folders == self.folders {
            return false;
        }
        for folder in &self.folders {
            // One that has gone is no longer watched, which is fine.
            let _ = watcher.unwatch(&folder.path);
        }
        for folder in &folders {
            // What cannot be watched is polled.
            let _ = watcher.watch(&folder.path, RecursiveMode::NonRecursive);
        }
        self.folders = folders;
        true
    }
}

fn concerns(event: &notify::Event, names: &HashSet<OsString>, folder: Option<&Path>) -> bool {
    let named = |path: &PathBuf| {
        path.file_name().is_some_and(|name| names.contains(name))
            || folder.is_some_and(|folder| path.parent() == Some(folder))
    };
    // Our own reading is an access.
    let changes = !matches!(event.kind, EventKind::Access(_));
    changes && (event.need_rescan() || event.paths.iter().any(named))
}

fn fingerprint(file: &Path) -> Option<Fingerprint> {
    let meta = std::fs::symlink_metadata(file).ok()?;
    Some(Fingerprint {
        id: FileId::of(&meta),
        modified: meta.modified().ok(),
        length: meta.len(),
    })
}

/// Finds the first folder that exists at `folder` or above.
fn nearest(folder: &Path) -> Option<WatchedFolder> {
    folder
        .ancestors()
        .filter_map(|path| Some((path, std::fs::metadata(path).ok()?)))
        .find(|(_, meta)| meta.is_dir())
        .map(|(path, meta)| WatchedFolder {
            path: path.to_owned(),
            id: FileId::of(&meta),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn without_notifications_changes_are_seen_by_polling() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/board.md");
        let mut changes = Changes {
            files: vec![file.clone(), folder.path().join("b/board.lock")],
            folder: Some(folder.path().join("sessions")),
            seen: Vec::new(),
            watcher: None,
            folders: Vec::new(),
        };
        changes.look();
        assert!(!changes.see());
        std::fs::create_dir(folder.path().join("a")).unwrap();
        assert!(!changes.see(), "a folder is no board");
        std::fs::write(&file, "one").unwrap();
        assert!(changes.see());
        changes.look();
        assert!(!changes.see());
        let next = folder.path().join("next");
        std::fs::write(&next, "two").unwrap();
        std::fs::rename(&next, &file).unwrap();
        assert!(changes.see());
        changes.look();
        let sessions = folder.path().join("sessions");
        std::fs::create_dir(&sessions).unwrap();
        std::fs::write(sessions.join("s1"), "").unwrap();
        assert!(changes.see(), "a session");
    }

    #[test]
    fn a_board_is_seen_in_folders_that_come_later() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/b/board.md");
        let lock = folder.path().join("c/board.lock");
        let sessions = folder.path().join("sessions");
        let (sender, receiver) = channel();
        let mut changes = Changes::watch(vec![file.clone(), lock], Some(sessions.clone()), sender);
        assert!(changes.watcher.is_some(), "this system notifies");
        let mut told = || {
            let told = receiver.recv_timeout(Duration::from_secs(60)).is_ok();
            std::thread::sleep(Duration::from_millis(20));
            while receiver.try_recv().is_ok() {}
            changes.look();
            told
        };
        std::fs::create_dir(folder.path().join("a")).unwrap();
        assert!(told(), "of the first folder");
        std::fs::create_dir(folder.path().join("a/b")).unwrap();
        assert!(told(), "of the second folder");
        std::fs::write(&file, "one").unwrap();
        assert!(told(), "of the board");
        std::fs::create_dir(&sessions).unwrap();
        assert!(told(), "of the folder of sessions");
        std::fs::write(sessions.join("s1"), "").unwrap();
        assert!(told(), "of a session");
    }
}
