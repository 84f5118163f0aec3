//! Which vault, named by whom, and whether it can be written to.

use super::Check;
use crate::cli::context::Context;
use crate::config::{self, Choice, VaultSource};
use crate::vault::{AllowedLinks, Place};
use std::path::Path;

/// Checks the choice of the vault; without one there is nothing more to check.
pub fn check(context: &Context, checks: &mut Vec<Check>) -> Option<Place> {
    let flag = context.global.vault.as_deref();
    let choice = match config::choose_vault(flag, &context.env, Some(&context.cwd), &context.cwd) {
        Ok(Choice::Vault(choice)) => choice,
        Ok(Choice::Disabled { reason }) => {
            checks.push(Check::fail("vault", reason, "or name one with --vault"));
            return None;
        }
        Err(error) => {
            checks.push(Check::fail("vault", error, "then run this again"));
            return None;
        }
    };
    for warning in &choice.warnings {
        checks.push(Check::warn("config", warning, "correct that file"));
    }
    if choice.source == VaultSource::Default && !choice.path.exists() {
        checks.push(Check::fail(
            "vault",
            format!(
                "no vault is named, and `{}` is not made yet",
                choice.path.display()
            ),
            "run `boardsync init`",
        ));
        return None;
    }
    let home = context.home();
    let links = AllowedLinks::of(&choice.source, home.as_deref());
    match Place::find(&choice.path, context.global.board(), links) {
        Ok(place) => {
            let (path, by) = (choice.path.display(), by(&choice.source));
            checks.push(Check::ok("vault", format!("`{path}`, named by {by}")));
            checks.push(writable(&place));
            Some(place)
        }
        Err(error) => {
            checks.push(Check::fail("vault", error, "then run this again"));
            None
        }
    }
}

fn by(source: &VaultSource) -> String {
    match source {
        VaultSource::Flag => "--vault".to_owned(),
        VaultSource::BoardsyncVault => "`BOARDSYNC_VAULT`".to_owned(),
        VaultSource::SoVaultDir => "`SO_VAULT_DIR`".to_owned(),
        VaultSource::OwnerYaml => "`owner.yaml`".to_owned(),
        VaultSource::SessionConfig(file) => format!("`{}` alone", file.display()),
        VaultSource::AllowedSessionConfig(file) => {
            format!("`{}`, as your config allows", file.display())
        }
        VaultSource::OwnConfig => "boardsync's config file".to_owned(),
        VaultSource::Default => "nobody: the default".to_owned(),
    }
}

/// Asks for the folder of the board, or the one in which that is to be made.
fn writable(place: &Place) -> Check {
    let folder = place.target.parent().unwrap_or(Path::new("."));
    let existing = folder.ancestors().find(|folder| folder.exists());
    let folder = existing.unwrap_or(folder);
    let shown = folder.display();
    match may_write(folder) {
        true => Check::ok("writable", format!("notes can be written in `{shown}`")),
        false => Check::fail(
            "writable",
            format!("nothing can be written in `{shown}`"),
            "give yourself the permission, or name another vault",
        ),
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
