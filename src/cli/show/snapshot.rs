//! The board at one moment: read, refused or taken, filtered, grouped.

use super::filter::{Filter, picks};
use crate::Timestamp;
use crate::board::{Board, Row, Status};
use crate::cli::context::Context;
use crate::cli::outcome::Failure;
use crate::commit::{CommitError, LIMIT};
use crate::disk::{Patience, read_regular};
use crate::edit::refusal;
use crate::lock::{Judged, LockOptions, Seeker};
use crate::vault::Place;
use std::path::{Path, PathBuf};

/// Holds what was read.
pub struct Snapshot {
    path: PathBuf,
    home: Option<PathBuf>,
    text: String,
    lock: Option<Judged>,
    now: Timestamp,
}

/// Is what of it is shown.
pub struct View<'a> {
    pub board: Board<'a>,
    pub path: &'a Path,
    pub lock: Option<&'a Judged>,
    pub now: Timestamp,
    home: Option<&'a Path>,
    /// The rows that are shown, by index: one host's after the other's.
    picked: Vec<usize>,
}

impl Snapshot {
    /// Reads the board at `place`, and who holds its lock.
    pub fn take(context: &Context, place: &Place, now: Timestamp) -> Result<Self, Failure> {
        let path = place.board.clone();
        let contents = read_regular(&place.target, LIMIT).map_err(|source| {
            let path = path.clone();
            Failure::of(CommitError::Unreadable { path, source })
        })?;
        let Some(contents) = contents else {
            return Err(missing(place));
        };
        if let Some(refusal) = refusal(&contents.bytes) {
            return Err(Failure::Error(refusal.note(&path)));
        }
        Ok(Self {
            text: String::from_utf8(contents.bytes).map_err(Failure::of)?,
            home: context.home(),
            lock: lock(context, place),
            path,
            now,
        })
    }

    /// Picks the rows that all `filters` let through.
    pub fn view(&self, filters: &[Filter]) -> View<'_> {
        let board = Board::parse(&self.text);
        let rows = 0..board.rows.len();
        let mut picked: Vec<usize> = rows.filter(|&at| picks(filters, &board.rows[at])).collect();
        if board.is_shared() {
            picked.sort_by_key(|&at| {
                let host = board.rows[at].host.as_deref();
                (host.is_none(), host)
            });
        }
        View {
            board,
            path: &self.path,
            lock: self.lock.as_ref(),
            now: self.now,
            home: self.home.as_deref(),
            picked,
        }
    }
}

impl<'a> View<'a> {
    /// Gives the rows that are shown.
    pub fn rows(&self) -> impl Iterator<Item = &Row<'a>> {
        self.picked.iter().map(|&at| &self.board.rows[at])
    }

    /// Says whether a session is said to run that has not been heard of for hours:
    /// the next update closes its row.
    pub fn is_silent(&self, row: &Row) -> bool {
        crate::board::has_gone_silent(row, self.now)
    }

    /// Says how many rows are shown, and what the board says of itself.
    pub fn summary(&self) -> String {
        let (shown, all) = (self.picked.len(), self.board.rows.len());
        let mut text = match all {
            1 => "1 row".to_owned(),
            _ => format!("{all} rows"),
        };
        if shown != all {
            text = format!("{shown} of {text}");
        }
        let running = |row: &&Row| row.status() == Some(Status::InProgress);
        match self.rows().filter(running).count() {
            0 => {}
            running => text.push_str(&format!(", {running} in progress")),
        }
        if let Some(updated) = self.board.updated() {
            let ago = crate::duration::ago(updated, self.now);
            text.push_str(&format!(", written {ago}"));
        }
        format!("{text}: {}", self.path_with_tilde())
    }

    fn path_with_tilde(&self) -> String {
        let below = self.home.and_then(|home| self.path.strip_prefix(home).ok());
        match below {
            Some(below) => format!("~/{}", below.display()),
            None => self.path.display().to_string(),
        }
    }
}

fn missing(place: &Place) -> Failure {
    if place.placeholder().exists() {
        return Failure::of(CommitError::NotDownloaded(place.board.clone()));
    }
    Failure::Error(format!(
        "no board at `{}` yet: `boardsync update --repo . --status in-progress` makes it",
        place.board.display()
    ))
}

/// Judges the lock; asks nothing but for its name where nobody holds it.
fn lock(context: &Context, place: &Place) -> Option<Judged> {
    let path = context.lock_file(place);
    std::fs::symlink_metadata(&path).ok()?;
    let options = LockOptions {
        patience: Patience::TryOnce,
        ..context.lock_options(place)
    };
    let mut seeker = Seeker::new(&path, &options);
    seeker.inspect().ok()?.lock
}
