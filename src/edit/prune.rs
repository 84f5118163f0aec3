//! Dropping rows that nobody needs.
//!
//! What is dropped lies in a backup before the board changes: a board of its
//! own with only those rows, in `.orchestrator/backups/`, where no editor of
//! notes looks.

use super::backups::{BACKUPS, discard, expire, free_name};
use super::locked::{Edited, Session, edit};
use super::refusal::{refusal, text};
use super::{Refusal, UpdateError};
use crate::Timestamp;
use crate::board::{Board, Row, Slot, join_all, join_rows};
use crate::commit::{CommitError, Displaced, Document, Edit, End, LIMIT};
use crate::disk::{self, ReadError, read_regular};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// Is a row that was dropped, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The row as it was.
    pub row: Row<'static>,
    /// Why nobody needs it.
    pub why: String,
}

/// Reports what was dropped.
#[derive(Debug)]
pub struct Pruned {
    /// What the edit came to; `None` if it was not to be done.
    pub edited: Option<Edited<Refusal>>,
    /// The rows that are gone, or would be.
    pub dropped: Vec<Dropped>,
    /// Where they are kept.
    pub backup: Option<PathBuf>,
    /// The older backups that made room for it.
    pub expired: Vec<PathBuf>,
}

/// Drops each row for which `why` knows a reason; with `dry_run` only says which.
pub fn prune(
    session: Session,
    now: Timestamp,
    dry_run: bool,
    why: &dyn Fn(&Row) -> Option<String>,
) -> Result<Pruned, UpdateError> {
    let place = session.place;
    let folder = place.folder.join(BACKUPS);
    let backup = free_name(&folder, &place.stem, now);
    let mut document = Pruning {
        why,
        now,
        like: &place.target,
        backup: &backup,
        dropped: Vec::new(),
    };
    if dry_run {
        let read = read_regular(&place.target, LIMIT).map_err(unreadable(&place.board))?;
        if let Some(read) = &read {
            let refused = |why: Refusal| UpdateError::Refused(why.note(&place.board));
            if let Some(why) = refusal(&read.bytes) {
                return Err(refused(why));
            }
            document.split(text(&read.bytes).map_err(refused)?);
        }
        return Ok(Pruned {
            edited: None,
            dropped: document.dropped,
            backup: None,
            expired: Vec::new(),
        });
    }
    let edited = edit(session, &mut document);
    let is_written = matches!(&edited, Ok(edited) if edited.end == End::Written);
    let dropped = document.dropped;
    if !is_written || dropped.is_empty() {
        // The rows are where they were.
        discard(&backup);
        return Ok(Pruned {
            edited: Some(edited?),
            dropped: Vec::new(),
            backup: None,
            expired: Vec::new(),
        });
    }
    Ok(Pruned {
        edited: Some(edited?),
        dropped,
        expired: expire(&folder, &place.stem),
        backup: Some(backup),
    })
}

pub(super) fn unreadable(path: &Path) -> impl FnOnce(ReadError) -> CommitError {
    move |source| CommitError::Unreadable {
        path: path.to_owned(),
        source,
    }
}

/// Drops rows.
struct Pruning<'a> {
    why: &'a dyn Fn(&Row) -> Option<String>,
    now: Timestamp,
    /// The file that the backup is as readable as.
    like: &'a Path,
    backup: &'a Path,
    dropped: Vec<Dropped>,
}

impl Pruning<'_> {
    /// Parts the rows that stay from those that go; `None` if all stay.
    fn split<'b>(&mut self, current: &'b str) -> Option<(Board<'b>, Board<'b>)> {
        let mut board = Board::parse(current);
        let mut kept = board.clone();
        self.dropped.clear();
        kept.rows.clear();
        board.rows.retain(|row| match (self.why)(row) {
            None => true,
            Some(why) => {
                let row = row.clone();
                kept.rows.push(row.clone());
                let row = row.into_owned();
                self.dropped.push(Dropped { row, why });
                false
            }
        });
        (!self.dropped.is_empty()).then_some((board, kept))
    }

    fn keep(&self, kept: &Board) -> io::Result<()> {
        let folder = self.backup.parent().unwrap_or(Path::new("."));
        disk::create_folder("folder.create", folder)?;
        let like = std::fs::metadata(self.like).ok();
        disk::rewrite_like(self.backup, kept.render(self.now).as_bytes(), like.as_ref())
    }
}

impl Document for Pruning<'_> {
    type Refusal = Refusal;

    fn refusal(&self, content: &[u8]) -> Option<Refusal> {
        refusal(content)
    }

    fn edit(&mut self, current: Option<&[u8]>) -> Edit<Refusal> {
        let current = match current.map(text) {
            None => return Edit::Unchanged,
            Some(Err(refusal)) => return Edit::Refuse(refusal),
            Some(Ok(current)) => current,
        };
        let Some((board, kept)) = self.split(current) else {
            return Edit::Unchanged;
        };
        match self.keep(&kept) {
            Ok(()) => Edit::Write(board.render(self.now).into_bytes()),
            Err(error) => Edit::Refuse(Refusal::NotKept(format!(
                "`{}`: {error}",
                self.backup.display()
            ))),
        }
    }

    /// Joins, but for the rows that were dropped on purpose: an outsider's
    /// write has them too, and only one with a later heartbeat is news.
    fn join(&self, displaced: &[u8], written: &[u8], when: Displaced) -> Vec<u8> {
        let (Ok(displaced), Ok(written)) = (text(displaced), text(written)) else {
            return written.to_vec();
        };
        let (mut displaced, written) = (Board::parse(displaced), Board::parse(written));
        let mut dropped: HashMap<Slot, Option<Timestamp>> = HashMap::new();
        for Dropped { row, .. } in &self.dropped {
            let beat = dropped.entry(row.slot()).or_default();
            *beat = (*beat).max(row.beat());
        }
        displaced.rows.retain(|row| {
            dropped
                .get(&row.slot())
                .is_none_or(|beat| row.beat() > *beat)
        });
        join_boards(&displaced, &written, when, self.now)
    }
}

pub(super) fn join_boards(
    displaced: &Board,
    written: &Board,
    when: Displaced,
    now: Timestamp,
) -> Vec<u8> {
    let board = match when {
        Displaced::JustNow { .. } => join_rows(displaced, written),
        Displaced::ByCrash => join_all(written, displaced),
    };
    let updated = written.updated().max(displaced.updated());
    board.render(updated.unwrap_or(now)).into_bytes()
}
