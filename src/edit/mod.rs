//! The use case: derive, lock, read, merge, commit, report.

mod backups;
mod copies;
mod declare;
mod document;
mod found;
mod locked;
mod prune;
mod refusal;
mod rehearse;
mod repair;
mod report;
mod restore;

pub use declare::Declare;
pub use found::{Founding, abandon, is_blank};
pub use locked::{Edited, Session, edit};
pub use prune::{Dropped, Pruned, prune};
pub use refusal::{Refusal, is_ours, refusal};
pub use repair::{NotRepaired, Repair};
pub use report::{Action, LockReport, Report};
pub use restore::{Restored, restore};

use crate::Timestamp;
use crate::board::Row;
use crate::commit::{CommitError, Committed, End, commit};
use crate::lock::{Host, LockOptions};
use crate::session::{Explicit, Registry, Repo, Sources};
use crate::vault::Place;
use copies::Copies;
use document::BoardDocument;
use locked::under_lock;
use std::time::Duration;

/// Is one repository of an update, and what is known about it.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Who it is.
    pub repo: Repo,
    /// What it and its host say about it.
    pub sources: Sources,
}

impl Subject {
    /// Reads what is known about `repo`.
    pub fn read(repo: Repo, registry: Option<&Registry>) -> Self {
        Self {
            sources: Sources::read(&repo, registry),
            repo,
        }
    }
}

/// Asks for one update of one board.
#[derive(Debug)]
pub struct Request<'a> {
    /// Where the board and everything beside it lie.
    pub place: &'a Place,
    /// The repositories whose rows are to be brought up to date.
    pub subjects: &'a [Subject],
    /// What the caller says of all of them, which beats what is derived.
    pub explicit: &'a Explicit,
    /// The time of the event.
    pub now: Timestamp,
    /// What must hold of a row for it to be replaced.
    pub only_where: Option<OnlyWhere<'a>>,
    /// How the lock is sought; its `on_outcome` is the update's own.
    pub lock: LockOptions<'a>,
    /// Whether the board and its folder are synced.
    pub sync: bool,
    /// How long the latch is waited for.
    pub latch: Duration,
    /// Whether to say what would be done, and do nothing.
    pub dry_run: bool,
    /// Whose repositories they are; `None` is this host.
    pub host: Option<&'a Host>,
}

/// Is asked, under the latch, whether a row may be replaced; `None` is no row.
///
/// What a caller saw on the board before it had the lock may have changed.
#[derive(Clone, Copy)]
pub struct OnlyWhere<'a>(pub &'a dyn Fn(Option<&Row<'_>>) -> bool);

impl std::fmt::Debug for OnlyWhere<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OnlyWhere")
    }
}

/// Says why an update could not be tried, or must not be called done.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// The board is nothing that could be updated.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The board's bytes are not text; they are as they were.
    #[error(
        "the board `{path}` is not UTF-8 text ({at}); move it away, or name another with --board"
    )]
    NotText {
        /// The board.
        path: String,
        /// Where the first wrong byte is.
        at: String,
    },
    /// A signal ended the wait for the lock; nothing was written.
    #[error("interrupted while waiting for the lock `{0}`; nothing was written")]
    Interrupted(String),
    /// What should be a board, or rows of one, is none; the whole sentence.
    #[error("{0}")]
    Refused(String),
}

/// Brings the rows of some repositories up to date, under the board's lock if
/// that can be had.
///
/// What fails open is a [`Report`]; what its caller should see is an error.
pub fn update(request: Request) -> Result<Report, UpdateError> {
    let Request {
        place,
        subjects,
        now,
        dry_run,
        sync,
        latch,
        lock,
        ..
    } = request;
    let current = request.host.is_none().then(Host::current);
    let host = request
        .host
        .or(current.as_ref())
        .expect("is one of the two");
    let mut document = BoardDocument::new(subjects, request.explicit, host, now);
    document.only_where = request.only_where;
    if dry_run {
        return document.rehearse(place);
    }
    let candidates = copies::candidates(place);
    let lock = LockOptions {
        host: current.clone(),
        ..lock
    };
    let session = Session {
        place,
        lock,
        sync,
        latch,
        host: Some(host),
    };
    let ((committed, copies), outcome) = under_lock(session, |options| {
        document.copies = Copies::read(candidates);
        let committed = commit(place, &mut document, options);
        let is_in_place = committed
            .as_ref()
            .is_ok_and(|committed| matches!(committed.end, End::Written | End::Unchanged));
        let copies = match is_in_place {
            true => document.copies.put_away(place),
            false => Vec::new(),
        };
        (committed, copies)
    })?;
    let report = |action, note, latched, conflicts| Report {
        action,
        path: place.board.clone(),
        rows: document.rows(),
        lock: Some(LockReport {
            outcome: outcome.clone(),
            latched,
            conflicts,
        }),
        note,
        copies: copies.clone(),
        shared: document.is_shared(),
    };
    match committed {
        Ok(Committed {
            end,
            latched,
            conflicts,
        }) => match end {
            End::Written => {
                let note = document.had_no_table.then(|| no_table(&place.board));
                Ok(report(Action::Written, note, latched, conflicts))
            }
            End::Unchanged => Ok(report(Action::SkippedNoop, None, latched, conflicts)),
            End::Refused(Refusal::NotText(at)) => Err(UpdateError::NotText {
                path: place.board.display().to_string(),
                at,
            }),
            End::Refused(refusal) => {
                let note = Some(refusal.note(&place.board));
                Ok(report(refusal.action(), note, latched, conflicts))
            }
        },
        Err(error @ (CommitError::Io { .. } | CommitError::Contended(_))) => Ok(report(
            Action::SkippedWriteFailed,
            Some(error.to_string()),
            false,
            0,
        )),
        Err(error) => Err(error.into()),
    }
}

fn no_table(board: &std::path::Path) -> String {
    format!(
        "`{}` had no table with the columns Repo and Status, and got one: if it had another, see `boardsync doctor`",
        board.display()
    )
}
