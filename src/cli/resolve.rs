//! `boardsync merge --resolve`: a board with git conflict markers is repaired.

use super::context::Context;
use super::edit::{edit, reported};
use super::outcome::{Exit, Failure};
use super::report::report;
use crate::edit::{Action, Repair};
use std::path::PathBuf;

/// Repairs the board, or the one note that is named.
pub fn run(context: &Context, notes: &[PathBuf]) -> Result<Exit, Failure> {
    let place = match notes {
        [] => context.place()?,
        [note] => context.place_of(&note.to_string_lossy())?,
        _ => {
            return Err(Failure::Usage(
                "`merge --resolve` takes one note of the vault".to_owned(),
            ));
        }
    };
    let mut repair = Repair::new(&place, context.now);
    let edited = edit(context, &place, &mut repair)?;
    let path = place.board.display();
    let mut done = reported(&place, edited, |why| {
        format!("cannot repair `{path}`: {why}")
    })?;
    done.note = Some(match (done.action, repair.backup()) {
        (Action::Written, Some(backup)) => format!(
            "`{path}` has the rows and lines of both sides; what it was lies in `{}`",
            backup.display()
        ),
        _ => format!("`{path}` holds no git conflict markers; nothing to do"),
    });
    report(context, &done)
}
