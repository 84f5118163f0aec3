//! Whether git takes locks and temporaries for notes, and the board for a text.

use super::Check;
use crate::cli::context::Context;
use crate::cli::init::git_driver::GitDriver;
use crate::cli::init::gitignore::{PATTERNS, is_covered, is_in_git};
use crate::cli::init::text_file::TextFile;
use crate::vault::Place;
use std::path::{Component, Path};
use std::process::{Command, Stdio};

/// Checks that git ignores them, if the vault is in a repository at all.
pub fn check(context: &Context, place: &Place, checks: &mut Vec<Check>) {
    let Some(vault) = vault_of(context, place).filter(|vault| is_in_git(vault)) else {
        return;
    };
    let seen: Vec<&str> = PATTERNS
        .into_iter()
        .filter(|pattern| !is_ignored(vault, pattern))
        .collect();
    checks.push(if seen.is_empty() {
        Check::ok("git-ignore", "git ignores locks and temporaries")
    } else {
        Check::warn(
            "git-ignore",
            format!("git does not ignore {}", seen.join(", ")),
            "run `boardsync init`",
        )
    });
    let driver = GitDriver::of(context).ok();
    if let Some(driver) = driver.filter(|driver| matches!(driver.is_named(), Ok(true))) {
        checks.push(match driver.is_done() {
            Ok(true) => Check::ok("git-merge", "git merges the board with `boardsync merge`"),
            Ok(false) | Err(_) => Check::warn(
                "git-merge",
                "this clone merges the board as text: it has no driver, or another than this one",
                "run `boardsync init --git`",
            ),
        });
    }
}

/// Goes up from the board; the folder of the lock may be a link to elsewhere.
fn vault_of<'p>(context: &Context, place: &'p Place) -> Option<&'p Path> {
    let inside = Path::new(context.global.board()).components();
    let depth = inside.filter(|part| matches!(part, Component::Normal(_)));
    place.board.ancestors().nth(depth.count())
}

/// Asks git, which also knows the files above and the user's own; where it is
/// not to be had, the vault's file alone.
fn is_ignored(vault: &Path, pattern: &str) -> bool {
    let example = pattern.replace('*', "x");
    let mut git = Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(name);
    }
    let asked = git
        .arg("-C")
        .arg(vault)
        .args(["check-ignore", "-q", "--"])
        .arg(example)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match asked.ok().and_then(|status| status.code()) {
        Some(0) => true,
        Some(1) => false,
        _ => TextFile::read(&vault.join(".gitignore"))
            .ok()
            .flatten()
            .is_some_and(|file| is_covered(&file.text, pattern)),
    }
}
