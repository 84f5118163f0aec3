//! The host registry: one file for each running session, in `<sessions>/active/`.

use super::repo::Repo;
use super::session_lock::AHEAD_MS;
use crate::Timestamp;
use crate::disk::{Links, ONE_READ, read_at_once, read_small};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// How long an entry counts as fresh, in milliseconds.
pub const FRESH_FOR_MS: i64 = 15 * 60 * 1000;

/// The greatest size of an entry, in bytes; a real one has about 500.
const MAX_BYTES: u64 = 64 * 1024;

/// The registry's entry of a running session.
///
/// Fields and their types: session-orchestrator 5.3.0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryEntry {
    /// The session by its machine id; the peer's file is called so too.
    pub session_id: String,
    /// The session's name in words, if it has one.
    pub semantic_session_id: Option<String>,
    /// The last sign of life, as the session wrote it.
    pub last_heartbeat: String,
    /// The kind of the session.
    pub mode: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// The host by its kind, which session-orchestrator 5.4 shows where
    /// no session lock names one.
    pub host_class: Option<String>,
    /// The whole hash of the repository's path ([`Repo::hash`]).
    pub repo_path_hash: String,
}

impl RegistryEntry {
    /// Reads an entry from its bytes; `None` where the peer would skip it too.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields: Map<String, Value> = serde_json::from_slice(bytes).ok()?;
        let mut text = |key: &str| match fields.remove(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        text("started_at")?;
        let entry = Self {
            session_id: text("session_id")?,
            last_heartbeat: text("last_heartbeat")?,
            repo_path_hash: text("repo_path_hash")?,
            semantic_session_id: text("semantic_session_id"),
            branch: text("branch").filter(|name| !name.trim().is_empty()),
            host_class: text("host_class").filter(|name| !name.trim().is_empty()),
            mode: None,
        };
        let mut text_or_null = |key: &str| match fields.remove(key) {
            None | Some(Value::Null) => Some(None),
            Some(Value::String(text)) => Some(Some(text)),
            Some(_) => None,
        };
        text_or_null("role")?;
        let mode = text_or_null("mode")?.filter(|mode| !mode.trim().is_empty());
        Some(Self { mode, ..entry })
    }

    /// Returns the name that the board shows: in words, else the machine id.
    pub fn shown_session(&self) -> &str {
        self.semantic_session_id
            .as_deref()
            .unwrap_or(&self.session_id)
    }

    /// Returns whether the entry is at most 15 minutes old, and not of the future.
    pub fn is_fresh(&self, now: Timestamp) -> bool {
        Timestamp::parse(&self.last_heartbeat)
            .is_some_and(|beat| (-AHEAD_MS..=FRESH_FOR_MS).contains(&now.since(beat)))
    }
}

/// The registry of this host, read on demand.
///
/// One update asks for one repository, and so searches the bytes of each file
/// for its hash and parses only what has it. A sweep asks for many, and so
/// reads everything once ([`Registry::indexed`]).
///
/// No entry is passed over for its age: with the peer, a stale one still gives
/// the branch of a running session and the cells of a closed one.
#[derive(Debug)]
pub struct Registry {
    active: PathBuf,
    index: Option<HashMap<String, Vec<RegistryEntry>>>,
}

impl Registry {
    /// Takes the `sessions` folder, whether it exists or not.
    pub fn at(sessions: &Path) -> Self {
        Self {
            active: sessions.join("active"),
            index: None,
        }
    }

    /// Takes the `sessions` folder and reads all of it now.
    pub fn indexed(sessions: &Path) -> Self {
        let mut registry = Self::at(sessions);
        let mut index: HashMap<String, Vec<RegistryEntry>> = HashMap::new();
        for entry in registry.scan(None) {
            index
                .entry(entry.repo_path_hash.clone())
                .or_default()
                .push(entry);
        }
        registry.index = Some(index);
        registry
    }

    /// Returns the entries of a repository, in no particular order.
    ///
    /// Of a session that is known by its id, its own entry alone: the peer
    /// names the file after the session, which makes it one read among 10,000.
    pub fn entries_of(&self, repo: &Repo, session_id: Option<&str>) -> Vec<RegistryEntry> {
        if let Some(index) = &self.index {
            return index.get(&repo.hash).cloned().unwrap_or_default();
        }
        if let Some(own) = session_id.and_then(|id| self.entry_named(id))
            && own.repo_path_hash == repo.hash
        {
            return vec![own];
        }
        self.scan(Some(&repo.hash))
    }

    fn entry_named(&self, session_id: &str) -> Option<RegistryEntry> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if session_id.is_empty() || !session_id.chars().all(is_plain) {
            return None;
        }
        let path = self.active.join(format!("{session_id}.json"));
        let entry = RegistryEntry::parse(&read_whole(&path)?)?;
        (entry.session_id == session_id).then_some(entry)
    }

    /// Reads every entry, or only those that hold `hash`.
    ///
    /// Whatever is not an entry is skipped silently, as the peer does: other
    /// people's files lie here, and each would be a warning in every session.
    fn scan(&self, hash: Option<&str>) -> Vec<RegistryEntry> {
        let Ok(folder) = fs::read_dir(&self.active) else {
            return Vec::new();
        };
        let holds_hash = |entry: &[u8]| {
            hash.is_none_or(|hash| str::from_utf8(entry).is_ok_and(|text| text.contains(hash)))
        };
        let mut buffer = vec![0; ONE_READ];
        folder
            .flatten()
            .filter(|file| file.file_name().as_encoded_bytes().ends_with(b".json"))
            .filter(|file| file.file_type().is_ok_and(|kind| !kind.is_dir()))
            .filter_map(|file| {
                let path = file.path();
                let whole = read_at_once(&path, MAX_BYTES, Links::Follow, &mut buffer)?;
                if !holds_hash(&whole) {
                    return None;
                }
                RegistryEntry::parse(&whole)
                    .filter(|entry| hash.is_none_or(|hash| entry.repo_path_hash == hash))
            })
            .collect()
    }
}

fn read_whole(path: &Path) -> Option<Vec<u8>> {
    let contents = read_small(path, MAX_BYTES, Links::Follow).ok()??;
    Some(contents.bytes)
}
