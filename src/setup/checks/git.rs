//! Whether git takes locks and temporaries for notes, and the board for a text.

use crate::setup::check::{Finding, Inspection};
use crate::setup::git::{Git, is_in_git};
use crate::setup::ignore::{PATTERNS, git_block};
use crate::setup::merge_driver::{DRIVER, driver, inside, this_program};
use crate::setup::text_file::TextFile;
use std::path::Path;

/// Asks git, if the vault is in a repository at all and the user named it.
pub fn check(inspection: &Inspection) -> Vec<Finding> {
    let (Ok(vault), Ok(_)) = (&inspection.vault, &inspection.place) else {
        return Vec::new();
    };
    if !is_in_git(&vault.path) {
        return Vec::new();
    }
    let Some(git) = Git::in_vault(vault) else {
        return vec![Finding::note(
            "git-ignore",
            "git was not run, because only a repository names this vault",
        )];
    };
    let mut findings = vec![ignored(&git, &vault.path)];
    findings.extend(merged(&git, &inside(inspection.board)));
    findings
}

fn ignored(git: &Git, vault: &Path) -> Finding {
    let is_seen = |pattern: &&str| !is_ignored(git, vault, pattern);
    let seen: Vec<&str> = PATTERNS.into_iter().filter(is_seen).collect();
    if seen.is_empty() {
        return Finding::ok("git-ignore", "git ignores locks and temporaries");
    }
    Finding::warn(
        "git-ignore",
        format!("git does not ignore {}", seen.join(", ")),
        "run `boardsync init`",
    )
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
fn merged(git: &Git, board: &str) -> Option<Finding> {
    let id = "git-merge";
    let again = "run `boardsync init --git`";
    let attribute = git.run(&["check-attr", "merge", "--", board]).ok()??;
    let is_named = attribute.ends_with(": boardsync");
    let get = ["config", "--show-origin", "--get", DRIVER];
    let found = git.run(&get).ok().flatten();
    let (origin, found) = match found.as_deref().and_then(|found| found.split_once('\t')) {
        Some((origin, found)) => (origin, Some(found)),
        None => ("", None),
    };
    let ours = driver(&this_program().ok()?);
    match (is_named, found) {
        (false, None) => None,
        (false, Some(_)) => Some(Finding::warn(
            id,
            "no git attribute assigns the board to `boardsync merge`",
            again,
        )),
        (true, None) => Some(Finding::warn(
            id,
            "this clone has no merge driver, and merges the board as text",
            again,
        )),
        (true, Some(found)) if found == ours => Some(Finding::ok(
            id,
            "git merges the board with `boardsync merge`",
        )),
        (true, Some(found)) => Some(Finding::warn(
            id,
            format!(
                "git merges the board with another program than this one, named in `{origin}`: `{found}`"
            ),
            again,
        )),
    }
}
