//! Seeing files change: told by the system at once, and by polling in any case.

use super::wake::Wake;
use crate::disk::FileId;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::time::SystemTime;

/// Watches two files, neither of which need exist.
pub struct Eyes {
    files: [PathBuf; 2],
    seen: [Option<Mark>; 2],
    /// Is `None` where the system cannot tell: then only polling sees.
    watcher: Option<RecommendedWatcher>,
    folders: Vec<Folder>,
}

/// Is by what a changed file is known, without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    id: Option<FileId>,
    modified: Option<SystemTime>,
    length: u64,
}

/// Is a folder that is watched: one of that name that comes later is another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Folder {
    path: PathBuf,
    id: Option<FileId>,
}

impl Eyes {
    /// Starts to watch; a change sends [`Wake::Look`].
    pub fn open(files: [PathBuf; 2], sender: Sender<Wake>) -> Self {
        // The folders on the way count as well: they may have yet to come.
        let names: HashSet<OsString> = files
            .iter()
            .flat_map(|file| file.iter().map(OsString::from))
            .collect();
        let tell = move |event: notify::Result<Event>| {
            if event.map_or(true, |event| concerns(&event, &names)) {
                // Nobody may listen any more at the very end.
                let _ = sender.send(Wake::Look);
            }
        };
        let mut eyes = Self {
            seen: [None; 2],
            watcher: notify::recommended_watcher(tell).ok(),
            folders: Vec::new(),
            files,
        };
        eyes.look();
        eyes
    }

    /// Remembers how the files look, to see when they change again.
    pub fn look(&mut self) {
        self.follow();
        self.seen = self.marks();
    }

    /// Says whether the files look different from when they were last looked at.
    pub fn see_a_change(&mut self) -> bool {
        self.follow() || self.marks() != self.seen
    }

    fn marks(&self) -> [Option<Mark>; 2] {
        [mark(&self.files[0]), mark(&self.files[1])]
    }

    /// Watches the folders that the files are in, or will be; true if they are new.
    fn follow(&mut self) -> bool {
        let Some(watcher) = &mut self.watcher else {
            return false;
        };
        let mut folders: Vec<Folder> = self.files.iter().filter_map(|it| nearest(it)).collect();
        folders.dedup();
        if folders == self.folders {
            return false;
        }
        for folder in &self.folders {
            // One that has gone is not watched any more, which is no matter.
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

fn concerns(event: &Event, names: &HashSet<OsString>) -> bool {
    let named = |path: &PathBuf| path.file_name().is_some_and(|name| names.contains(name));
    // Our own reading is an access.
    let changes = !matches!(event.kind, EventKind::Access(_));
    changes && (event.need_rescan() || event.paths.iter().any(named))
}

fn mark(file: &Path) -> Option<Mark> {
    let meta = std::fs::symlink_metadata(file).ok()?;
    Some(Mark {
        id: FileId::of(&meta),
        modified: meta.modified().ok(),
        length: meta.len(),
    })
}

fn nearest(file: &Path) -> Option<Folder> {
    let folders = file.ancestors().skip(1);
    folders
        .filter_map(|path| Some((path, std::fs::metadata(path).ok()?)))
        .find(|(_, meta)| meta.is_dir())
        .map(|(path, meta)| Folder {
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
        let mut eyes = Eyes {
            files: [file.clone(), folder.path().join("b/board.lock")],
            seen: [None; 2],
            watcher: None,
            folders: Vec::new(),
        };
        eyes.look();
        assert!(!eyes.see_a_change());
        std::fs::create_dir(folder.path().join("a")).unwrap();
        assert!(!eyes.see_a_change(), "a folder is no board");
        std::fs::write(&file, "one").unwrap();
        assert!(eyes.see_a_change());
        eyes.look();
        assert!(!eyes.see_a_change());
        let next = folder.path().join("next");
        std::fs::write(&next, "two").unwrap();
        std::fs::rename(&next, &file).unwrap();
        assert!(eyes.see_a_change());
    }

    #[test]
    fn a_board_is_seen_in_folders_that_come_later() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/b/board.md");
        let lock = folder.path().join("c/board.lock");
        let (sender, receiver) = channel();
        let mut eyes = Eyes::open([file.clone(), lock], sender);
        assert!(eyes.watcher.is_some(), "this system notifies");
        let mut told = || {
            let told = receiver.recv_timeout(Duration::from_secs(60)).is_ok();
            std::thread::sleep(Duration::from_millis(20));
            while receiver.try_recv().is_ok() {}
            eyes.look();
            told
        };
        std::fs::create_dir(folder.path().join("a")).unwrap();
        assert!(told(), "of the first folder");
        std::fs::create_dir(folder.path().join("a/b")).unwrap();
        assert!(told(), "of the second folder");
        std::fs::write(&file, "one").unwrap();
        assert!(told(), "of the board");
    }
}
