//! A change of one text file that belongs to others: planned, then made at once.

use super::links::{Links, locate};
use super::{Change, Revert, SetupError, Way};
use crate::disk::{self, Access, read_small};
use std::io;
use std::path::{Path, PathBuf};

/// Bounds what is read of such a file, in bytes.
const LIMIT: u64 = 4 * 1024 * 1024;
/// What the name of a copy ends in.
const COPY: &str = "before-boardsync";

/// What is left of a file without our part.
#[derive(Debug, PartialEq, Eq)]
pub enum Rest {
    /// This text.
    Text(String),
    /// The file was made for our part.
    NoFile,
}

/// What is ours in a file of some format.
///
/// Errors are the end of a sentence that begins with the file.
pub trait Format {
    /// Adds what is ours to a text, or to no file; `None` if it is all there.
    fn add(&self, text: Option<&str>) -> Result<Option<String>, String>;
    /// Removes what is ours; `None` if there is nothing.
    fn remove(&self, text: &str) -> Result<Option<Rest>, String>;
    /// Describes what is left to do by hand where it cannot be done here.
    fn by_hand(&self, way: Way) -> String;
    /// Compares what two texts mean, where [`Format::remove`] does not give
    /// back the same bytes; the file as it was is then kept beside it.
    fn same(&self) -> Option<fn(&str, &str) -> bool> {
        None
    }
    /// Counts the folders above the file that go with it when they are empty.
    fn own_folders(&self) -> usize {
        0
    }
    /// Returns whether the file is a program.
    fn is_executable(&self) -> bool {
        false
    }
}

/// The file to edit, and how.
pub struct Edit<'a> {
    /// Names the kind of change, for programs.
    pub id: &'static str,
    /// Describes the change, for people.
    pub what: String,
    /// Where the file is looked for.
    pub path: PathBuf,
    /// Which links are followed to it.
    pub links: Links<'a>,
    /// What is ours in it.
    pub format: &'a dyn Format,
}

/// Plans the change of a file; `None` if there is nothing to do.
///
/// Taking our part out gives back the very bytes that were there before, if the
/// file means the same as then, and no file if there was none.
pub fn plan<'a>(edit: Edit, way: Way) -> Result<Option<Change<'a>>, SetupError> {
    let Edit { id, format, .. } = edit;
    let path = edit.path;
    let refused = |fault: String| {
        let by_hand = format.by_hand(way);
        let shown = path.display();
        SetupError(format!(
            "`{shown}` {fault}: repair it and try again, or {by_hand} by hand"
        ))
    };
    let target = locate(&path, edit.links).map_err(refused)?;
    let file = TextFile::read(&target).map_err(refused)?;
    let text = file.as_ref().map(|file| &*file.text);
    let copy = copy_of(&target);
    let kept = match format.same() {
        Some(_) => TextFile::read(&copy).ok().flatten(),
        None => None,
    };
    let is_without_us = |text: &str| matches!(format.remove(text), Ok(None));
    let after = match way {
        Way::Do => format.add(text).map_err(refused)?.map(Rest::Text),
        Way::Undo => match text {
            None => None,
            Some(text) => format.remove(text).map_err(refused)?,
        },
    };
    let Some(mut after) = after else {
        return Ok(None);
    };
    let (mut keeps_copy, mut drops_copy) = (false, false);
    if let Some(same) = format.same() {
        match (way, &kept, &after) {
            (Way::Undo, Some(kept), Rest::Text(rest))
                if is_without_us(&kept.text) && same(&kept.text, rest) =>
            {
                after = Rest::Text(kept.text.clone());
                drops_copy = true;
            }
            (Way::Undo, None, Rest::Text(rest)) if same(rest, "") => after = Rest::NoFile,
            (Way::Undo, ..) => {}
            // The state worth keeping is the one before us, not between two of ours.
            (Way::Do, ..) => {
                keeps_copy = kept.is_none() || text.is_some_and(is_without_us);
            }
        }
    }
    let what = match target == path {
        true => edit.what,
        false => format!("{} (`{}` leads there)", edit.what, path.display()),
    };
    let write = Write {
        before: file,
        after: match after {
            Rest::Text(text) => Some(text),
            Rest::NoFile => None,
        },
        copy: (copy, keeps_copy, drops_copy),
        own_folders: format.own_folders(),
        is_executable: format.is_executable(),
        target: target.clone(),
    };
    Ok(Some(Change {
        id,
        what,
        path: target,
        act: Box::new(move || write.run()),
    }))
}

