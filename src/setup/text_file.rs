//! A change of one text file that belongs to others: planned, then made at once.

use super::links::{Links, locate};
use super::{Change, Revert, SetupError, Way};
use crate::disk::{self, Access, read_small};
use std::io;
use std::path::{Path, PathBuf};

/// The greatest size of such a file, in bytes.
const LIMIT: u64 = 4 * 1024 * 1024;
/// The end of a copy's name.
const COPY: &str = "before-boardsync";

/// What is left of a file without our part.
#[derive(Debug, PartialEq, Eq)]
pub enum Rest {
    /// This text.
    Text(String),
    /// Nothing: the file was made for our part.
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
    /// Gives the comparison of what two texts mean, where [`Format::remove`]
    /// does not give back the same bytes; the file as it was is then kept
    /// beside it.
    fn same(&self) -> Option<fn(&str, &str) -> bool> {
        None
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
    pub links: Links,
    /// How many folders above it go with it when they are empty.
    pub own_folders: usize,
    /// What is ours in it.
    pub format: &'a dyn Format,
}

/// Plans the change of a file; `None` if there is nothing to do.
///
/// Taking our part out gives back the very bytes that were there before, if the
/// file means the same as then, and no file if there was none.
pub fn plan<'a>(edit: Edit, way: Way) -> Result<Option<Change<'a>>, SetupError> {
    let Edit {
        id, format, path, ..
    } = edit;
    let refused = |fault: String| {
        let by_hand = format.by_hand(way);
        let shown = path.display();
        SetupError(format!(
            "`{shown}` {fault}: repair it and try again, or {by_hand} by hand"
        ))
    };
    let target = locate(&path, &edit.links).map_err(refused)?;
    let before = TextFile::read(&target).map_err(refused)?;
    let text = before.as_ref().map(|file| &*file.text);
    let after = match (way, text) {
        (Way::Do, text) => format.add(text).map_err(refused)?.map(Rest::Text),
        (Way::Undo, None) => None,
        (Way::Undo, Some(text)) => format.remove(text).map_err(refused)?,
    };
    let Some(after) = after else {
        return Ok(None);
    };
    let (after, copy) = with_copy(format, way, &target, before.as_ref(), after);
    let access = before.as_ref().and_then(|file| file.access.clone());
    let swap = Swap {
        path: target.clone(),
        before,
        after: match after {
            Rest::Text(text) => Some(TextFile { text, access }),
            Rest::NoFile => None,
        },
        own_folders: edit.own_folders,
        is_executable: format.is_executable(),
    };
    let swaps: Vec<Swap> = match way {
        Way::Do => copy.into_iter().chain([swap]).collect(),
        Way::Undo => [swap].into_iter().chain(copy).collect(),
    };
    let what = match target == path {
        true => edit.what,
        false => format!("{} (`{}` leads there)", edit.what, path.display()),
    };
    Ok(Some(Change {
        id,
        what,
        path: target,
        act: Box::new(move || make_all(swaps)),
    }))
}

/// Decides what is left of a file, and what becomes of the copy beside it.
fn with_copy(
    format: &dyn Format,
    way: Way,
    target: &Path,
    before: Option<&TextFile>,
    after: Rest,
) -> (Rest, Option<Swap>) {
    let Some(same) = format.same() else {
        return (after, None);
    };
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let path = target.with_file_name(format!("{name}.{COPY}"));
    let copy = TextFile::read(&path).ok().flatten();
    let is_without_us = |file: &TextFile| matches!(format.remove(&file.text), Ok(None));
    let swap = |before, after| Swap {
        path,
        before,
        after,
        own_folders: 0,
        is_executable: false,
    };
    match (way, copy, after) {
        // The state worth keeping is the one before us, not between two of ours.
        (Way::Do, copy, after) => {
            let kept = before.filter(|file| copy.is_none() || is_without_us(file));
            (after, kept.map(|file| swap(copy, Some(file.clone()))))
        }
        (Way::Undo, Some(copy), Rest::Text(rest))
            if is_without_us(&copy) && same(&copy.text, &rest) =>
        {
            let text = copy.text.clone();
            (Rest::Text(text), Some(swap(Some(copy), None)))
        }
        (Way::Undo, None, Rest::Text(rest)) if same(&rest, "") => (Rest::NoFile, None),
        (Way::Undo, _, after) => (after, None),
    }
}

/// The change of one file, all decided.
struct Swap {
    path: PathBuf,
    before: Option<TextFile>,
    after: Option<TextFile>,
    own_folders: usize,
    is_executable: bool,
}

/// Makes all of them, or none.
fn make_all<'a>(swaps: Vec<Swap>) -> Result<Revert<'a>, SetupError> {
    for (made, swap) in swaps.iter().enumerate() {
        if let Err(error) = swap.make() {
            for swap in swaps[..made].iter().rev() {
                let _ = swap.put(swap.before.as_ref());
            }
            return Err(error);
        }
    }
    Ok(Some(Box::new(move || {
        let mut swaps = swaps.iter().rev();
        swaps.try_for_each(|swap| swap.put(swap.before.as_ref()))
    })))
}

impl Swap {
    fn make(&self) -> Result<(), SetupError> {
        let path = self.path.display();
        let text = |file: &Option<TextFile>| file.as_ref().map(|file| file.text.clone());
        let now = TextFile::read(&self.path)
            .map_err(|fault| SetupError(format!("`{path}` {fault}: repair it and try again")))?;
        if text(&now) != text(&self.before) {
            let changed = format!("`{path}` changed meanwhile: run it again");
            return Err(SetupError(changed));
        }
        self.put(self.after.as_ref())
    }

    fn put(&self, file: Option<&TextFile>) -> Result<(), SetupError> {
        let path = &self.path;
        let Some(file) = file else {
            return self.remove();
        };
        let folder = path.parent().unwrap_or(Path::new("."));
        disk::create_folder("folder.create", folder)
            .map_err(|error| failed("create", folder, &error))?;
        disk::rewrite_like(path, file.text.as_bytes(), file.access.clone())
            .map_err(|error| failed("write", path, &error))?;
        match self.is_executable {
            true => make_executable(path).map_err(|error| failed("make executable", path, &error)),
            false => Ok(()),
        }
    }

    /// Removes the file, and the folders made for it unless anything is in them.
    fn remove(&self) -> Result<(), SetupError> {
        disk::remove("file.unlink", &self.path)
            .map_err(|error| failed("remove", &self.path, &error))?;
        for folder in self.path.ancestors().skip(1).take(self.own_folders) {
            let _ = disk::remove_folder("file.unlink", folder);
        }
        Ok(())
    }
}

fn failed(doing: &str, path: &Path, error: &io::Error) -> SetupError {
    let path = path.display();
    SetupError(format!(
        "cannot {doing} `{path}`: {error}; check its permissions"
    ))
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// A text file as it was read.
#[derive(Clone)]
pub struct TextFile {
    /// All of it, a byte order mark included.
    pub text: String,
    /// Who may read and write it, an ACL included.
    access: Option<Access>,
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
            format!("has invalid UTF-8 at byte {at}")
        })?;
        Ok(Some(Self {
            text,
            access: Access::of(&contents.file).ok(),
        }))
    }
}
