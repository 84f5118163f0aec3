//! The conditions under which a vault that a repository names is used.
//!
//! A cloned repository names whatever its author wants. Where the user has named
//! no vault, such a name still has to work (session-orchestrator's users have
//! nothing else), but not for a folder that came with the repository, nor for
//! one that is nobody's vault, like `~/.ssh`.

use crate::git;
use std::fs;
use std::path::{Path, PathBuf};

/// Checks the vault at `path` that only `repo` names: an existing folder below
/// `home`, outside the repository, and not in a hidden folder.
///
/// # Errors
///
/// The objection to it, as the end of a sentence that begins with the vault.
pub fn may_be_named_by(repo: &Path, path: &Path, home: &Path) -> Result<(), String> {
    let Ok(real) = fs::canonicalize(path) else {
        return Err("does not exist".to_owned());
    };
    if !real.is_dir() {
        return Err("is not a folder".to_owned());
    }
    let real_home = fs::canonicalize(home).unwrap_or_else(|_| home.to_path_buf());
    let (Ok(named), Ok(below)) = (path.strip_prefix(home), real.strip_prefix(&real_home)) else {
        return Err("lies outside the home folder".to_owned());
    };
    let mut parts = named.components().chain(below.components());
    if parts.any(|part| part.as_os_str().as_encoded_bytes().starts_with(b".")) {
        return Err("lies in a hidden folder".to_owned());
    }
    let repo = fs::canonicalize(repo).unwrap_or_else(|_| repo.to_path_buf());
    let mut checkouts = checkouts_around(&repo, &real_home);
    if checkouts.any(|checkout| real.starts_with(checkout)) {
        return Err("lies in that repository itself".to_owned());
    }
    Ok(())
}

/// Returns the folders whose files came with `repo`: itself, each repository
/// around it, and, for a linked worktree, the main one.
///
/// A home folder under git (for its settings) came from nobody else.
fn checkouts_around(repo: &Path, home: &Path) -> impl Iterator<Item = PathBuf> {
    let main_checkout = |folder: &Path| fs::canonicalize(git::main_checkout(folder)?).ok();
    let around = repo
        .ancestors()
        .take_while(|folder| *folder != home)
        .filter(|folder| folder.join(".git").exists())
        .flat_map(|folder| [Some(folder.to_path_buf()), main_checkout(folder)])
        .flatten();
    std::iter::once(repo.to_path_buf())
        .chain(around.collect::<Vec<_>>())
        .filter(move |folder| folder.parent().is_some())
}
