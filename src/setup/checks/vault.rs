//! Which vault, named by whom, and whether it can be written to.

use crate::config::VaultSource;
use crate::config::vault::BoardPlace;
use crate::setup::check::{Findings, Inspection};
use crate::setup::own_config::name_of;
use std::path::Path;

/// Checks the choice of the vault; without one there is nothing more to check.
pub fn check(inspection: &Inspection, findings: &mut Findings) {
    let choice = match &inspection.vault {
        Ok(choice) => choice,
        Err(reason) => return findings.fail("vault", reason, "or name one with --vault"),
    };
    for warning in &choice.warnings {
        findings.warn("config", warning, "correct that file");
    }
    let is_named = choice.source.is_named_by_user() && choice.source != VaultSource::Default;
    match &inspection.place {
        Ok(place) => {
            let (path, by) = (choice.path.display(), name_of(&choice.source));
            findings.ok("vault", format!("`{path}`, named by {by}"));
            check_writable(place, findings);
        }
        Err(error) if is_named => findings.fail("vault", error, "then run this again"),
        Err(error) => findings.fail("vault", error, "run `boardsync init`"),
    }
}

/// Asks for the folder of the board, or the one in which that is to be made.
fn check_writable(place: &BoardPlace, findings: &mut Findings) {
    let folder = place.target.parent().unwrap_or(Path::new("."));
    let existing = folder.ancestors().find(|folder| folder.exists());
    let folder = existing.unwrap_or(folder);
    let shown = folder.display();
    if may_write(folder) {
        findings.ok("writable", format!("notes can be written in `{shown}`"));
    } else {
        let advice = "give yourself the permission, or name another vault";
        findings.fail("writable", format!("cannot write in `{shown}`"), advice);
    }
}

#[cfg(unix)]
fn may_write(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn may_write(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|meta| !meta.permissions().readonly())
}
