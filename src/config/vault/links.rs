//! The links on the way to a board: which are followed, and where to.

use super::error::{VaultError, io_error};
use crate::config::VaultSource;
use crate::disk::FileKind;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// How many links lead from one to the next before they count as a circle.
const MAX_LINKS: usize = 40;

/// The links that the path of a board may go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedLinks<'a> {
    /// None: only a repository names the vault.
    None,
    /// Those that end in the vault, or in this home folder and in no hidden
    /// folder of it: the user named the vault.
    Within(Option<&'a Path>),
}

impl<'a> AllowedLinks<'a> {
    /// Returns the links that are followed in a vault named by `source`.
    pub fn of(source: &VaultSource, home: Option<&'a Path>) -> Self {
        match source.is_named_by_user() {
            true => Self::Within(home),
            false => Self::None,
        }
    }
}

/// Finds the first link on the way from the vault to a board.
pub(super) fn first_link(root: &Path, inside: &Path) -> Result<Option<PathBuf>, VaultError> {
    let mut path = root.to_owned();
    for component in inside.components() {
        path.push(component);
        match std::fs::symlink_metadata(&path) {
            Ok(meta) if FileKind::of(meta.file_type()) == Some(FileKind::Symlink) => {
                return Ok(Some(path));
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error(&path, error)),
        }
    }
    Ok(None)
}

/// Follows the links of `board` to a file in the vault or the home folder,
/// which need not be there yet.
pub(super) fn follow(
    link: PathBuf,
    board: &Path,
    root: &Path,
    home: Option<&Path>,
) -> Result<PathBuf, VaultError> {
    let target = match final_target(board, MAX_LINKS) {
        Ok(target) => target,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(VaultError::Dangling(link));
        }
        Err(error) => return Err(io_error(board, error)),
    };
    let below = |folder: &Path| {
        let folder = std::fs::canonicalize(folder).ok()?;
        target.strip_prefix(folder).ok()
    };
    if below(root).is_some() {
        return Ok(target);
    }
    let Some(at_home) = home.and_then(below) else {
        return Err(VaultError::LeadsOut { link, target });
    };
    // `~/.ssh`, `~/.claude/rules`: what lies there is obeyed.
    let is_hidden = |part: Component| part.as_os_str().as_encoded_bytes().starts_with(b".");
    if at_home.components().any(is_hidden) {
        return Err(VaultError::LeadsToHidden { link, target });
    }
    // Under another name a new file could be anything, like `~/src/app/CLAUDE.md`.
    let is_there = std::fs::symlink_metadata(&target).is_ok();
    match is_there || target.file_name() == board.file_name() {
        true => Ok(target),
        false => Err(VaultError::Dangling(link)),
    }
}

/// Returns the path without links of what is, or would be created, at `path`.
fn final_target(path: &Path, links: usize) -> io::Result<PathBuf> {
    match std::fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound && links > 0 => {}
        done => return done,
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(ErrorKind::NotFound.into());
    };
    match std::fs::read_link(path) {
        Ok(to) => final_target(&folder.join(to), links - 1),
        Err(_) => Ok(final_target(folder, links - 1)?.join(name)),
    }
}
