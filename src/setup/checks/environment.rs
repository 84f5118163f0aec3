//! Whether the environment switches the lock off.

use crate::setup::check::{Finding, Inspection};

/// Looks at what holds for every update.
pub fn check(inspection: &Inspection) -> Vec<Finding> {
    let Ok(place) = &inspection.place else {
        return Vec::new();
    };
    if !inspection.lock_options(place).skip {
        return Vec::new();
    }
    vec![Finding::warn(
        "environment",
        "`BOARDSYNC_SKIP_LOCK` is set: every update runs without the lock",
        "unset it",
    )]
}
