//! Dropping rows that nobody needs, and putting them back.
//!
//! What is dropped lies in a backup before the board changes: a board of its
//! own with only those rows, in `.orchestrator/backups/`, where no editor of
//! notes looks. Putting it back is a join, so newer rows stay.

use super::backups::{BACKUPS, backups, expire, free_name};
use super::document::{refusal, text};
use super::{
    Action, BoardRequest, Committal, Refusal, Report, UpdateError, commit_under_lock, report,
};
use crate::Timestamp;
use crate::board::{Board, Row, Slot, join_all, join_rows};
use crate::commit::{CommitError, Displaced, Document, Edit, LIMIT};
use crate::disk::{self, read_regular};
use crate::vault::Place;
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
#[derive(Clone, Debug)]
pub struct Pruned {
    /// What became of the board.
    pub report: Report,
    /// The rows that are gone, or would be.
    pub dropped: Vec<Dropped>,
    /// Where they are kept.
    pub backup: Option<PathBuf>,
    /// The older backups that made room for it.
    pub expired: Vec<PathBuf>,
}

/// Reports what was put back.
#[derive(Clone, Debug)]
pub struct Restored {
    /// What became of the board.
    pub report: Report,
    /// The backup that the rows came from; gone once the board has them.
    pub backup: PathBuf,
}

/// Drops each row for which `why` knows a reason.
pub fn prune(
    request: BoardRequest,
    why: &dyn Fn(&Row) -> Option<String>,
) -> Result<Pruned, UpdateError> {
    let place = request.place;
    let folder = place.folder.join(BACKUPS);
    let backup = free_name(&folder, &place.stem, request.now);
    let mut document = Pruning {
        why,
        now: request.now,
        like: &place.target,
        backup: &backup,
        dropped: Vec::new(),
        rows: None,
    };
    if request.dry_run {
        let report = rehearse(place, |current| document.preview(current))?;
        return Ok(Pruned {
            report,
            dropped: document.dropped,
            backup: None,
            expired: Vec::new(),
        });
    }
    let committal = commit_under_lock(place, request.lock, request.sync, &mut document);
    let is_written = matches!(
        &committal,
        Ok(Committal { committed: Ok(done), .. }) if done.end == crate::commit::End::Written
    );
    let Pruning { dropped, rows, .. } = document;
    if !is_written || dropped.is_empty() {
        // The rows are where they were.
        let _ = disk::remove("file.unlink", &backup);
        let _ = disk::remove_folder("file.unlink", &folder);
    }
    let report = report(place, rows, committal?)?;
    Ok(if is_written && !dropped.is_empty() {
        Pruned {
            report,
            dropped,
            expired: expire(&folder, &place.stem),
            backup: Some(backup),
        }
    } else {
        Pruned {
            report,
            dropped: Vec::new(),
            backup: None,
            expired: Vec::new(),
        }
    })
}

/// Puts the rows of the last backup back, but for those that the board has newer;
/// `None` if there is no backup.
pub fn restore(request: BoardRequest) -> Result<Option<Restored>, UpdateError> {
    let place = request.place;
    let folder = place.folder.join(BACKUPS);
    let Some(backup) = backups(&folder, &place.stem).pop() else {
        return Ok(None);
    };
    let unreadable = |source| CommitError::Unreadable {
        path: backup.clone(),
        source,
    };
    let Some(read) = read_regular(&backup, LIMIT).map_err(unreadable)? else {
        return Ok(None);
    };
    let kept = match text(&read.bytes) {
        Ok(kept) => Board::parse(kept),
        Err(refusal) => {
            return Err(UpdateError::BadBackup(refusal.note(&backup)));
        }
    };
    let mut document = Restoring {
        kept: &kept,
        now: request.now,
        rows: None,
    };
    if request.dry_run {
        let report = rehearse(place, |current| document.edit(current))?;
        return Ok(Some(Restored { report, backup }));
    }
    let committal = commit_under_lock(place, request.lock, request.sync, &mut document)?;
    let report = report(place, document.rows, committal)?;
    if matches!(report.action, Action::Written | Action::SkippedNoop) {
        let _ = disk::remove("file.unlink", &backup);
        let _ = disk::remove_folder("file.unlink", &folder);
    }
    Ok(Some(Restored { report, backup }))
}

