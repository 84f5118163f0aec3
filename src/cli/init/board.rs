//! The step that makes the board, by the way of every other write.

use super::{Plan, Setup, Way};
use crate::cli::edit::{accepted, edit, under_lock};
use crate::cli::outcome::{Failure, warn};
use crate::commit::LIMIT;
use crate::config::VaultSource;
use crate::disk::{self, read_regular};
use crate::edit::{Create, is_empty_board, refusal, remove_empty};
use crate::vault::{AllowedLinks, Place};

/// Plans the step: a board that says anything is never taken away.
pub fn plan<'a>(setup: &'a Setup<'a>, way: Way) -> Result<Option<Plan<'a>>, Failure> {
    let root = &setup.vault.path;
    let is_new = setup.vault.source == VaultSource::Default && !root.exists();
    if is_new {
        let path = root.join(setup.context.global.board());
        let plan = Plan {
            id: "board",
            what: "make a vault, and an empty board in it".to_owned(),
            path,
            act: Box::new(move || {
                std::fs::create_dir_all(root).map_err(|error| {
                    Failure::Error(format!(
                        "cannot create the vault `{}`: {error}",
                        root.display()
                    ))
                })?;
                make(setup, &place(setup)?)
            }),
        };
        return Ok((way == Way::Do).then_some(plan));
    }
    let place = place(setup)?;
    if way == Way::Do {
        warn_of_a_note(&place)?;
    }
    let blank = is_empty_board(&place.target);
    let (what, is_left) = match way {
        Way::Do => ("make an empty board", !place.target.exists()),
        Way::Undo => (
            "remove the board, which has no rows",
            matches!(blank, Ok(true)),
        ),
    };
    Ok(is_left.then(|| Plan {
        id: "board",
        what: what.to_owned(),
        path: place.board.clone(),
        act: Box::new(move || match way {
            Way::Do => make(setup, &place),
            // One that a session has filled meanwhile stays.
            Way::Undo => {
                under_lock(setup.context, &place, |options| remove_empty(&options)).map(|is_gone| {
                    if is_gone && setup.vault.source == VaultSource::Default {
                        // The vault, and its folder, were made for the board: they go
                        // if they are empty.
                        for folder in root.ancestors().take(2) {
                            let _ = disk::remove_folder("file.unlink", folder);
                        }
                    }
                })
            }
        }),
    }))
}

fn place(setup: &Setup) -> Result<Place, Failure> {
    let context = setup.context;
    let home = context.home();
    let links = AllowedLinks::of(&setup.vault.source, home.as_deref());
    Place::find(&setup.vault.path, context.global.board(), links).map_err(Failure::of)
}

fn make(setup: &Setup, place: &Place) -> Result<(), Failure> {
    accepted(edit(setup.context, place, &mut Create, |_| {})?).map(|_| ())
}

/// Warns of a board to which nothing could ever be written: what else is set
/// up serves once it has been moved away.
fn warn_of_a_note(place: &Place) -> Result<(), Failure> {
    let contents = read_regular(&place.target, LIMIT).map_err(|error| {
        let path = place.board.display();
        Failure::Error(format!(
            "cannot read the board `{path}`: {error}; move it away, or name another with --board"
        ))
    })?;
    if let Some(why) = contents.and_then(|contents| refusal(&contents.bytes)) {
        warn(&why.note(&place.board));
    }
    Ok(())
}
