//! One edit of one file: under its lock if it can be acquired, then committed.

use super::board_edit::{BoardEdit, EditedBoard};
use super::error::{EditError, unreadable};
use super::options::{DryRun, EditOptions};
use super::refusal::Refusal;
use super::report::{Action, LockReport, Report};
use crate::commit::{CommitError, CommitOptions, Committed, Document, End, LIMIT, commit};
use crate::config::vault::BoardPlace;
use crate::disk::{Links, Token, read_small};
use crate::lock::{LockOptions, LockOutcome, WhyUnlocked, with_lock};
use std::time::Duration;

/// Bounds what a commit takes, a second's wait for the latch included. Starting
/// a heartbeat for it took a tenth of an update. One that hangs in the file
/// system for a minute may lose its lock to another host: that costs a join.
const EXPECTED: Duration = Duration::from_secs(10);

/// Runs one edit of a board, under its lock if it can be acquired.
///
/// What fails open is a [`Report`]; what its caller should see is an error.
/// Inside one's own section under the board's lock ([`with_lock`]) it has the
/// lock at once.
///
/// # Errors
///
/// The board cannot be read as one, or an interrupt ended the wait.
pub fn run<E: BoardEdit>(options: &EditOptions, edit: &mut E) -> Result<Report, EditError> {
    if options.dry_run == DryRun::No && edit.is_done(options) {
        return Ok(EditedBoard::new(edit, options).report(Action::SkippedNoop, None));
    }
    edit.prepare(options);
    if options.dry_run == DryRun::Yes {
        return try_in_memory(options, edit);
    }
    let mut document = EditedBoard::new(edit, options);
    let (committed, outcome) = under_lock(options, |options| {
        let committed = commit(options.0, &mut document, options.1);
        if let Ok(committed) = &committed {
            document.finish(&committed.end);
        }
        committed
    })?;
    let lock = |latched, conflicts| LockReport {
        outcome,
        latched,
        conflicts,
    };
    let board = &options.place.board;
    let (action, note, lock) = match committed {
        Ok(Committed {
            end,
            latched,
            conflicts,
            warning,
        }) => {
            let (action, note) = match end {
                End::Written if warning.is_some() => (Action::Written, warning),
                End::Written if document.had_no_table => {
                    let note = format!(
                        "`{}` had no table with the columns Repo and Status, and got one: if it had another, see `boardsync doctor`",
                        board.display()
                    );
                    (Action::Written, Some(note))
                }
                End::Written => (Action::Written, None),
                End::Unchanged => (Action::SkippedNoop, None),
                End::Refused(refusal) => refused(refusal, options)?,
            };
            (action, note, lock(latched, conflicts))
        }
        Err(
            error @ (CommitError::Io { .. } | CommitError::Contended(_) | CommitError::TooLarge(_)),
        ) => {
            let note = Some(error.to_string());
            (Action::SkippedWriteFailed, note, lock(false, 0))
        }
        Err(error) => return Err(error.into()),
    };
    Ok(Report {
        lock: Some(lock),
        ..document.report(action, note)
    })
}

/// Edits the board in memory only.
fn try_in_memory<E: BoardEdit>(options: &EditOptions, edit: &mut E) -> Result<Report, EditError> {
    let board = &options.place.board;
    let read =
        read_small(&options.place.target, LIMIT, Links::Refuse).map_err(unreadable(board))?;
    let mut document = EditedBoard::new(edit, options);
    let path = board.display();
    let current = read.as_ref().map(|read| read.bytes.as_slice());
    let (action, note) = match document.change(current) {
        Ok(Some(_)) => (Action::DryRun, Some(format!("`{path}` would be written"))),
        Ok(None) => (
            Action::DryRun,
            Some(format!("nothing would change in `{path}`")),
        ),
        Err(refusal) => refused(refusal, options)?,
    };
    Ok(document.report(action, note))
}

fn refused(refusal: Refusal, options: &EditOptions) -> Result<(Action, Option<String>), EditError> {
    let path = &options.place.board;
    match refusal {
        Refusal::NotText(at) => Err(EditError::NotText {
            path: path.clone(),
            at,
        }),
        refusal => Ok((refusal.action(), Some(refusal.note(path)))),
    }
}

/// Commits one edit of any file, under its lock if it can be acquired.
///
/// # Errors
///
/// As [`run`].
pub fn run_document<D: Document>(
    options: &EditOptions,
    document: &mut D,
) -> Result<(End<D::Refusal>, LockReport), EditError> {
    let (committed, outcome) =
        under_lock(options, |(place, options)| commit(place, document, options))?;
    let committed = committed?;
    let lock = LockReport {
        outcome,
        latched: committed.latched,
        conflicts: committed.conflicts,
    };
    Ok((committed.end, lock))
}

/// Runs a section that commits, under the lock if it can be acquired.
pub(super) fn under_lock<T>(
    options: &EditOptions,
    section: impl FnOnce((&BoardPlace, CommitOptions)) -> T,
) -> Result<(T, LockOutcome), EditError> {
    let EditOptions { place, lock, .. } = options;
    let commit = CommitOptions {
        durability: options.durability,
        latch: options.latch,
        staleness: lock.staleness,
        token: Token::new(options.host.tag()),
        locked: false,
    };
    let lock = LockOptions {
        expected: Some(EXPECTED),
        host: lock.host.clone().or_else(|| Some(options.host.clone())),
        ..lock.clone()
    };
    let (done, outcome) = with_lock(&place.lock(), &lock, |hold| match hold.why_unlocked() {
        Some(why) if why.reason == WhyUnlocked::Interrupted => {
            Err(EditError::Interrupted(why.lock_path.clone()))
        }
        why => {
            let locked = why.is_none();
            Ok(section((place, CommitOptions { locked, ..commit })))
        }
    });
    Ok((done?, outcome))
}