/// Drops rows.
struct Pruning<'a> {
    why: &'a dyn Fn(&Row) -> Option<String>,
    now: Timestamp,
    /// The file that the backup is as readable as.
    like: &'a Path,
    backup: &'a Path,
    dropped: Vec<Dropped>,
    rows: Option<usize>,
}

impl Pruning<'_> {
    /// Edits without keeping a backup; gives it beside the new content.
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
        self.rows = Some(board.rows.len());
        (!self.dropped.is_empty()).then_some((board, kept))
    }

    fn preview(&mut self, current: Option<&[u8]>) -> Edit<Refusal> {
        match current.map(text) {
            None => Edit::Unchanged,
            Some(Err(refusal)) => Edit::Refuse(refusal),
            Some(Ok(current)) => match self.split(current) {
                None => Edit::Unchanged,
                Some((board, _)) => Edit::Write(board.render(self.now).into_bytes()),
            },
        }
    }

    fn keep(&self, kept: &Board) -> io::Result<()> {
        let folder = self.backup.parent().unwrap_or(Path::new("."));
        disk::create_folder("folder.create", folder)?;
        let like = std::fs::metadata(self.like).ok();
        disk::rewrite(self.backup, kept.render(self.now).as_bytes(), like.as_ref())
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

/// Puts rows back.
struct Restoring<'a> {
    kept: &'a Board<'a>,
    now: Timestamp,
    rows: Option<usize>,
}

impl Document for Restoring<'_> {
    type Refusal = Refusal;

    fn refusal(&self, content: &[u8]) -> Option<Refusal> {
        refusal(content)
    }

    fn edit(&mut self, current: Option<&[u8]>) -> Edit<Refusal> {
        let board = match current.map(text) {
            None => Board::empty(self.now),
            Some(Ok(text)) => Board::parse(text),
            Some(Err(refusal)) => return Edit::Refuse(refusal),
        };
        let joined = join_rows(&board, self.kept);
        self.rows = Some(joined.rows.len());
        if joined.rows == board.rows {
            Edit::Unchanged
        } else {
            Edit::Write(joined.render(self.now).into_bytes())
        }
    }

    fn join(&self, displaced: &[u8], written: &[u8], when: Displaced) -> Vec<u8> {
        let (Ok(displaced), Ok(written)) = (text(displaced), text(written)) else {
            return written.to_vec();
        };
        let (displaced, written) = (Board::parse(displaced), Board::parse(written));
        join_boards(&displaced, &written, when, self.now)
    }
}

fn join_boards(displaced: &Board, written: &Board, when: Displaced, now: Timestamp) -> Vec<u8> {
    let board = match when {
        Displaced::JustNow | Displaced::ByLastWrite => join_rows(displaced, written),
        Displaced::LongAgo => join_all(written, displaced),
    };
    let updated = written.updated().max(displaced.updated());
    board.render(updated.unwrap_or(now)).into_bytes()
}

/// Edits in memory only.
fn rehearse(
    place: &Place,
    edit: impl FnOnce(Option<&[u8]>) -> Edit<Refusal>,
) -> Result<Report, UpdateError> {
    let path = place.board.clone();
    let read = read_regular(&place.target, LIMIT).map_err(|source| CommitError::Unreadable {
        path: path.clone(),
        source,
    })?;
    let bytes = read.as_ref().map(|read| read.bytes.as_slice());
    let note = match bytes
        .and_then(refusal)
        .map_or_else(|| edit(bytes), Edit::Refuse)
    {
        Edit::Write(_) => "the board would be written".to_owned(),
        Edit::Unchanged => "nothing would change".to_owned(),
        Edit::Refuse(refusal) => refusal.note(&path),
    };
    Ok(Report {
        action: Action::DryRun,
        path,
        rows: None,
        lock: None,
        note: Some(note),
    })
}
