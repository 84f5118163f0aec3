//! The empty board that `init` creates, and removes again.

use crate::board::Board;
use crate::cli::context::Context;
use crate::cli::edit::{accepted, edit, under_lock};
use crate::cli::outcome::{Failure, warn};
use crate::config::VaultSource;
use crate::config::vault::{AllowedLinks, BoardPlace};
use crate::disk;
use crate::edit::{Create, Share, is_empty_board, refusal, remove_empty};
use crate::setup::{Change, Direction, Revert, Setup, SetupError};
use std::path::{Path, PathBuf};

/// Plans the board: one with rows or notes is never removed.
pub fn plan<'a>(context: &'a Context, setup: &'a Setup) -> Result<Option<Change<'a>>, Failure> {
    let root = &setup.vault.path;
    if setup.direction == Direction::Undo && !root.exists() {
        return Ok(None);
    }
    let is_new = setup.vault.source == VaultSource::Default && !root.exists();
    if is_new {
        let change = Change {
            id: "board",
            what: "make a vault, and an empty board in it".to_owned(),
            path: root.join(setup.board),
            act: Box::new(move || {
                std::fs::create_dir_all(root).map_err(|error| {
                    let root = root.display();
                    SetupError(format!("cannot create the vault `{root}`: {error}"))
                })?;
                let place = place(context, setup).map_err(failed)?;
                make(context, setup, place)
            }),
        };
        return Ok(Some(change));
    }
    let place = place(context, setup)?;
    let (what, is_left) = match setup.direction {
        Direction::SetUp => {
            warn_of_a_note(&place)?;
            ("make an empty board", !place.target.exists())
        }
        Direction::Undo => {
            let is_blank = matches!(is_empty_board(&place), Ok(true));
            ("remove the board, which has no rows", is_blank)
        }
    };
    Ok(is_left.then(|| Change {
        id: "board",
        what: what.to_owned(),
        path: place.board.clone(),
        act: Box::new(move || match setup.direction {
            Direction::SetUp => make(context, setup, place),
            Direction::Undo => {
                remove(context, setup, &place).map_err(failed)?;
                Ok(None)
            }
        }),
    }))
}

/// Returns the board that was not removed, since it has rows or notes.
pub fn kept(context: &Context, setup: &Setup) -> Option<PathBuf> {
    let place = place(context, setup).ok()?;
    place.target.exists().then_some(place.board)
}

fn place(context: &Context, setup: &Setup) -> Result<BoardPlace, Failure> {
    let (vault, home) = (&setup.vault, context.home());
    let links = AllowedLinks::of(&vault.source, home.as_deref());
    let mut place = BoardPlace::find(&vault.path, setup.board, links).map_err(Failure::of)?;
    place.lock_file = context.named_lock_file();
    Ok(place)
}

fn failed(failure: Failure) -> SetupError {
    SetupError(failure.to_string())
}

fn make<'a>(
    context: &'a Context,
    setup: &'a Setup,
    place: BoardPlace,
) -> Result<Revert<'a>, SetupError> {
    let made = edit(context, &place, &mut Create, |_| {}).and_then(accepted);
    made.map_err(failed)?;
    Ok(Some(Box::new(move || {
        remove(context, setup, &place).map_err(failed)
    })))
}

/// Removes the board, unless a session has filled it meanwhile.
fn remove(context: &Context, setup: &Setup, place: &BoardPlace) -> Result<(), Failure> {
    let is_gone = under_lock(context, place, |options| remove_empty(&options))?;
    if is_gone && setup.vault.source == VaultSource::Default {
        // The vault was made for the board, and perhaps the folders around it:
        // they go if they are empty.
        let home = context.home();
        let is_below_home = |folder: &Path| {
            let home = home.as_deref();
            home.is_some_and(|home| folder != home && folder.starts_with(home))
        };
        let folders = setup.vault.path.ancestors().enumerate();
        for (_, folder) in folders.take_while(|(at, folder)| *at < 2 || is_below_home(folder)) {
            let _ = disk::remove_folder("file.unlink", folder);
        }
    }
    Ok(())
}

/// Warns of a file that boardsync will never overwrite: the set-up takes effect once
/// it has been moved away.
fn warn_of_a_note(place: &BoardPlace) -> Result<(), Failure> {
    if let Some(why) = read(place)?.and_then(|bytes| refusal(&bytes)) {
        warn(&why.note(&place.board));
    }
    Ok(())
}

fn read(place: &BoardPlace) -> Result<Option<Vec<u8>>, Failure> {
    let contents = place.read().map_err(|error| {
        let path = place.board.display();
        Failure::Error(format!(
            "cannot read the board `{path}`: {error}; move it away, or name another with --board"
        ))
    })?;
    Ok(contents.map(|contents| contents.bytes))
}

/// Plans to have rows record their host. `--undo` leaves it: without it, rows
/// of two hosts with the same key would be one.
pub fn plan_shared<'a>(
    context: &'a Context,
    setup: &'a Setup,
) -> Result<Option<Change<'a>>, Failure> {
    // A vault that does not exist yet has no board to read.
    let is_declared = setup.vault.path.exists() && {
        let bytes = read(&place(context, setup)?)?;
        let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        text.is_some_and(|text| Board::parse(&text).is_shared())
    };
    Ok((!is_declared).then(|| Change {
        id: "shared",
        what: "add the column `Host`".to_owned(),
        path: setup.vault.path.join(setup.board),
        act: Box::new(move || {
            declare(context, setup).map_err(failed)?;
            Ok(None)
        }),
    }))
}

fn declare(context: &Context, setup: &Setup) -> Result<(), Failure> {
    let place = place(context, setup)?;
    accepted(edit(context, &place, &mut Share, |_| {})?).map(|_| ())
}
