//! One edit from the command line: its options, its warnings, its report.

use super::context::{Context, OnSignal};
use super::outcome::{Failure, warn};
use super::signals;
use super::variables::Sync;
use crate::config;
use crate::config::vault::BoardPlace;
use crate::disk::Durability;
use crate::edit::{Action, BoardEdit, EditError, EditOptions, Report, run};
use crate::lock::LockOptions;
use std::sync::{Arc, Mutex, PoisonError};

/// Runs one edit of the board at `place`; `adjust` changes its options.
pub fn edit(
    context: &Context,
    place: &BoardPlace,
    edit: &mut impl BoardEdit,
    adjust: impl FnOnce(&mut EditOptions),
) -> Result<Report, Failure> {
    let act = |mut options: EditOptions| {
        adjust(&mut options);
        run(&options, edit)
    };
    let (mut report, unlocked) = with_options(context, place, act)?;
    if let Some(why) = unlocked {
        match (report.action, &mut report.note) {
            (Action::SkippedWriteFailed, Some(note)) => note.push_str(&also_unlocked(&why)),
            (Action::Written, _) => warn(&format!("{why}; the board is written without the lock")),
            _ => warn(&format!("{why}; nothing had to be written")),
        }
    }
    Ok(report)
}

/// Runs anything else under the lock of the note at `place`.
pub fn under_lock<T>(
    context: &Context,
    place: &BoardPlace,
    act: impl FnOnce(EditOptions) -> Result<T, EditError>,
) -> Result<T, Failure> {
    let (done, unlocked) = with_options(context, place, act)?;
    if let Some(why) = unlocked {
        warn(&format!("{why}; done without the lock"));
    }
    Ok(done)
}

/// Turns a refusal, or a failed write, into an error.
pub fn accepted(report: Report) -> Result<Report, Failure> {
    match report.action {
        Action::SkippedHandwritten | Action::SkippedConflicted | Action::SkippedWriteFailed => {
            Err(Failure::Error(report.note.unwrap_or_default()))
        }
        _ => Ok(report),
    }
}

/// Acts with the options of this command line; also gives why the lock could
/// not be acquired, which is told only once it is known what became of the
/// write: a line that says "written" must be true.
fn with_options<T>(
    context: &Context,
    place: &BoardPlace,
    act: impl FnOnce(EditOptions) -> Result<T, EditError>,
) -> Result<(T, Option<String>), Failure> {
    let unlocked = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&unlocked);
    let mut options = EditOptions::new(place);
    options.now = context.now;
    options.durability = match context.variables.sync {
        Sync::Full | Sync::Board => Durability::Synced,
        Sync::None => Durability::Unsynced,
    };
    options.host.aliases_file = config::host_aliases_file(&context.env);
    options.state = config::state_dir(&context.env);
    options.activity = context.activity_cell();
    options.lock = LockOptions {
        interrupt: (context.on_signal == OnSignal::End).then(signals::flag),
        warn: Some(Arc::new(move |why| {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.to_string());
        })),
        ..context.lock_options(place)
    };
    let done = act(options).map_err(Failure::from);
    let unlocked = unlocked
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    match (done, unlocked) {
        (Ok(done), unlocked) => Ok((done, unlocked)),
        // Two things went wrong: one line says so.
        (Err(Failure::Error(what)), Some(why)) => Err(Failure::Error(what + &also_unlocked(&why))),
        (Err(failure), _) => Err(failure),
    }
}

fn also_unlocked(why: &str) -> String {
    format!("; the lock could not be acquired either: {why}")
}
