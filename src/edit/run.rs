//! One edit of one file: under its lock if it can be acquired, then committed.

use super::board_edit::{BoardEdit, EditedBoard};
use super::error::{EditError, unreadable};
use super::options::{DryRun, EditOptions};
use super::refusal::Refusal;
use super::report::{Action, LockReport, Report};
use crate::commit::{CommitError, CommitOptions, Committed, Document, End, commit};
use crate::config::vault::BoardPlace;
use crate::disk::{self, Token};
use crate::lock::{Hold, LockOptions, LockOutcome, WhyUnlocked};
use std::time::Duration;

/// Bounds what a commit takes, a second's wait for the latch included. Starting
/// a heartbeat for it took a tenth of an update. One that hangs in the file
/// system for a minute may lose its lock to another host: that costs a join.
const EXPECTED: Duration = Duration::from_secs(10);

/// Runs one edit of a board, under its lock if it can be acquired.
///
/// What fails open is a [`Report`]; what its caller should see is an error.
/// Inside one's own section under the board's lock ([`with_lock`](crate::lock::with_lock)) it has the
/// lock at once.
///
/// # Errors
///
/// The board cannot be read as one, or an interrupt ended the wait.
pub fn run<E: BoardEdit>(options: &EditOptions, edit: &mut E) -> Result<Report, EditError> {
    let mut seen = None;
    let mut is_done = |edit: &E| {
        let now = disk::status(&options.place.target).ok();
        let is_new = seen != Some(now);
        seen = Some(now);
        is_new && edit.is_done(options)
    };
    if options.dry_run == DryRun::No && is_done(edit) {
        return Ok(EditedBoard::new(edit, options).report(Action::SkippedNoop, None));
    }
    edit.prepare(options);
    if options.dry_run == DryRun::Yes {
        return try_in_memory(options, edit);
    }
    let mut is_over = false;
    let hold = take_lock(options, || {
        is_over = is_done(edit);
        is_over
    });
    let mut document = EditedBoard::new(edit, options);
    if is_over {
        // Whoever had the lock has written what we came with.
        return Ok(document.report(Action::SkippedNoop, None));
    }
    let (committed, outcome) = run_section(hold?, options, |options| {
        let committed = commit(options.0, &mut document, options.1);
        if let Ok(committed) = &committed {
            document.finish(&committed.end);
        }
        committed
    });
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
    let read = options.place.read().map_err(unreadable(board))?;
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
    let hold = take_lock(options, || false)?;
    Ok(run_section(hold, options, section))
}

/// Takes the board's lock if it can be acquired; `is_over` ends the wait.
fn take_lock(options: &EditOptions, is_over: impl FnMut() -> bool) -> Result<Hold, EditError> {
    let EditOptions { place, lock, .. } = options;
    let lock = LockOptions {
        expected: Some(EXPECTED),
        host: lock.host.clone().or_else(|| Some(options.host.clone())),
        ..lock.clone()
    };
    let hold = Hold::take(&place.lock(), &lock, is_over);
    match hold.why_unlocked() {
        Some(why) if why.reason == WhyUnlocked::Interrupted => {
            Err(EditError::Interrupted(why.lock_path.clone()))
        }
        _ => Ok(hold),
    }
}

fn run_section<T>(
    hold: Hold,
    options: &EditOptions,
    section: impl FnOnce((&BoardPlace, CommitOptions)) -> T,
) -> (T, LockOutcome) {
    let place = options.place;
    hold.run(&place.lock(), |hold| {
        let commit = CommitOptions {
            durability: options.durability,
            latch: options.latch,
            staleness: options.lock.staleness,
            token: Token::new(options.host.tag()),
            locked: hold.why_unlocked().is_none(),
        };
        section((place, commit))
    })
}
