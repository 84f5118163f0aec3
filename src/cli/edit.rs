//! One edit of one note from the command line: its lock, its warnings, its report.

use super::context::{Context, Sync};
use super::outcome::{Failure, trace};
use super::signals;
use super::untold::Untold;
use crate::commit::{Document, End, LATCH_PATIENCE};
use crate::edit::{Action, Edited, Report, Session, UpdateError};
use crate::lock::{LockOptions, Unlocked};
use crate::vault::Place;
use std::time::Instant;

/// Edits the note at `place`.
pub fn edit<D: Document>(
    context: &Context,
    place: &Place,
    document: &mut D,
) -> Result<Edited<D::Refusal>, Failure> {
    in_session(context, place, |session| {
        crate::edit::edit(session, document)
    })
}

/// Does what takes the lock of the note at `place`.
pub fn in_session<T>(
    context: &Context,
    place: &Place,
    act: impl FnOnce(Session) -> Result<T, UpdateError>,
) -> Result<T, Failure> {
    let interrupt = signals::flag();
    let trace = trace(Instant::now());
    let untold = Untold::default();
    let told = |unlocked: &Unlocked| untold.keep(unlocked);
    let session = Session {
        place,
        lock: LockOptions {
            interrupt: Some(&interrupt),
            warn: &told,
            trace: context.global.verbose.then_some(&trace),
            ..context.lock_options(place)
        },
        sync: context.sync != Sync::None,
        latch: LATCH_PATIENCE,
        host: None,
    };
    untold.tell(act(session).map_err(Failure::from))
}

/// Makes the report of an edit; a refusal is an error that the caller sees.
pub fn reported<R>(
    place: &Place,
    edited: Edited<R>,
    refused: impl FnOnce(&R) -> String,
) -> Result<Report, Failure> {
    let action = match &edited.end {
        End::Written => Action::Written,
        End::Unchanged => Action::SkippedNoop,
        End::Refused(refusal) => return Err(Failure::Error(refused(refusal))),
    };
    Ok(Report {
        action,
        path: place.board.clone(),
        rows: None,
        lock: Some(edited.lock),
        note: None,
        copies: Vec::new(),
        shared: false,
    })
}
