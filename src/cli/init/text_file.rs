//! A change of one text file that is somebody else's: planned, then done at once.

use super::{Plan, Way};
use crate::cli::outcome::Failure;
use crate::disk::{self, read_regular};
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Bounds what is read of such a file, in bytes.
const LIMIT: u64 = 4 * 1024 * 1024;
/// What the name of a backup ends in.
const BACKUP: &str = "before-boardsync";

/// Knows what is ours in a file of some format.
///
/// Errors are the end of a sentence that begins with the file.
pub trait Format {
    /// Adds what is ours; `None` if it is all there.
    fn add(&self, text: &str) -> Result<Option<String>, String>;
    /// Removes what is ours; `None` if there is nothing.
    fn remove(&self, text: &str) -> Result<Option<String>, String>;
    /// Says whether two texts mean the same.
    fn same(&self, one: &str, other: &str) -> bool;
    /// Says whether its folder is made for it, and goes with it.
    fn has_own_folder(&self) -> bool {
        true
    }
    /// Says what is to be done by hand where it cannot be done here.
    fn by_hand(&self, way: Way) -> String;
}

/// Plans a change of the file at `path`; `None` if there is nothing to do.
///
/// An undo gives the very bytes of the backup back, if those mean what the file
/// means without our part; and no file, if there was none.
pub fn plan<'a>(
    id: &'static str,
    what: String,
    path: PathBuf,
    format: &dyn Format,
    way: Way,
) -> Result<Option<Plan<'a>>, String> {
    let shown = path.display().to_string();
    let refused = |fault: String| {
        let by_hand = format.by_hand(way);
        format!("`{shown}` {fault}: repair it and try again, or {by_hand} by hand")
    };
    let target = resolved(&path).map_err(refused)?;
    let file = TextFile::read(&target).map_err(refused)?;
    let text = file.as_ref().map_or("", |file| &file.text);
    let backup = backup_of(&target);
    let kept = TextFile::read(&backup).ok().flatten();
    let is_without_us = |text: &str| matches!(format.remove(text), Ok(None));
    let after = match way {
        Way::Do => match format.add(text).map_err(refused)? {
            None => return Ok(None),
            Some(new) => Some(new),
        },
        Way::Undo => match format.remove(text).map_err(refused)? {
            None => return Ok(None),
            Some(rest) => match &kept {
                Some(kept) if is_without_us(&kept.text) && format.same(&kept.text, &rest) => {
                    Some(kept.text.clone())
                }
                None if format.same(&rest, "") => None,
                _ => Some(rest),
            },
        },
    };
    // The state worth keeping is the one before us, not between two of ours.
    let keep = way == Way::Do && file.is_some() && (kept.is_none() || is_without_us(text));
    let is_restored =
        kept.is_some_and(|kept| way == Way::Undo && after.as_deref() == Some(&*kept.text));
    let has_own_folder = format.has_own_folder();
    let act = move || {
        let failed = |doing: &str, path: &Path, error: std::io::Error| {
            Failure::Error(format!("cannot {doing} `{}`: {error}", path.display()))
        };
        let now = TextFile::read(&target).map_err(Failure::Error)?;
        if now.as_ref().map(|it| &it.text) != file.as_ref().map(|it| &it.text) {
            let shown = target.display();
            return Err(Failure::Error(format!(
                "`{shown}` changed meanwhile: run it again"
            )));
        }
        let like = file.as_ref().map(|file| &file.meta);
        if let Some(file) = file.as_ref().filter(|_| keep) {
            disk::rewrite_like(&backup, file.text.as_bytes(), like)
                .map_err(|error| failed("write", &backup, error))?;
        }
        let folder = target.parent().unwrap_or(Path::new("."));
        match after {
            Some(after) => {
                disk::create_folder("folder.create", folder)
                    .map_err(|error| failed("create", folder, error))?;
                disk::rewrite_like(&target, after.as_bytes(), like)
                    .map_err(|error| failed("write", &target, error))?;
            }
            None => {
                disk::remove("file.unlink", &target)
                    .map_err(|error| failed("remove", &target, error))?;
                if has_own_folder {
                    // It stays where anything else is in it.
                    let _ = disk::remove_folder("file.unlink", folder);
                }
            }
        }
        if is_restored {
            let _ = disk::remove("file.unlink", &backup);
        }
        Ok(())
    };
    Ok(Some(Plan {
        id,
        what,
        path,
        act: Box::new(act),
    }))
}

/// Holds a text file as it was read.
pub struct TextFile {
    /// All of it, a byte order mark included.
    pub text: String,
    /// What the file system said of it.
    pub meta: Metadata,
}

impl TextFile {
    /// Reads the file at `path`, which is no link; `None` if there is none.
    pub fn read(path: &Path) -> Result<Option<Self>, String> {
        let read =
            read_regular(path, LIMIT).map_err(|error| format!("cannot be read ({error})"))?;
        let Some(contents) = read else {
            return Ok(None);
        };
        let text = String::from_utf8(contents.bytes)
            .map_err(|error| format!("is not UTF-8 ({})", error.utf8_error()))?;
        Ok(Some(Self {
            text,
            meta: contents.meta,
        }))
    }
}

/// Follows a link, so that it stays one.
pub fn resolved(path: &Path) -> Result<PathBuf, String> {
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_symlink());
    if !is_link {
        return Ok(path.to_owned());
    }
    std::fs::canonicalize(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => "is a link that leads nowhere".to_owned(),
        _ => format!("cannot be followed ({error})"),
    })
}

fn backup_of(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!("{name}.{BACKUP}"))
}