/// The change of a file, all decided.
struct Write {
    target: PathBuf,
    before: Option<TextFile>,
    after: Option<String>,
    /// The copy of the file as it was, whether to make it, whether to remove it.
    copy: (PathBuf, bool, bool),
    own_folders: usize,
    is_executable: bool,
}

impl Write {
    fn run<'a>(self) -> Result<Revert<'a>, SetupError> {
        let now = TextFile::read(&self.target)
            .map_err(|fault| SetupError(format!("`{}` {fault}", self.target.display())))?;
        if now.as_ref().map(|now| &now.text) != self.before.as_ref().map(|file| &file.text) {
            return Err(SetupError(format!(
                "`{}` changed meanwhile: run it again",
                self.target.display()
            )));
        }
        let (copy, keeps_copy, drops_copy) = &self.copy;
        if let Some(file) = self.before.as_ref().filter(|_| *keeps_copy) {
            put(copy, &file.text, file.access.clone())?;
        }
        let like = self.before.as_ref().and_then(|file| file.access.clone());
        match &self.after {
            Some(after) => {
                put(&self.target, after, like)?;
                if self.is_executable {
                    make_executable(&self.target)?;
                }
            }
            None => self.drop_file()?,
        }
        if *drops_copy {
            let _ = disk::remove("file.unlink", copy);
        }
        Ok(Some(Box::new(move || self.revert())))
    }

    fn revert(self) -> Result<(), SetupError> {
        let (copy, keeps_copy, drops_copy) = &self.copy;
        match &self.before {
            Some(before) => put(&self.target, &before.text, before.access.clone())?,
            None => self.drop_file()?,
        }
        match &self.before {
            Some(_) if *keeps_copy => {
                let _ = disk::remove("file.unlink", copy);
            }
            Some(before) if *drops_copy => {
                let text = self.after.as_deref().unwrap_or_default();
                put(copy, text, before.access.clone())?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Removes the file, and the folders made for it unless anything is in them.
    fn drop_file(&self) -> Result<(), SetupError> {
        disk::remove("file.unlink", &self.target)
            .map_err(|error| failed("remove", &self.target, &error))?;
        for folder in self.target.ancestors().skip(1).take(self.own_folders) {
            let _ = disk::remove_folder("file.unlink", folder);
        }
        Ok(())
    }
}

fn failed(doing: &str, path: &Path, error: &io::Error) -> SetupError {
    SetupError(format!("cannot {doing} `{}`: {error}", path.display()))
}

fn put(path: &Path, text: &str, like: Option<Access>) -> Result<(), SetupError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    disk::create_folder("folder.create", folder)
        .map_err(|error| failed("create", folder, &error))?;
    disk::rewrite_like(path, text.as_bytes(), like).map_err(|error| failed("write", path, &error))
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<(), SetupError> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .map_err(|error| failed("make executable", path, &error))
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> Result<(), SetupError> {
    Ok(())
}

/// A text file as it was read.
pub struct TextFile {
    /// All of it, a byte order mark included.
    pub text: String,
    /// Who may read and write it, an ACL included.
    pub access: Option<Access>,
}

impl TextFile {
    /// Reads the file at `path`, which is no link; `None` if there is none.
    pub fn read(path: &Path) -> Result<Option<Self>, String> {
        let read = read_small(path, LIMIT, disk::Links::Refuse)
            .map_err(|error| format!("cannot be read ({error})"))?;
        let Some(contents) = read else {
            return Ok(None);
        };
        let text = String::from_utf8(contents.bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            format!("holds invalid UTF-8 at byte {at}")
        })?;
        Ok(Some(Self {
            text,
            access: Access::of(&contents.file).ok(),
        }))
    }
}

fn copy_of(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!("{name}.{COPY}"))
}
