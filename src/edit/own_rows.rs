//! The rows that this host wrote last, kept outside the vault.
//!
//! A sync tool, an editor or git may bring an old version of a board back, with
//! rows gone that were acknowledged long ago. So each update remembers its rows
//! in the user's own folder for state, before it writes them, and joins them
//! into the board that it finds.
//!
//! The file is a journal: one line for each update, with the rows that it wrote.
//! Replacing a file makes ext4 write it to the disk at once (`auto_da_alloc`),
//! which takes longer than the rest of an update. A line that a crash tore is
//! passed over.

mod own_row;

use super::options::EditOptions;
use crate::Timestamp;
use crate::board::{Board, Field, Row, Slot};
use crate::config::board_state_file;
use crate::disk::{self, Links, read_small};
use own_row::OwnRow;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

/// The folder of these files, in the folder for state.
const FOLDER: &str = "own-rows";
/// The greatest size of one that is read, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// How many lines a journal has before it becomes one line again.
const MAX_LINES: usize = 64;
/// How long a row is remembered, in ms.
const KEEP_MS: i64 = 7 * 24 * 60 * 60 * 1000;
/// For this long, in ms, a row that another host's board lacks was not yet seen
/// there, rather than removed: nobody removes so young a row.
const YOUNG_MS: i64 = 60 * 60 * 1000;

/// The rows that this host wrote last to one board, or one line of its journal.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct OwnRows {
    /// The `updated:` that the board had then, in ms.
    updated: Option<i64>,
    rows: Vec<OwnRow>,
    /// The boards beside it, with unknown names, that were reported to its user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reported: Vec<String>,
    /// The keys of rows that have been forgotten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    gone: Vec<String>,
    /// The keys of rows that the journal lacks.
    #[serde(skip)]
    fresh: HashSet<String>,
    /// How many lines the journal has.
    #[serde(skip)]
    lines: usize,
}

impl OwnRows {
    /// Reads the rows that are remembered of a board; those that cannot be read are forgotten.
    pub fn read(options: &EditOptions) -> Self {
        let read = || read_small(&file(options)?, MAX_BYTES, Links::Refuse).ok()?;
        let bytes = read().map_or_else(Vec::new, |contents| contents.bytes);
        let mut own = Self::default();
        for line in bytes.split(|byte| *byte == b'\n') {
            if let Ok(line) = serde_json::from_slice(line) {
                own.follow(line);
            }
        }
        own
    }

    fn follow(&mut self, line: Self) {
        self.lines += 1;
        self.updated = line.updated;
        self.reported = line.reported;
        let is_newer = |key: &str| line.rows.iter().any(|row| row.key == key);
        self.rows
            .retain(|row| !line.gone.contains(&row.key) && !is_newer(&row.key));
        self.rows.extend(line.rows);
    }

    /// Joins the rows into the board on the disk, and forgets those that
    /// somebody removed on purpose; false if nothing changes.
    ///
    /// A board is an old version if its `updated:` is older than what this host
    /// wrote: then a row that is absent is put back. So is a young one on a board
    /// that a program wrote later: that of a host which had not seen the row, and
    /// which the sync tool put over ours. A person's removal leaves `updated:` as
    /// it is. A row that has an earlier heartbeat becomes the remembered one.
    pub fn join_into(&mut self, board: &mut Board<'_>, options: &EditOptions) -> bool {
        let now = options.now.as_millis();
        self.rows.retain(|own| now - own.written < KEEP_MS);
        let updated = board.updated().map(Timestamp::as_millis).zip(self.updated);
        let is_old = updated.is_some_and(|(updated, ours)| updated < ours);
        let is_another_hosts = updated.is_some_and(|(updated, ours)| updated > ours);
        let host = board.is_shared().then_some(&*options.host.id);
        let index = board.index();
        let (mut outdated, mut joined) = (HashSet::new(), Vec::new());
        let mut is_kept = |own: &OwnRow| {
            let prior = index.prior(&Slot::keyed(&own.key).on(host));
            let shown = prior.map(|(_, prior)| prior.get(Field::Heartbeat));
            if shown.is_some_and(|shown| shown.as_deref() == own.heartbeat.as_deref()) {
                return true;
            }
            let Some(row) = own.row(host) else {
                return false;
            };
            let Some((at, prior)) = prior else {
                let is_young = now - own.written < YOUNG_MS
                    && row
                        .heartbeat()
                        .is_some_and(|beat| now - beat.as_millis() < YOUNG_MS);
                let is_missing = is_old || is_another_hosts && is_young;
                if is_missing {
                    joined.push(row);
                }
                return is_missing;
            };
            let is_newer = match prior.heartbeat() {
                heartbeat @ Some(_) => row.is_later_than(heartbeat),
                // Nothing says how old it is, but the board.
                None => is_old && row.heartbeat().is_some(),
            };
            if is_newer {
                outdated.insert(at);
                joined.push(row);
            }
            true
        };
        for own in std::mem::take(&mut self.rows) {
            match is_kept(&own) {
                true => self.rows.push(own),
                false => self.gone.push(own.key),
            }
        }
        drop(index);
        let mut at = 0..;
        let is_kept = |_: &Row| at.next().is_none_or(|at| !outdated.contains(&at));
        board.rows.retain(is_kept);
        let changed = !joined.is_empty();
        board.rows.extend(joined);
        changed
    }

    /// Remembers rows of this host as they are about to be written.
    pub fn take<'r, 'b: 'r>(&mut self, rows: impl Iterator<Item = &'r Row<'b>>, now: Timestamp) {
        for row in rows {
            let Some(own) = OwnRow::of(row, now) else {
                continue;
            };
            self.rows.retain(|other| other.key != own.key);
            self.fresh.insert(own.key.clone());
            self.rows.push(own);
        }
    }

    /// Forgets rows that are about to be removed on purpose.
    pub fn forget(options: &EditOptions, keys: &[Cow<'_, str>]) {
        let mut own = Self::read(options);
        let before = own.rows.len();
        own.rows
            .retain(|own| !keys.iter().any(|key| *key == own.key));
        if own.rows.len() != before {
            let _ = own.store(options);
        }
    }

    /// Writes the rows, for a board whose `updated:` is now.
    ///
    /// Not synced: after a power cut nobody brings an old version back.
    pub fn write(&mut self, options: &EditOptions) -> io::Result<()> {
        self.updated = Some(options.now.as_millis());
        if !(1..MAX_LINES).contains(&self.lines) {
            self.gone.clear();
            return self.store(options);
        }
        let Some(path) = file(options) else {
            return Ok(());
        };
        let is_fresh = |row: &&OwnRow| self.fresh.contains(&row.key);
        let line = Self {
            updated: self.updated,
            rows: self.rows.iter().filter(is_fresh).cloned().collect(),
            reported: self.reported.clone(),
            gone: self.gone.clone(),
            ..Self::default()
        };
        // At the start, so that it also ends a line that was cut short.
        let mut bytes = vec![b'\n'];
        serde_json::to_writer(&mut bytes, &line)?;
        disk::append("own-rows.append", &path, &bytes)
    }

    /// Replaces the journal by one line.
    fn store(&self, options: &EditOptions) -> io::Result<()> {
        let Some(path) = file(options) else {
            return Ok(());
        };
        let steps = ["own-rows.create", "own-rows.write", "own-rows.replace"];
        disk::rewrite_private(steps, &path, &serde_json::to_vec(self)?)
    }
}

fn file(options: &EditOptions) -> Option<PathBuf> {
    let state = options.state.as_ref()?;
    Some(board_state_file(state, FOLDER, &options.place.target))
}
