//! A file that is ours from its first byte to its last.

use super::Direction;
use super::file_edit::{Format, Rest};

/// The mark that such a file holds, in a comment.
pub const MARK: &str = "made by boardsync init";

/// A file of ours.
pub struct WholeFile {
    /// Its text, which holds [`MARK`].
    pub text: String,
    /// Whether it is a program.
    pub is_executable: bool,
}

impl Format for WholeFile {
    fn add(&self, text: Option<&str>) -> Result<Option<String>, String> {
        match text {
            Some(text) if text == self.text => Ok(None),
            Some(text) if !text.contains(MARK) => {
                Err("exists, and boardsync did not make it".to_owned())
            }
            Some(_) | None => Ok(Some(self.text.clone())),
        }
    }

    fn remove(&self, text: &str) -> Result<Option<Rest>, String> {
        Ok(text.contains(MARK).then_some(Rest::NoFile))
    }

    fn by_hand(&self, direction: Direction) -> String {
        match direction {
            Direction::SetUp => "call `boardsync hook` from it".to_owned(),
            Direction::Undo => "remove it".to_owned(),
        }
    }

    fn is_executable(&self) -> bool {
        self.is_executable
    }
}
