//! The step that lets rows say which host they come from, if that is asked for.

use super::{Plan, Setup, Way};
use crate::cli::init_shared::Shared;
use crate::cli::outcome::Failure;

/// Plans the step; there is no way back (see [`Shared::undo`]).
pub fn plan<'a>(setup: &'a Setup<'a>, way: Way) -> Result<Option<Plan<'a>>, Failure> {
    let context = setup.context;
    let root = &setup.vault.path;
    // A vault that is still to be made has nothing that could be asked.
    let is_left = setup.args.shared
        && way == Way::Do
        && (!root.exists() || !Shared::of(context)?.is_done()?);
    Ok(is_left.then(|| Plan {
        id: "shared",
        what: "add the column `Host`".to_owned(),
        path: root.join(context.global.board()),
        act: Box::new(move || Shared::of(context)?.apply()),
    }))
}
