//! Dropping old rows.
//!
//! What is dropped lies in a backup before the board changes: a board of its
//! own with only those rows, in `.orchestrator/backups/`, where no editor of
//! notes looks.

use super::board_edit::{BoardEdit, Change, StartedFrom, join_displaced};
use super::options::EditOptions;
use super::own_rows::OwnRows;
use super::refusal::{Refusal, text};
use super::row_backups::Backups;
use crate::Timestamp;
use crate::board::{Board, Field, Row, Slot, to_bytes};
use crate::commit::{Displaced, End};
use crate::disk::{Access, Entry, Links, rewrite_like};
use std::collections::HashMap;
use std::io;

/// A row that was dropped, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The row as it was.
    pub row: Row<'static>,
    /// Why nobody needs it.
    pub why: String,
}

/// Drops each row for which there is a reason.
pub struct Prune<'a> {
    why: &'a dyn Fn(&Row) -> Option<String>,
    /// The rows that are gone, or would be.
    pub dropped: Vec<Dropped>,
    /// Where they are kept.
    pub backup: Option<Entry>,
    /// The older backups that made room for it.
    pub expired: Vec<Entry>,
}

impl<'a> Prune<'a> {
    /// Prepares the edit; `why` gives the reason, or `None` for a row that stays.
    pub fn new(why: &'a dyn Fn(&Row) -> Option<String>) -> Self {
        Self {
            why,
            dropped: Vec::new(),
            backup: None,
            expired: Vec::new(),
        }
    }
}

impl Prune<'_> {
    /// Writes the dropped rows to a backup that is as readable as the board.
    fn keep(&mut self, rows: &[u8], options: &EditOptions) -> io::Result<()> {
        let backup = match self.backup.take() {
            Some(backup) => backup,
            None => Backups::of(options.place).create(options.now)?,
        };
        let backup = self.backup.insert(backup);
        let like = Access::at(&options.place.entry()?, Links::Refuse);
        rewrite_like(backup, rows, like)
    }
}

impl std::fmt::Debug for Prune<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prune")
            .field("dropped", &self.dropped)
            .finish_non_exhaustive()
    }
}

impl BoardEdit for Prune<'_> {
    fn apply<'b>(
        &'b mut self,
        board: &mut Board<'b>,
        _start: StartedFrom,
        _options: &EditOptions,
    ) -> Result<Change, Refusal> {
        self.dropped.clear();
        board.rows.retain(|row| match (self.why)(row) {
            None => true,
            Some(why) => {
                let row = row.clone().into_owned();
                self.dropped.push(Dropped { row, why });
                false
            }
        });
        Ok(Change::made_if(!self.dropped.is_empty()))
    }

    fn before_write(
        &mut self,
        current: Option<&[u8]>,
        options: &EditOptions,
    ) -> Result<(), Refusal> {
        let current = text(current.unwrap_or_default())?;
        let mut kept = Board::parse(&current);
        kept.rows.retain(|row| (self.why)(row).is_some());
        let keys: Vec<_> = kept
            .rows
            .iter()
            .filter_map(|row| row.get(Field::Key))
            .collect();
        OwnRows::forget(options, &keys);
        let kept = to_bytes(kept.render(options.now));
        self.keep(&kept, options).map_err(|error| {
            let folder = || options.place.folder.join("backups");
            let backup = self.backup.as_ref().map_or_else(folder, Entry::path);
            Refusal::NoBackup(format!("`{}`: {error}", backup.display()))
        })
    }

    /// Joins, but for the rows that were dropped on purpose: an outsider's
    /// write has them too, and only one with a later heartbeat is news.
    fn join<'b>(
        &'b self,
        mut displaced: Board<'b>,
        written: Board<'b>,
        when: Displaced,
        options: &EditOptions,
    ) -> Board<'b> {
        let mut dropped: HashMap<Slot, Option<Timestamp>> = HashMap::new();
        for Dropped { row, .. } in &self.dropped {
            let heartbeat = dropped.entry(written.slot_of(row)).or_default();
            if row.is_later_than(*heartbeat) {
                *heartbeat = row.heartbeat();
            }
        }
        displaced.rows.retain(|row| {
            let heartbeat = dropped.get(&written.slot_of(row));
            heartbeat.is_none_or(|heartbeat| row.is_later_than(*heartbeat))
        });
        join_displaced(&displaced, &written, &[], when, options)
    }

    /// Gives up the backup only where the rows are certain to be in the board.
    fn finish(&mut self, end: &End<Refusal>, options: &EditOptions) {
        let backups = Backups::of(options.place);
        if matches!(end, End::Written) {
            self.expired = backups.expire();
        } else {
            self.dropped.clear();
            if let Some(backup) = self.backup.take() {
                backups.discard(&backup);
            }
        }
    }
}
