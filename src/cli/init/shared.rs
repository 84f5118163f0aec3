//! The step that lets rows say which host they come from, if that is asked for.

use super::{Plan, Setup, Way};
use crate::board::Board;
use crate::cli::edit::{accepted, edit};
use crate::cli::outcome::Failure;
use crate::commit::LIMIT;
use crate::disk::read_regular;
use crate::edit::Share;

/// Plans the step; it goes with a board that has no rows, and else stays, for
/// without the column rows of two hosts with one key would be one.
pub fn plan<'a>(setup: &'a Setup<'a>, way: Way) -> Result<Option<Plan<'a>>, Failure> {
    let root = &setup.vault.path;
    // A vault that is still to be made has nothing that could be asked.
    let is_left = setup.args.shared && way == Way::Do && (!root.exists() || !is_declared(setup)?);
    Ok(is_left.then(|| Plan {
        id: "shared",
        what: "add the column `Host`".to_owned(),
        path: root.join(setup.context.global.board()),
        act: Box::new(move || declare(setup)),
    }))
}

fn is_declared(setup: &Setup) -> Result<bool, Failure> {
    let place = setup.context.place()?;
    let read = read_regular(&place.target, LIMIT).map_err(|error| {
        Failure::Error(format!(
            "cannot read the board `{}`: {error}",
            place.board.display()
        ))
    })?;
    let text = read.and_then(|read| String::from_utf8(read.bytes).ok());
    Ok(text.is_some_and(|text| Board::parse(&text).is_shared()))
}

fn declare(setup: &Setup) -> Result<(), Failure> {
    let context = setup.context;
    let place = context.place()?;
    accepted(edit(context, &place, &mut Share, |_| {})?).map(|_| ())
}
