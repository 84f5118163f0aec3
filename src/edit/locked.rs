//! One edit of one file: under its lock if that can be had, then committed.

use super::UpdateError;
use super::report::LockReport;
use crate::commit::{CommitOptions, Document, End, commit};
use crate::disk::Token;
use crate::lock::{Host, LockOptions, LockOutcome, WhyUnlocked, with_board_lock};
use crate::vault::Place;
use std::cell::RefCell;
use std::time::Duration;

/// Bounds what a commit takes, a second's wait for the latch included. Starting
/// a heartbeat for it took a tenth of an update. One that hangs in the file
/// system for a minute may lose its lock to another host: that costs a join.
const EXPECTED: Duration = Duration::from_secs(10);

/// Says where and how a file is edited.
#[derive(Debug)]
pub struct Session<'a> {
    /// Where it and everything beside it lie.
    pub place: &'a Place,
    /// How its lock is sought; `on_outcome` is not called.
    pub lock: LockOptions<'a>,
    /// Whether the file and its folder are synced.
    pub sync: bool,
    /// How long the latch is waited for.
    pub latch: Duration,
    /// Who edits; `None` is this host.
    pub host: Option<&'a Host>,
}

/// Says what an edit came to, and what kept it apart from others.
#[derive(Debug)]
pub struct Edited<R> {
    /// What it came to.
    pub end: End<R>,
    /// What the lock did.
    pub lock: LockReport,
}

/// Edits one file under its lock, or without it if it was not to be had.
pub fn edit<D: Document>(
    session: Session,
    document: &mut D,
) -> Result<Edited<D::Refusal>, UpdateError> {
    let place = session.place;
    let (committed, outcome) = under_lock(session, |options| commit(place, document, options))?;
    let committed = committed?;
    Ok(Edited {
        end: committed.end,
        lock: LockReport {
            outcome,
            latched: committed.latched,
            conflicts: committed.conflicts,
        },
    })
}

/// Runs a section that commits, under the lock if that can be had.
pub(super) fn under_lock<T>(
    session: Session,
    section: impl FnOnce(CommitOptions) -> T,
) -> Result<(T, LockOutcome), UpdateError> {
    let Session {
        place,
        lock,
        sync,
        latch,
        ..
    } = session;
    let tag = session
        .host
        .map_or_else(|| Host::current().tag(), Host::tag);
    let options = CommitOptions {
        sync,
        latch,
        staleness: lock.staleness,
        token: Token::new(tag),
    };
    let told = RefCell::new(None);
    let keep = |outcome: &LockOutcome| *told.borrow_mut() = Some(outcome.clone());
    let lock = LockOptions {
        lock_file: Some(lock.lock_file.clone().unwrap_or_else(|| place.lock())),
        on_outcome: &keep,
        expected: Some(EXPECTED),
        ..lock
    };
    let done = with_board_lock(&place.folder, &lock, |hold| match hold.why_unlocked() {
        Some(why) if why.reason == WhyUnlocked::Interrupted => Err(UpdateError::Interrupted(
            why.lock_path.display().to_string(),
        )),
        Some(_) | None => Ok(section(options)),
    })?;
    let outcome = told.take().expect("is told once, after the section");
    Ok((done, outcome))
}
