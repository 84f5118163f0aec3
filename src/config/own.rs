//! boardsync's own config file.

use super::env::{Env, HOME};
use super::folders::{home, own_config_file};
use super::named_file;
use super::{ConfigError, under_home};
use crate::disk::absolute_path;
use crate::printable::printable;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// The greatest size of the file, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// The contents of the file; an unknown key is an error, so a typo is seen.
///
/// Every key is described in docs/configuration.md.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnConfig {
    /// The vault.
    pub vault: Option<String>,
    /// Further vaults that a repository may name.
    pub vaults: Option<Vec<String>>,
    /// Further folders that a sweep searches; relative ones lie in the home
    /// folder.
    pub roots: Option<Vec<String>>,
    /// Whether a row that only the hook keeps shows what its session is doing.
    pub activity: Option<bool>,
}

impl OwnConfig {
    /// Reads the file; one that is not there says nothing.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Unreadable`] or [`ConfigError::Invalid`], with the file.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let Some(bytes) = named_file::read(path, MAX_BYTES)? else {
            return Ok(Self::default());
        };
        let invalid = |reason: String| ConfigError::Invalid {
            path: path.to_path_buf(),
            reason,
        };
        let text = std::str::from_utf8(&bytes)
            .map_err(|error| invalid(format!("invalid UTF-8 at byte {}", error.valid_up_to())))?;
        Self::parse(text).map_err(invalid)
    }

    /// Returns whether the user has named any vault.
    pub fn names_any(&self) -> bool {
        self.vault.is_some()
            || self
                .vaults
                .as_ref()
                .is_some_and(|vaults| !vaults.is_empty())
    }

    /// Returns whether the vault at `path` is one that the user has named, by
    /// whatever links.
    pub fn allows(&self, path: &Path, home: &Path) -> bool {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let named = self.vault.iter().chain(self.vaults.iter().flatten());
        named
            .filter_map(|text| under_home::expand(text.trim(), home))
            .any(|named| real(&absolute_path(&named, home)) == real(path))
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    ///
    /// Where and why it is not valid, in a few words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        toml::from_str(text).map_err(|error| {
            // One line: the rest of the parser's report draws the place, and a
            // key that it quotes may hold anything.
            let line = error.span().map_or(1, |span| {
                1 + text
                    .bytes()
                    .take(span.start)
                    .filter(|b| *b == b'\n')
                    .count()
            });
            format!("line {line}: {}", printable(error.message(), 300))
        })
    }
}

/// Returns the roots that a sweep searches where the command line names none:
/// `~/Projects`, plus `roots` of boardsync's own config file.
///
/// # Errors
///
/// [`ConfigError`], where the config file is invalid or no home is known.
pub fn sweep_roots(env: &Env) -> Result<Vec<PathBuf>, ConfigError> {
    let home = home(env).ok_or(ConfigError::NoHome { variable: HOME })?;
    let mut roots = vec![home.join("Projects")];
    if let Some(file) = own_config_file(env) {
        for root in OwnConfig::read(&file)?.roots.unwrap_or_default() {
            let path = under_home::expand(&root, &home).ok_or_else(|| ConfigError::Invalid {
                path: file.clone(),
                reason: format!("`roots`: only `~` and `~/…` are expanded, not `{root}`"),
            })?;
            roots.push(absolute_path(&path, &home));
        }
    }
    Ok(roots)
}
