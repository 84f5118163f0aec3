//! boardsync's own config file.

use super::env::{Env, HOME};
use super::folders::{home, own_config_file};
use super::{ConfigError, under_home};
use crate::printable;
use crate::session::small_file::read_regular;
use crate::session::{default_roots, resolve};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The greatest size of the file, in bytes.
const CAP: u64 = 1024 * 1024;

/// Is what the file may say; an unknown key is an error, so a typo is seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnConfig {
    /// Names the vault.
    pub vault: Option<String>,
    /// Names further folders that a sweep searches; relative ones lie in the
    /// home folder.
    pub roots: Option<Vec<String>>,
}

impl OwnConfig {
    /// Reads the file; one that is not there says nothing.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Unreadable`] or [`ConfigError::Invalid`], with the file.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let Some(bytes) = read_regular(path, CAP)? else {
            return Ok(Self::default());
        };
        let invalid = |reason: String| ConfigError::Invalid {
            path: path.to_path_buf(),
            reason,
        };
        let text = std::str::from_utf8(&bytes)
            .map_err(|error| invalid(format!("not UTF-8 from byte {} on", error.valid_up_to())))?;
        Self::parse(text).map_err(invalid)
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

/// Gives the roots that a sweep searches where the command line names none:
/// `~/Projects`, plus `roots` of boardsync's own config file.
///
/// # Errors
///
/// [`ConfigError`], where the config file is invalid or no home is known.
pub fn sweep_roots(env: &Env) -> Result<Vec<PathBuf>, ConfigError> {
    let home = home(env).ok_or(ConfigError::NoHome { variable: HOME })?;
    let mut roots = default_roots(&home);
    if let Some(file) = own_config_file(env) {
        for root in OwnConfig::read(&file)?.roots.unwrap_or_default() {
            let path = under_home::expand(&root, &home).ok_or_else(|| ConfigError::Invalid {
                path: file.clone(),
                reason: format!("`roots`: only `~` and `~/…` are expanded, not `{root}`"),
            })?;
            roots.push(resolve(&path, &home));
        }
    }
    Ok(roots)
}
