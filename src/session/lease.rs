//! What this host knows of one coding session that calls the hook.
//!
//! What a session reports of itself is incomplete: it is killed and never
//! ends, it changes its folder or its id, its hook is cut off. So a hook keeps
//! a [`Lease`], and rows are derived from leases ([`folder_row`]), as a lock's
//! holder is judged by its lease and not by its word.

mod event;
mod folder_row;
mod names;
mod processes;
mod proof;
mod shown;
mod store;

pub use event::{EventKind, SessionEvent, Voice, Where, after};
pub use folder_row::{FolderRow, REFRESH_AFTER_MS, folder_row};
pub use names::{name_of, short_id, tell_apart};
pub use processes::{Process, Processes};
pub use proof::{Life, ProcessScope, Proof};
pub use store::{Leases, LeasesLock, SHORT_WAIT};

use super::Repo;
use crate::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The activity of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// It works on what its person asked for.
    Working,
    /// It waits for its person: a permission, an answer.
    Waiting,
    /// It has done what it was asked for.
    Idle,
}

impl Activity {
    /// Lists all of them.
    pub const ALL: [Self; 3] = [Self::Working, Self::Waiting, Self::Idle];

    /// Returns the word that a person reads.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Waiting => "waiting",
            Self::Idle => "idle",
        }
    }
}

/// The way in which a session left the folder of its lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndKind {
    /// It said so.
    Ended,
    /// Its process is gone, or it was silent for too long.
    Died,
    /// It goes on in another folder.
    Moved,
    /// It goes on under another id.
    Replaced,
}

/// The end of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseEnd {
    /// When.
    pub at: Timestamp,
    /// How.
    pub how: EndKind,
    /// Whether a board shows it already; if so, the lease has nothing more to report.
    #[serde(default)]
    pub on_board: bool,
}

/// The part of a lease that a board last showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastShown {
    /// When.
    pub at: Timestamp,
    /// The activity that it shows.
    pub activity: Activity,
}

/// One session in one folder, as its hook last reported it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The session's own id.
    pub session_id: String,
    /// The agent's name in the table of agents; empty if it is not known.
    #[serde(default)]
    pub agent: String,
    /// What the session is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The folder that the session is in.
    #[serde(with = "lossy")]
    pub folder: PathBuf,
    /// The repository around it, whose row it keeps.
    #[serde(with = "lossy")]
    pub repo: PathBuf,
    /// The repository's name, `app/feat` for a worktree of `app`.
    pub name: String,
    /// The vault.
    #[serde(with = "lossy")]
    pub vault: PathBuf,
    /// The board, as it is named ([`crate::config::vault::BoardPlace::board`]).
    #[serde(with = "lossy")]
    pub board: PathBuf,
    /// The branch that was checked out at the last event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// When the session was first heard of.
    pub started: Timestamp,
    /// When it was last heard of.
    pub seen: Timestamp,
    /// What it does.
    pub activity: Activity,
    /// Since when.
    pub since: Timestamp,
    /// Its pane of tmux (`%5`) or its terminal (`/dev/pts/3`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<String>,
    /// The process whose life is the session's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// Set once it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<LeaseEnd>,
    /// What a board last showed of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_shown: Option<LastShown>,
    /// A problem of its hook that no agent showed; it is shown at the next start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl Lease {
    /// Returns the last sign of life; a clock that was ahead once counts as now.
    pub fn seen_by(&self, now: Timestamp) -> Timestamp {
        self.seen.min(now)
    }

    /// Returns whether the session lives, by its own word and its process.
    pub fn life(&self, processes: &Processes, now: Timestamp) -> Life {
        if self.over.is_some() {
            return Life::Dead;
        }
        proof::life(self.proof.as_ref(), processes, now.since(self.seen_by(now)))
    }

    /// Returns what stands in the cell of the session: its title and short id.
    pub fn session_cell(&self) -> String {
        let id = short_id(&self.session_id);
        match self.title.as_deref().map(str::trim) {
            None | Some("") => id.to_owned(),
            Some(title) => format!("{title} ({id})"),
        }
    }

    /// Returns whether a cell of a row shows this session, under whatever title.
    pub fn is_shown_as(&self, cell: &str) -> bool {
        let id = short_id(&self.session_id);
        let is_titled = cell
            .strip_suffix(')')
            .and_then(|cell| cell.strip_suffix(id))
            .is_some_and(|cell| cell.ends_with('('));
        is_titled || cell == id || cell == self.session_id
    }

    /// Returns whether the lease is of the board at `board`.
    pub fn is_of(&self, board: &Path) -> bool {
        self.board.to_string_lossy() == board.to_string_lossy()
    }
}

/// Derives the rows of all folders that `leases`, of one board, are in or were.
pub fn rows(leases: &[Lease], processes: &Processes, now: Timestamp) -> Vec<(Repo, FolderRow)> {
    let mut folders: BTreeMap<&Path, Vec<(&Lease, Life)>> = BTreeMap::new();
    for lease in leases {
        let life = lease.life(processes, now);
        folders.entry(&lease.repo).or_default().push((lease, life));
    }
    // A row stays on the board when its sessions are over, so it counts as well.
    let named: Vec<(&Path, &str)> = folders
        .iter()
        .filter_map(|(repo, leases)| Some((*repo, leases.last()?.0.name.as_str())))
        .collect();
    let names = tell_apart(&named);
    folders
        .into_iter()
        .zip(names)
        .filter_map(|((repo, leases), name)| {
            let row = folder_row(&leases, now)?;
            Some((Repo::at(repo, Path::new("/")), FolderRow { name, ..row }))
        })
        .collect()
}

/// Paths as text: what is not Unicode has a key of its lossy text anyway
/// ([`super::Repo::key`]), and JSON has nothing else.
mod lossy {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::path::{Path, PathBuf};

    pub fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&path.to_string_lossy())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        String::deserialize(from).map(PathBuf::from)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A time `minute` minutes after a fixed one.
    pub fn time(minute: i64) -> Timestamp {
        Timestamp::from_millis((1_000_000 + minute) * 60_000)
    }

    /// A lease as the session `id` in `/src/app` leaves it in that minute.
    pub fn lease(id: &str, minute: i64) -> Lease {
        Lease {
            session_id: id.to_owned(),
            agent: "claude-code".to_owned(),
            title: None,
            folder: "/src/app".into(),
            repo: "/src/app".into(),
            name: "app".to_owned(),
            vault: "/vault".into(),
            board: "/vault/board.md".into(),
            branch: None,
            started: time(minute),
            seen: time(minute),
            activity: Activity::Working,
            since: time(minute),
            terminal: None,
            proof: None,
            over: None,
            last_shown: None,
            trouble: None,
        }
    }
}
