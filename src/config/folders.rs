//! Where the files of the user, of the peer and of boardsync lie.

use super::env::{Env, HOME};
use std::path::{Path, PathBuf};

/// Returns the user's home folder, if it is known and absolute.
pub fn home(env: &Env) -> Option<PathBuf> {
    env.path(HOME).filter(|home| home.is_absolute())
}

/// Returns the path of a program's own `folder` below the home folder, or below
/// `XDG_CONFIG_HOME` if it is one of `.config`.
pub fn below_home(env: &Env, folder: &str) -> Option<PathBuf> {
    let configured = folder
        .strip_prefix(".config/")
        .and_then(|rest| Some(absolute(env, "XDG_CONFIG_HOME")?.join(rest)));
    configured.or_else(|| Some(home(env)?.join(folder)))
}

/// Returns the peer's private folder.
///
/// `SO_CONFIG_HOME` is the folder itself; else `session-orchestrator` in
/// `XDG_CONFIG_HOME`, else in `~/.config`, on every system (session-orchestrator
/// 5.3.0).
pub fn private_dir(env: &Env) -> Option<PathBuf> {
    env.path("SO_CONFIG_HOME").or_else(|| {
        let parent = env
            .path("XDG_CONFIG_HOME")
            .or_else(|| Some(home(env)?.join(".config")))?;
        Some(parent.join("session-orchestrator"))
    })
}

/// Returns the registry's `sessions` folder: `SO_SESSION_REGISTRY_DIR`, else the
/// one in the private folder.
pub fn registry_dir(env: &Env) -> Option<PathBuf> {
    env.path("SO_SESSION_REGISTRY_DIR")
        .or_else(|| Some(private_dir(env)?.join("sessions")))
}

/// Returns the file of host aliases: `SO_HOST_ALIASES_FILE`, else the one in the
/// private folder.
pub fn host_aliases_file(env: &Env) -> Option<PathBuf> {
    env.path("SO_HOST_ALIASES_FILE")
        .or_else(|| Some(private_dir(env)?.join("host-aliases.json")))
}

/// Returns the path of `owner.yaml`.
pub fn owner_file(env: &Env) -> Option<PathBuf> {
    Some(private_dir(env)?.join("owner.yaml"))
}

/// Returns the path of boardsync's own config file.
///
/// `XDG_CONFIG_HOME` wins everywhere; else what is usual on the system.
pub fn own_config_file(env: &Env) -> Option<PathBuf> {
    let parent = absolute(env, "XDG_CONFIG_HOME").or_else(|| {
        if cfg!(target_os = "macos") {
            Some(home(env)?.join("Library/Application Support"))
        } else if cfg!(windows) {
            absolute(env, "APPDATA").or_else(|| Some(home(env)?.join("AppData").join("Roaming")))
        } else {
            Some(home(env)?.join(".config"))
        }
    })?;
    Some(parent.join("boardsync").join("config.toml"))
}

/// Returns boardsync's own folder for state: what is true of this host only,
/// and worth no copy.
pub fn state_dir(env: &Env) -> Option<PathBuf> {
    let parent = absolute(env, "XDG_STATE_HOME").or_else(|| {
        if cfg!(target_os = "macos") {
            Some(home(env)?.join("Library/Application Support"))
        } else if cfg!(windows) {
            absolute(env, "LOCALAPPDATA").or_else(|| Some(home(env)?.join("AppData").join("Local")))
        } else {
            Some(home(env)?.join(".local").join("state"))
        }
    })?;
    Some(parent.join("boardsync"))
}

/// Returns the file in `folder` of the folder for state that belongs to the board
/// at `board`: named by the hash of its path.
pub fn board_state_file(state_dir: &Path, folder: &str, board: &Path) -> PathBuf {
    let hash = hmac_sha256::Hash::hash(board.to_string_lossy().as_bytes());
    let name: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    state_dir.join(folder).join(format!("{name}.json"))
}

/// Returns the vault that is used where none is named.
pub fn default_vault(env: &Env) -> Option<PathBuf> {
    let parent = absolute(env, "XDG_DATA_HOME").or_else(|| {
        if cfg!(target_os = "macos") {
            Some(home(env)?.join("Library/Application Support"))
        } else if cfg!(windows) {
            absolute(env, "LOCALAPPDATA").or_else(|| Some(home(env)?.join("AppData").join("Local")))
        } else {
            Some(home(env)?.join(".local").join("share"))
        }
    })?;
    Some(parent.join("boardsync").join("vault"))
}

/// Returns an absolute path; the XDG rules have a relative one ignored.
fn absolute(env: &Env, name: &str) -> Option<PathBuf> {
    env.path(name).filter(|path| path.is_absolute())
}
