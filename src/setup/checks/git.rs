//! Whether git ignores locks and temporaries, and merges the board by its rows.

use crate::setup::check::{Findings, Inspection};
use crate::setup::git::{Git, is_in_git};
use crate::setup::ignore::{PATTERNS, git_block};
use crate::setup::merge_driver::{self, DRIVER, inside, this_program};
use crate::setup::text_file::TextFile;
use std::path::Path;

/// Asks git, if the vault is in a repository at all and the user named it.
pub fn check(inspection: &Inspection, findings: &mut Findings) {
    let (Ok(vault), Ok(_)) = (&inspection.vault, &inspection.place) else {
        return;
    };
    if !is_in_git(&vault.path) {
        return;
    }
    let id = "git-ignore";
    let Some(git) = Git::in_vault(vault) else {
        return findings.note(
            id,
            "git was not run, because only a repository names this vault",
        );
    };
    let mut missing = PATTERNS.to_vec();
    missing.retain(|pattern| !is_ignored(&git, &vault.path, pattern));
    match missing.is_empty() {
        true => findings.ok(id, "git ignores locks and temporaries"),
        false => {
            let text = format!("git does not ignore {}", missing.join(", "));
            findings.warn(id, text, "run `boardsync init`");
        }
    }
    check_merge(&git, &inside(inspection.board), findings);
}

/// Asks git, which also knows the files above and the user's own; where it
/// cannot be run, the vault's file alone.
fn is_ignored(git: &Git, vault: &Path, pattern: &str) -> bool {
    let example = pattern.replace('*', "x");
    match git.code(&["check-ignore", "-q", "--", &example]) {
        Ok((Some(0), _)) => true,
        Ok((Some(1), _)) => false,
        Ok(_) | Err(_) => {
            let file = TextFile::read(&vault.join(".gitignore")).ok().flatten();
            let missing = |file: TextFile| git_block().missing(&file.text).contains(&pattern);
            file.is_some_and(|file| !missing(file))
        }
    }
}

/// Asks for the attribute and the driver that hold, wherever they are set.
fn check_merge(git: &Git, board: &str, findings: &mut Findings) {
    let (id, again) = ("git-merge", "run `boardsync init --git`");
    let run = |args: &[&str]| git.run(args).ok().flatten();
    let Some(attribute) = run(&["check-attr", "merge", "--", board]) else {
        return;
    };
    let is_named = attribute.ends_with(": boardsync");
    let driver = run(&["config", "--show-origin", "--get", DRIVER]);
    let driver = driver.as_deref().and_then(|driver| driver.split_once('\t'));
    let ours = this_program().map(|program| merge_driver::driver(&program));
    match (is_named, driver) {
        (false, None) => {}
        (false, Some(_)) => {
            let text = "no git attribute assigns the board to `boardsync merge`";
            findings.warn(id, text, again);
        }
        (true, None) => {
            let text = "this clone has no merge driver, and merges the board as text";
            findings.warn(id, text, again);
        }
        (true, Some((_, driver))) if ours.as_ref().is_ok_and(|ours| ours == driver) => {
            findings.ok(id, "git merges the board with `boardsync merge`");
        }
        (true, Some((origin, driver))) => findings.warn(
            id,
            format!("git merges the board with another program than this one, named in `{origin}`: `{driver}`"),
            again,
        ),
    }
}
