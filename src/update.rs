//! The use case: derive, lock, read, merge, commit, report.

mod backups;
mod document;
mod found;
mod prune;
mod report;

pub use document::{Refusal, is_ours};
pub use found::{abandon, found, is_blank};
pub use prune::{Dropped, Pruned, Restored, prune, restore};
pub use report::{Action, LockReport, Report};

use crate::Timestamp;
use crate::commit::{CommitError, CommitOptions, Committed, Document, End, commit};
use crate::disk::Token;
use crate::lock::{Host, LockOptions, LockOutcome, WhyUnlocked, with_board_lock};
use crate::session::{Explicit, Repo, Sources};
use crate::vault::Place;
use document::BoardDocument;
use std::cell::RefCell;

/// Is one repository of an update, and what is known about it.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Who it is.
    pub repo: Repo,
    /// What it and its host say about it.
    pub sources: Sources,
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
    /// How the lock is sought; its `on_outcome` is the update's own.
    pub lock: LockOptions<'a>,
    /// Whether the board and its folder are synced.
    pub sync: bool,
    /// Whether to say what would be done, and do nothing.
    pub dry_run: bool,
}

/// Asks for one change of one board that is about no repository in particular.
#[derive(Debug)]
pub struct BoardRequest<'a> {
    /// Where the board and everything beside it lie.
    pub place: &'a Place,
    /// The time of the event.
    pub now: Timestamp,
    /// How the lock is sought; its `on_outcome` is the update's own.
    pub lock: LockOptions<'a>,
    /// Whether the board and its folder are synced.
    pub sync: bool,
    /// Whether to say what would be done, and do nothing.
    pub dry_run: bool,
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
    /// A backup holds no board.
    #[error("{0}; move it away, and the backup before it is the next to be put back")]
    BadBackup(String),
    /// There is no randomness to name a temporary file with.
    #[error("cannot name a temporary file: {0}")]
    NoToken(#[source] std::io::Error),
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
        ..
    } = request;
    let host = Host::current();
    let mut document = BoardDocument::new(subjects, request.explicit, &host, now);
    if dry_run {
        return document.rehearse(place);
    }
    let committed = commit_under_lock(place, request.lock, sync, &mut document)?;
    report(place, document.rows(), committed)
}

/// Is what the lock and the commit came to, each on its own.
struct Committal {
    outcome: Option<LockOutcome>,
    committed: Result<Committed<Refusal>, CommitError>,
}

/// Commits one edit, under the board's lock if that can be had.
fn commit_under_lock<D: Document<Refusal = Refusal>>(
    place: &Place,
    lock: LockOptions,
    sync: bool,
    document: &mut D,
) -> Result<Committal, UpdateError> {
    let options = CommitOptions {
        sync,
        staleness: lock.staleness,
        token: Token::new(Host::current().tag()).map_err(UpdateError::NoToken)?,
    };
    let told = RefCell::new(None);
    let keep = |outcome: &LockOutcome| *told.borrow_mut() = Some(outcome.clone());
    let lock = LockOptions {
        lock_file: Some(lock.lock_file.clone().unwrap_or_else(|| place.lock())),
        on_outcome: &keep,
        ..lock
    };
    let committed = with_board_lock(&place.folder, &lock, |hold| {
        match hold.why_unlocked() {
            Some(why) if why.reason == WhyUnlocked::Interrupted => {
                return Err(UpdateError::Interrupted(
                    why.lock_path.display().to_string(),
                ));
            }
            Some(_) | None => {}
        }
        Ok(commit(place, document, options))
    })?;
    Ok(Committal {
        outcome: told.take(),
        committed,
    })
}

/// Tells what failed open, a report, from what the caller should see.
fn report(
    place: &Place,
    rows: Option<usize>,
    Committal { outcome, committed }: Committal,
) -> Result<Report, UpdateError> {
    let report = |action, note, latched, conflicts| Report {
        action,
        path: place.board.clone(),
        rows,
        lock: outcome.clone().map(|outcome| LockReport {
            outcome,
            latched,
            conflicts,
        }),
        note,
    };
    match committed {
        Ok(Committed {
            end,
            latched,
            conflicts,
        }) => match end {
            End::Written => Ok(report(Action::Written, None, latched, conflicts)),
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
