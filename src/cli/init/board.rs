//! The step that makes the board, by the way of every other write.

use super::{Plan, Setup, Way};
use crate::cli::context::Sync;
use crate::cli::outcome::Failure;
use boardsync::config::VaultSource;
use boardsync::lock::LockOptions;
use boardsync::update::{Action, BoardRequest, abandon, found, is_blank};
use boardsync::vault::Place;

/// Plans the step: a board that says anything is never taken away.
pub fn plan<'a>(setup: &'a Setup<'a>, way: Way) -> Result<Option<Plan<'a>>, Failure> {
    let root = &setup.vault.path;
    let is_new = setup.vault.source == VaultSource::Default && !root.exists();
    if is_new {
        let path = root.join(&setup.context.global.board);
        let plan = Plan {
            id: "board",
            what: "make a vault, and an empty board in it".to_owned(),
            path,
            act: Box::new(move || {
                std::fs::create_dir_all(root).map_err(|error| {
                    format!("cannot create the vault `{}`: {error}", root.display())
                })?;
                make(setup, &place(setup)?)
            }),
        };
        return Ok((way == Way::Do).then_some(plan));
    }
    let place = place(setup).map_err(Failure::Error)?;
    let blank = is_blank(&place.target);
    let (what, is_left) = match way {
        Way::Do => ("make an empty board", !place.target.exists()),
        Way::Undo => (
            "remove the board, which is empty",
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
            Way::Undo => abandon(request(setup, &place))
                .map(|_| ())
                .map_err(|error| error.to_string()),
        }),
    }))
}

fn place(setup: &Setup) -> Result<Place, String> {
    let context = setup.context;
    let home = context.home();
    Place::find(&setup.vault.path, &context.global.board, home.as_deref())
        .map_err(|error| error.to_string())
}

fn make(setup: &Setup, place: &Place) -> Result<(), String> {
    let report = found(request(setup, place)).map_err(|error| error.to_string())?;
    match (report.action, report.note) {
        (Action::Written | Action::SkippedNoop, _) => Ok(()),
        (action, note) => Err(note.unwrap_or_else(|| action.word().to_owned())),
    }
}

fn request<'a>(setup: &Setup, place: &'a Place) -> BoardRequest<'a> {
    BoardRequest {
        place,
        now: setup.context.now,
        lock: LockOptions {
            mode: 0o644,
            ..setup.context.lock_options(place)
        },
        sync: setup.context.sync != Sync::None,
        dry_run: false,
    }
}
