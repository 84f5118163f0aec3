//! Which file of a repository is its Session Config, and what it says.

use super::env::Env;
use super::folders::home;
use super::named_file::{self, FileError};
use super::session_config::{self, VaultBlock, VaultIntegration};
use super::under_home;
use std::path::{Path, PathBuf};

/// The greatest size of `CLAUDE.md` and `AGENTS.md`, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Reads the repository's Session Config: its file and the enabled block, or
/// nothing where no file says anything of a vault.
///
/// The error is the reason why there is no vault. What cannot be read
/// counts as a no: nothing may enable what a file may have disabled.
pub fn session_block(
    repo: &Path,
    env: &Env,
) -> Result<Option<(PathBuf, VaultIntegration)>, String> {
    let Some((file, text)) = session_config_file(repo, env)
        .map_err(|error| format!("the Session Config cannot be read: {error}"))?
    else {
        return Ok(None);
    };
    let shown = file.display();
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Err(format!(
            "`{shown}` is empty, which disables the vault; \
             remove it, or write a `vault-integration` block into it"
        ));
    }
    match session_config::read(&text) {
        VaultBlock::Absent => Ok(None),
        VaultBlock::Readable(block) if block.enabled => Ok(Some((file, block))),
        VaultBlock::Readable(_) => Err(format!(
            "`vault-integration` in `{shown}` does not say `enabled: true`"
        )),
        VaultBlock::Unreadable => Err(format!(
            "`vault-integration` in `{shown}` cannot be read; write \
             `vault-integration: {{ enabled: true, vault-dir: ~/vault }}` on a line of its own"
        )),
    }
}

/// Reads the name that the repository's Session Config gives its row,
/// `vault-name`, if it has one and the vault is enabled there.
pub fn vault_name(repo: &Path, env: &Env) -> Option<String> {
    session_block(repo, env).ok()??.1.vault_name
}

/// Reads the projects that the repository's Session Config declares for a
/// sweep, `cross-repo.projects`.
pub fn cross_repo_projects(repo: &Path, env: &Env) -> Vec<PathBuf> {
    let (Ok(Some((_, text))), Some(home)) = (session_config_file(repo, env), home(env)) else {
        return Vec::new();
    };
    let paths = session_config::projects(&text).into_iter();
    paths
        .filter_map(|path| under_home::expand(&path, &home))
        .collect()
}

/// Reads the first of the files that may be the repository's Session Config.
fn session_config_file(repo: &Path, env: &Env) -> Result<Option<(PathBuf, String)>, FileError> {
    let mut names = ["CLAUDE.md", "AGENTS.md"];
    if matches!(env.text("SO_PLATFORM"), Some("codex" | "pi")) {
        names.reverse();
    }
    for name in names {
        let file = repo.join(name);
        if let Some(bytes) = named_file::read(&file, MAX_BYTES)? {
            return Ok(Some((file, String::from_utf8_lossy(&bytes).into_owned())));
        }
    }
    Ok(None)
}

/// Returns whether the repository's Session Config names the vault at `path`.
#[cfg(feature = "cli")]
pub fn is_named_by_repository(repo: &Path, env: &Env, path: &Path) -> bool {
    let named = session_block(repo, env).ok().flatten();
    let dir = named.and_then(|(_, block)| block.vault_dir);
    let home = super::folders::home(env);
    dir.zip(home)
        .and_then(|(dir, home)| super::under_home::check(&dir, &home).ok())
        .is_some_and(|named| named == path)
}
