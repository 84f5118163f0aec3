//! The environment, as a value.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// A snapshot of the environment's variables.
///
/// Passed along instead of asking the process, so that a test can have its own
/// and two tests never share one. A blank value counts as unset, everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Env(HashMap<OsString, OsString>);

impl Env {
    /// Takes the variables of this process.
    pub fn system() -> Self {
        std::env::vars_os().collect()
    }

    /// Returns the value of a variable, unless it is unset or blank.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let value = self.0.get(OsStr::new(name))?;
        (!value.to_string_lossy().trim().is_empty()).then_some(value)
    }

    /// Returns the value as text, trimmed; what is not Unicode is `None`.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.to_str().map(str::trim)
    }

    /// Returns the value as a path, trimmed as the peer trims it.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let value = self.get(name)?;
        Some(value.to_str().map_or_else(
            // Only text can be trimmed; other bytes are taken as they are.
            || PathBuf::from(value),
            |text| PathBuf::from(text.trim()),
        ))
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Env {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(
            pairs
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }
}

/// The variable that holds the home folder.
pub(super) const HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
