//! The leases of this host: one small file a session, in the user's own
//! folder for state.
//!
//! Never in a vault, never synced to the disk: after a power cut every session
//! is dead anyway. A file is old or new, never half.

use super::{EndKind, Lease, Life, Processes, SessionEvent};
use crate::Timestamp;
use crate::disk::{
    Attempt, Backoff, Folder, KernelLock, Links, ONE_READ, Patience, create_private_folder,
    read_at_once, remove, rewrite_private,
};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The greatest size of a lease, in bytes; a real one has about 700.
const MAX_BYTES: u64 = 16 * 1024;

/// The most files that are read; nobody runs so many sessions.
const MAX_FILES: usize = 2_000;

/// How long a lease is kept once its end is on a board, in ms: a hook of the
/// session that was overtaken by its end must not take it for a new one.
const KEEP_ENDED_MS: i64 = 60 * 60 * 1000;

/// How long a lease is kept that no board ever showed, in ms.
const KEEP_UNSHOWN_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// How long the lock of all leases is waited for: whoever has it is done in a
/// millisecond.
pub const SHORT_WAIT: Duration = Duration::from_millis(100);

/// The leases in one folder.
#[derive(Clone, Debug)]
pub struct Leases {
    folder: PathBuf,
}

/// The lock of all leases, held from a read to a write.
#[derive(Debug)]
#[must_use = "the leases are let go when this is dropped"]
pub struct LeasesLock {
    _lock: Option<KernelLock>,
}

impl Leases {
    /// Names the leases in boardsync's state folder; reads nothing.
    pub fn at(state_dir: &Path) -> Self {
        Self {
            folder: state_dir.join("sessions"),
        }
    }

    /// Returns the folder, in which a file changes with every lease.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads all leases; files that are not leases are skipped.
    pub fn read(&self) -> Vec<Lease> {
        self.read_those(|_| true)
    }

    /// Reads the leases of the sessions that are or were in `repo`.
    pub fn of_repo(&self, repo: &Path) -> Vec<Lease> {
        let mut leases = self.read_with(&[json(&repo.to_string_lossy())]);
        // A file has a path that is not Unicode as its lossy text.
        leases.retain(|lease| lease.repo.to_string_lossy() == repo.to_string_lossy());
        leases
    }

    /// Reads the leases that an event may concern: those of its session, of its
    /// process and of its folder, and those with a trouble for its person.
    pub fn concerned(&self, event: &SessionEvent) -> Vec<Lease> {
        let repo = event.place.as_ref().map(|place| &place.repo);
        let process = event.proof.as_ref().map(|proof| proof.pid);
        let fragments = [
            Some(json(&event.session_id)),
            repo.map(|repo| json(&repo.to_string_lossy())),
            process.map(|pid| format!("\"pid\":{pid}")),
            Some(json("trouble")),
        ];
        self.read_with(&fragments.into_iter().flatten().collect::<Vec<_>>())
    }

    /// Reads the leases whose files hold one of `fragments`.
    ///
    /// To parse a lease takes longer than to read its file, and of a burst of hooks
    /// each asks for a few among all.
    fn read_with(&self, fragments: &[String]) -> Vec<Lease> {
        self.read_those(|bytes| {
            str::from_utf8(bytes).is_ok_and(|text| fragments.iter().any(|it| text.contains(it)))
        })
    }

    fn read_those(&self, is_wanted: impl Fn(&[u8]) -> bool) -> Vec<Lease> {
        let is_lease = |name: &str| name.ends_with(".json") && !name.starts_with('.');
        let Ok(folder) = Folder::open_root(&self.folder) else {
            return Vec::new();
        };
        let names = folder.list(MAX_FILES, is_lease).unwrap_or_default();
        let mut buffer = [0; ONE_READ];
        let mut leases: Vec<Lease> = names
            .iter()
            .filter_map(|name| {
                let entry = folder.entry(name);
                let bytes = read_at_once(&entry, MAX_BYTES, Links::Refuse, &mut buffer)?;
                let lease = is_wanted(&bytes).then(|| parse(&bytes))??;
                // Under another name than its own it would never be removed.
                (file_name(&lease) == *name).then_some(lease)
            })
            .collect();
        leases.sort_by(|a, b| (a.started, &a.session_id).cmp(&(b.started, &b.session_id)));
        leases
    }

    /// Reads the lease of one session, in the folder that it is in now.
    pub fn get(&self, session_id: &str) -> Option<Lease> {
        let lease = load(&self.folder.join(hashed(&[session_id])))?;
        (lease.session_id == session_id).then_some(lease)
    }

