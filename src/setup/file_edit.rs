//! A change of one text file that belongs to others: planned, then made at once.

use super::text_file::{Links, TextFile, locate, make_executable, remove};
use super::{Change, Direction, Revert, SetupError};
use std::path::{Path, PathBuf};

/// The end of a copy's name.
const COPY: &str = "before-boardsync";

/// The rest of a file without our part.
#[derive(Debug, PartialEq, Eq)]
pub enum Rest {
    /// This text.
    Text(String),
    /// Nothing: the file was made for our part.
    NoFile,
}

/// Our part of a file in some format.
///
/// Errors are the end of a sentence that begins with the file.
pub trait Format {
    /// Adds what is ours to a text, or to no file; `None` if nothing needs adding.
    fn add(&self, text: Option<&str>) -> Result<Option<String>, String>;
    /// Removes what is ours; `None` if there is nothing.
    fn remove(&self, text: &str) -> Result<Option<Rest>, String>;
    /// Describes what is left to do by hand where it cannot be done here.
    fn by_hand(&self, direction: Direction) -> String;
    /// Returns the comparison of what two texts mean, where [`Format::remove`]
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
    pub format: Box<dyn Format + 'a>,
}

impl Edit<'_> {
    /// Plans the change of a file; `None` if there is nothing to do.
    ///
    /// Taking our part out gives back the very bytes that were there before, if the
    /// file means the same as then, and no file if there was none.
    pub fn plan<'c>(self, direction: Direction) -> Result<Option<Change<'c>>, SetupError> {
        let format = &*self.format;
        let refused = |fault: String| {
            let by_hand = format.by_hand(direction);
            let shown = self.path.display();
            SetupError(format!(
                "`{shown}` {fault}: repair it and try again, or {by_hand} by hand"
            ))
        };
        let target = locate(&self.path, &self.links).map_err(refused)?;
        let before = TextFile::read(&target).map_err(refused)?;
        let text = before.as_ref().map(|file| &*file.text);
        let after = match (direction, text) {
            (Direction::SetUp, text) => format.add(text).map_err(refused)?.map(Rest::Text),
            (Direction::Undo, None) => None,
            (Direction::Undo, Some(text)) => format.remove(text).map_err(refused)?,
        };
        let Some(after) = after else {
            return Ok(None);
        };
        let (after, copy) = with_copy(format, direction, &target, before.as_ref(), after);
        let access = before.as_ref().and_then(|file| file.access.clone());
        let swap = Swap {
            path: target.clone(),
            before,
            after: match after {
                Rest::Text(text) => Some(TextFile { text, access }),
                Rest::NoFile => None,
            },
            own_folders: self.own_folders,
            is_executable: format.is_executable(),
        };
        let swaps: Vec<Swap> = match direction {
            Direction::SetUp => copy.into_iter().chain([swap]).collect(),
            Direction::Undo => [swap].into_iter().chain(copy).collect(),
        };
        let what = match target == self.path {
            true => self.what,
            false => format!("{} (`{}` leads there)", self.what, self.path.display()),
        };
        Ok(Some(Change {
            id: self.id,
            what,
            path: target,
            act: Box::new(move || make_all(swaps)),
        }))
    }
}

/// Decides what is left of a file, and what becomes of the copy beside it.
fn with_copy(
    format: &dyn Format,
    direction: Direction,
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
    match (direction, copy, after) {
        // The state worth keeping is the one before us, not between two of ours.
        (Direction::SetUp, copy, after) => {
            let kept = before.filter(|file| copy.is_none() || is_without_us(file));
            (after, kept.map(|file| swap(copy, Some(file.clone()))))
        }
        (Direction::Undo, Some(copy), Rest::Text(rest))
            if is_without_us(&copy) && same(&copy.text, &rest) =>
        {
            let text = copy.text.clone();
            (Rest::Text(text), Some(swap(Some(copy), None)))
        }
        (Direction::Undo, None, Rest::Text(rest)) if same(&rest, "") => (Rest::NoFile, None),
        (Direction::Undo, _, after) => (after, None),
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
        match file {
            None => remove(&self.path, self.own_folders),
            Some(file) => {
                file.write(&self.path)?;
                match self.is_executable {
                    true => make_executable(&self.path),
                    false => Ok(()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_copy_is_taken_back_where_its_file_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let swap = |name: &str, before: &str, after: &str| {
            let path = folder.path().join(name);
            fs::write(&path, before).unwrap();
            let before = TextFile::read(&path).unwrap();
            let text = after.to_owned();
            let after = before.clone().map(|file| TextFile { text, ..file });
            Swap {
                path,
                before,
                after,
                own_folders: 0,
                is_executable: false,
            }
        };
        let (copy, file) = (swap("copy", "older", "old"), swap("file", "old", "new"));
        let (copy_path, file_path) = (copy.path.clone(), file.path.clone());
        fs::write(&file_path, "theirs").unwrap();
        let error = make_all(vec![copy, file]).map(drop).unwrap_err();
        assert!(error.to_string().contains("changed meanwhile"), "{error}");
        assert_eq!(fs::read_to_string(copy_path).unwrap(), "older");
        assert_eq!(fs::read_to_string(file_path).unwrap(), "theirs");
    }
}
