//! Which file of a repository is its Session Config, and whether it forbids a vault.

use super::env::Env;
use super::session_config::{self, Block, VaultIntegration};
use crate::session::small_file::read_regular;
use std::path::{Path, PathBuf};

/// The greatest size of `CLAUDE.md` and `AGENTS.md`, in bytes.
const CAP: u64 = 4 * 1024 * 1024;

/// Reads the repository's Session Config: its file and the enabled block, or
/// nothing where no file says anything of a vault.
///
/// The error is the reason why there is to be no vault. What cannot be read
/// counts as a no: nothing may enable what a file may have disabled.
pub fn session_block(
    repo: &Path,
    env: &Env,
) -> Result<Option<(PathBuf, VaultIntegration)>, String> {
    let mut names = ["CLAUDE.md", "AGENTS.md"];
    if matches!(env.text("SO_PLATFORM"), Some("codex" | "pi")) {
        names.reverse();
    }
    for name in names {
        let file = repo.join(name);
        let bytes = match read_regular(&file, CAP) {
            Ok(None) => continue,
            Ok(Some(bytes)) => bytes,
            Err(error) => return Err(format!("the Session Config cannot be read: {error}")),
        };
        let text = String::from_utf8_lossy(&bytes);
        let shown = file.display();
        if text.trim_start_matches('\u{feff}').trim().is_empty() {
            return Err(format!(
                "`{shown}` is empty, which disables the vault; \
                 remove it, or write a `vault-integration` block into it"
            ));
        }
        return match session_config::read(&text) {
            Block::Absent => Ok(None),
            Block::Found(block) if block.enabled => Ok(Some((file, block))),
            Block::Found(_) => Err(format!(
                "`vault-integration` in `{shown}` does not say `enabled: true`"
            )),
            Block::Unreadable => Err(format!(
                "`vault-integration` in `{shown}` cannot be read; write \
                 `vault-integration: {{ enabled: true, vault-dir: ~/vault }}` on a line of its own"
            )),
        };
    }
    Ok(None)
}