    /// Reads the leases whose rows stand on the board at `board`
    /// ([`crate::config::vault::BoardPlace::board`]).
    pub fn of_board(&self, board: &Path) -> Vec<Lease> {
        let mut leases = self.read();
        leases.retain(|lease| lease.is_of(board));
        leases
    }

    /// Writes a lease in the place of the same session's last one.
    ///
    /// # Errors
    ///
    /// What the system says, and a lease that could not be read again.
    pub fn write(&self, lease: &Lease) -> io::Result<()> {
        let bytes = serde_json::to_vec(lease)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the session's lease is too large",
            ));
        }
        let steps = ["lease.create", "lease.write", "lease.replace"];
        rewrite_private(steps, &self.folder.join(file_name(lease)), &bytes)
    }

    /// Removes a lease.
    ///
    /// # Errors
    ///
    /// What the system says; a lease that is gone already is not an error.
    pub fn remove(&self, lease: &Lease) -> io::Result<()> {
        remove("lease.unlink", &self.folder.join(file_name(lease)))
    }

    /// Keeps other hooks out until the result is dropped. Whoever waits for
    /// longer than `limit` goes on without: a lease is a record, not a vault.
    pub fn lock(&self, limit: Duration) -> LeasesLock {
        let path = self.folder.join("sessions.lock");
        let mut backoff = Backoff::new(Patience::For(limit), Duration::from_millis(2));
        loop {
            match KernelLock::try_take(&path, 0o600, "lease.lock-open", "lease.lock") {
                Attempt::Taken(lock) => return LeasesLock { _lock: Some(lock) },
                Attempt::Busy if backoff.pause() => {}
                Attempt::Unavailable(error)
                    if error.kind() == io::ErrorKind::NotFound
                        && create_private_folder(&self.folder).is_ok() => {}
                Attempt::Busy | Attempt::Unavailable(_) => return LeasesLock { _lock: None },
            }
        }
    }

    /// Records what the board shows of `leases` by now.
    ///
    /// Call it after the commit, with the leases as they were read for it. A session
    /// that has reported something meanwhile is left alone.
    pub fn settle(&self, leases: &[Lease], processes: &Processes, now: Timestamp) {
        let shown = leases.iter().filter_map(|lease| {
            let is_dead = || lease.life(processes, now) == Life::Dead;
            Some((lease, lease.as_shown(is_dead, now)?))
        });
        let shown: Vec<(&Lease, Lease)> = shown.collect();
        if shown.is_empty() {
            return;
        }
        let _lock = self.lock(SHORT_WAIT);
        for (lease, shown) in shown {
            if load(&self.folder.join(file_name(lease))).as_ref() == Some(lease) {
                let _ = self.write(&shown);
            }
        }
    }

    /// Removes those of `leases` that say nothing more to anybody.
    pub fn sweep(&self, leases: &[Lease], processes: &Processes, now: Timestamp) {
        for lease in leases {
            let age = now.since(lease.over.map_or(lease.seen, |over| over.at));
            let keep = match lease.over {
                Some(over) if over.on_board => KEEP_ENDED_MS,
                _ => KEEP_UNSHOWN_MS,
            };
            if age > keep && lease.life(processes, now) == Life::Dead {
                let _ = self.remove(lease);
            }
        }
    }
}

fn load(path: &Path) -> Option<Lease> {
    parse(&read_at_once(
        path,
        MAX_BYTES,
        Links::Refuse,
        &mut [0; ONE_READ],
    )?)
}

/// Returns a text as it stands in a lease.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn parse(bytes: &[u8]) -> Option<Lease> {
    serde_json::from_slice(bytes).ok()
}

/// Names the file of a lease. An id may hold anything, `../` included, so it
/// is its hash that names it; a session has one lease more for each folder
/// that it has left.
fn file_name(lease: &Lease) -> String {
    match lease.over {
        Some(over) if over.how == EndKind::Moved => {
            hashed(&[&lease.session_id, &lease.repo.to_string_lossy()])
        }
        _ => hashed(&[&lease.session_id]),
    }
}

fn hashed(parts: &[&str]) -> String {
    use std::fmt::Write;
    let mut hash = hmac_sha256::Hash::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let mut name = String::with_capacity(37);
    for byte in &hash.finalize()[..16] {
        write!(name, "{byte:02x}").expect("a String takes whatever is written");
    }
    name + ".json"
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
