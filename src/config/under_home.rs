//! The rule that a vault which only a file names must lie under the home folder.

use crate::disk::absolute_path;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Replaces a leading `~` by the home folder; `None` for somebody else's home.
///
/// A text without `~` is a path as it is.
pub fn expand(text: &str, home: &Path) -> Option<PathBuf> {
    let Some(rest) = text.strip_prefix('~') else {
        return Some(PathBuf::from(text));
    };
    if rest.is_empty() {
        return Some(home.to_path_buf());
    }
    let rest = rest.strip_prefix(std::path::is_separator)?;
    Some(home.join(rest.trim_start_matches(std::path::is_separator)))
}

/// Returns the absolute path that a file means by `text`, if a vault may be there.
///
/// The real path decides, so a symlink out of the home folder is found out even
/// where the vault itself does not exist yet.
///
/// # Errors
///
/// What is wrong with it and what to write instead, as the end of a sentence
/// that begins with what the vault is.
pub fn check(text: &str, home: &Path) -> Result<PathBuf, String> {
    let text = text.trim();
    let refused = |fault: &str, remedy: &str| format!("(`{text}`) {fault}; {remedy}");
    const WRITE: &str = "write `~/…` or an absolute path";
    const MOVE: &str = "choose a folder below it, or name the vault with `--vault`";
    let path =
        expand(text, home).ok_or_else(|| refused("is in another user's home folder", WRITE))?;
    if !path.is_absolute() {
        return Err(refused("is a relative path", WRITE));
    }
    let path = absolute_path(&path, home);
    let real = real_path(&path).map_err(|fault| refused(&fault, MOVE))?;
    let real_home = real_path(home).map_err(|fault| refused(&fault, MOVE))?;
    if real == real_home {
        return Err(refused("is the home folder itself", MOVE));
    }
    if !real.starts_with(&real_home) {
        let fault = if path.starts_with(home) {
            "leads out of the home folder by a symlink"
        } else {
            "lies outside the home folder"
        };
        return Err(refused(fault, MOVE));
    }
    Ok(path)
}

/// Resolves the symlinks in the existing part of a path.
fn real_path(path: &Path) -> Result<PathBuf, String> {
    for ancestor in path.ancestors() {
        match fs::canonicalize(ancestor) {
            Ok(real) => {
                let rest = path
                    .strip_prefix(ancestor)
                    .expect("a path begins with each of its ancestors");
                return Ok(real.join(rest));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if fs::symlink_metadata(ancestor).is_ok() {
                    return Err(format!(
                        "leads through `{}`, a dangling symlink",
                        ancestor.display()
                    ));
                }
            }
            Err(error) => {
                return Err(format!("cannot be reached ({error})"));
            }
        }
    }
    Ok(path.to_path_buf())
}
