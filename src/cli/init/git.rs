//! The step that has git merge the board by its rows, if that is asked for.

use super::git_driver::GitDriver;
use super::gitignore::is_in_git;
use super::{Plan, Setup, Way};
use crate::cli::outcome::Failure;

/// Plans the step; it is taken away wherever it was set up.
pub fn plan<'a>(setup: &'a Setup<'a>, way: Way) -> Result<Option<Plan<'a>>, Failure> {
    let root = &setup.vault.path;
    let asked = setup.args.git;
    if !is_in_git(root) {
        return match way {
            Way::Do if asked => Err(Failure::Error(format!(
                "the vault `{}` is in no git repository: run `git init` in it first, or leave out --git",
                root.display()
            ))),
            Way::Do | Way::Undo => Ok(None),
        };
    }
    if way == Way::Do && !asked {
        return Ok(None);
    }
    // A vault that is still to be made has nothing that could be asked.
    let driver = || GitDriver::of(setup.context);
    let is_done = match root.exists().then(|| driver()?.is_done()) {
        None => false,
        Some(Ok(is_done)) => is_done,
        // Without a git to ask there is nothing of ours in it, either.
        Some(Err(_)) if !asked => false,
        Some(Err(failure)) => return Err(failure),
    };
    let (what, is_left) = match way {
        Way::Do => ("have git merge the board with `boardsync merge`", !is_done),
        Way::Undo => ("have git merge the board as text again", is_done),
    };
    Ok(is_left.then(|| Plan {
        id: "git",
        what: what.to_owned(),
        path: root.join(".gitattributes"),
        act: Box::new(move || match way {
            Way::Do => driver()?.apply(),
            Way::Undo => driver()?.undo(),
        }),
    }))
}
