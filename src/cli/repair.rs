//! `boardsync merge --resolve`: a board with conflict markers is repaired.

use super::context::Context;
use super::edit::{accepted, edit};
use super::outcome::{Exit, Failure};
use super::report::report;
use crate::edit::Repair;
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
    let done = edit(context, &place, &mut Repair::default(), |_| {})?;
    report(context, &accepted(done)?)
}
