//! Whether the environment switches the lock off.

use crate::setup::check::{Findings, Inspection};

/// Looks at what holds for every update.
pub fn check(inspection: &Inspection, findings: &mut Findings) {
    let Ok(place) = &inspection.place else {
        return;
    };
    if inspection.lock_options(place).skip {
        let text = "`BOARDSYNC_SKIP_LOCK` is set: every update runs without the lock";
        findings.warn("environment", text, "unset it");
    }
}
