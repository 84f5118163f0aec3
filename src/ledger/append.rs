//! One update, one line, one write.

use super::EVENT;
use crate::Timestamp;
use serde::Serialize;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Where the ledger lies in a repository.
pub const LEDGER: &str = ".orchestrator/metrics/events.jsonl";

/// One update, as the ledger records it.
///
/// What is `None` is left out of the line, as the peer does: absent is not zero.
#[derive(Clone, Copy, Debug)]
pub struct LedgerEntry<'a> {
    /// The end of the update.
    pub now: Timestamp,
    /// What became of it (`written`, `skipped-noop`, …).
    pub action: &'a str,
    /// The entry point: `mirrorBoard` or `sweepBoard`, by the peer's names.
    pub caller: &'a str,
    /// The file name of the board, where there is a board. Of a longer
    /// path only the last component is written.
    pub path_tail: Option<&'a str>,
    /// The rows of the board, where there is a board.
    pub rows: Option<usize>,
    /// The repositories that a sweep looked at.
    pub repos_swept: Option<usize>,
    /// How long the update took, in milliseconds.
    pub duration_ms: u64,
    /// What the lock did, if one was tried.
    pub lock: Option<LockNote<'a>>,
    /// The repository's session by its machine id.
    pub session_id: Option<&'a str>,
    /// The repository's session in words.
    pub semantic_session_id: Option<&'a str>,
}

/// The lock's part in one update.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LockNote<'a> {
    /// Returns whether the board was written under the lock.
    pub locked: bool,
    /// Why not (`timeout`, `fs-error`, `skipped`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    /// Why another's lock was taken over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_override: Option<&'a str>,
    /// How long the lock was waited for, in milliseconds.
    pub waited_ms: u64,
    /// What became of the release; give it only where that was not
    /// `released`, as the peer does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<&'a str>,
}

/// The line: its fields in the peer's order.
#[derive(Serialize)]
struct WrittenLine<'a> {
    timestamp: String,
    event: &'static str,
    action: &'a str,
    caller: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_tail: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repos_swept: Option<usize>,
    duration_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock: Option<LockNote<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    semantic_session_id: Option<&'a str>,
    schema_version: u8,
}

impl<'a> From<&LedgerEntry<'a>> for WrittenLine<'a> {
    fn from(entry: &LedgerEntry<'a>) -> Self {
        Self {
            timestamp: entry.now.to_string(),
            event: EVENT,
            action: entry.action,
            caller: entry.caller,
            path_tail: entry.path_tail.map(last_component),
            rows: entry.rows,
            repos_swept: entry.repos_swept,
            duration_ms: entry.duration_ms,
            lock: entry.lock,
            session_id: entry.session_id,
            semantic_session_id: entry.semantic_session_id,
            schema_version: 1,
        }
    }
}

/// Appends one line to the ledger of the repository at `repo_root`.
///
/// One write in append mode, so the lines of processes that write at the same
/// moment do not mix. Folders are made on demand; a repository that is gone
/// gets nothing, and is not made anew.
///
/// # Errors
///
/// What the system says; `InvalidInput` where the ledger would lie outside the
/// repository by a symlink, or is not a regular file. An update must not fail
/// for it.
pub fn append(repo_root: &Path, entry: &LedgerEntry<'_>) -> io::Result<()> {
    let Some(folder) = folder_within(repo_root)? else {
        return Ok(());
    };
    let mut line = serde_json::to_vec(&WrittenLine::from(entry))?;
    line.push(b'\n');
    let name = Path::new(LEDGER)
        .file_name()
        .expect("the ledger's path ends with its name");
    open_regular(&folder.join(name))?.write_all(&line)
}

/// Makes the ledger's folder, level by level, or stops at one that leads away.
fn folder_within(repo_root: &Path) -> io::Result<Option<PathBuf>> {
    if !repo_root.is_dir() {
        return Ok(None);
    }
    let mut folder = repo_root.to_path_buf();
    let levels = Path::new(LEDGER)
        .parent()
        .expect("the ledger lies in a folder");
    let mut is_new = false;
    for level in levels {
        folder.push(level);
        let found = match fs::symlink_metadata(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                is_new = make(&folder)?;
                fs::symlink_metadata(&folder)?
            }
            found => {
                is_new = false;
                found?
            }
        };
        // Looked at before the next level is made, so nothing is made outside.
        if found.is_symlink() && leads_away(&folder, repo_root)? {
            return Err(refused(
                &folder,
                "leads out of the repository; make it a folder",
            ));
        }
    }
    if is_new {
        // A repository that had no ledger should not show one as untracked.
        let _ = fs::write(folder.join(".gitignore"), "*\n");
    }
    Ok(Some(folder))
}

/// Makes a folder; false if another process made it at the same moment.
fn make(folder: &Path) -> io::Result<bool> {
    match fs::create_dir(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns whether a symlink leads to somewhere outside the repository.
fn leads_away(folder: &Path, repo_root: &Path) -> io::Result<bool> {
    Ok(!fs::canonicalize(folder)?.starts_with(fs::canonicalize(repo_root)?))
}

/// Opens for appending, through no symlink, and without waiting for a reader.
fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits() as i32);
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(refused(path, "is not a regular file; remove it"))
    }
}

fn refused(path: &Path, fault: &str) -> io::Error {
    io::Error::new(
        ErrorKind::InvalidInput,
        format!("`{}` {fault}", path.display()),
    )
}

fn last_component(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
