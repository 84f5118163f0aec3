//! Which vault: the first source that names one, unless the repository forbids it.

use super::ConfigError;
use super::env::{Env, HOME};
use super::folders::{default_vault, home, own_config_file, owner_file};
use super::own::OwnConfig;
use super::owner;
use super::session_config::VaultIntegration;
use super::session_file::session_block;
use super::under_home;
use crate::session::resolve;
use crate::session::small_file::read_regular;
use std::path::{Path, PathBuf};

/// The greatest size of `owner.yaml`, in bytes.
const CAP: u64 = 1024 * 1024;

/// Says who named the vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VaultSource {
    /// The flag `--vault`.
    Flag,
    /// The variable `BOARDSYNC_VAULT`.
    BoardsyncVault,
    /// The variable `SO_VAULT_DIR`, shared with session-orchestrator.
    SoVaultDir,
    /// `paths.vault-dir` of session-orchestrator's `owner.yaml`.
    OwnerYaml,
    /// `vault-integration.vault-dir` in this file of the repository.
    SessionConfig(PathBuf),
    /// `vault` of boardsync's own config file.
    OwnConfig,
    /// Nobody: the vault in the user's data folder.
    Default,
}

/// Is the vault that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultChoice {
    /// Gives the absolute path, which need not exist.
    pub path: PathBuf,
    /// Says who named it.
    pub source: VaultSource,
    /// Tells whether the user named it for this very run (a flag or
    /// `BOARDSYNC_VAULT`), which allows it to lie outside the home folder.
    pub explicit: bool,
    /// Gives the name that the repository's Session Config has for it.
    pub vault_name: Option<String>,
    /// Holds one sentence for each source that was passed over as broken.
    pub warnings: Vec<String>,
}

/// Is the answer to *which vault?*
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Holds the vault.
    Vault(VaultChoice),
    /// Says that there is to be none for this repository.
    Disabled {
        /// Says why in one sentence, and what to change.
        reason: String,
    },
}

/// Chooses the vault for `repo`, seen from the absolute `cwd`.
///
/// `--vault`, then `BOARDSYNC_VAULT`: these are for this run, and stand whatever
/// any file says. Then, unless the repository's Session Config has a
/// `vault-integration` that is not `enabled: true`: `SO_VAULT_DIR`, `owner.yaml`,
/// the block's `vault-dir`, boardsync's own config file, and the default. All of
/// these but the default must lie under the home folder.
///
/// # Errors
///
/// [`ConfigError`], for a bad flag, an invalid config file of our own, or no
/// home folder. A broken file of somebody else is a warning or a reason instead.
pub fn choose_vault(
    flag: Option<&Path>,
    env: &Env,
    repo: Option<&Path>,
    cwd: &Path,
) -> Result<Choice, ConfigError> {
    if let Some(flag) = flag {
        return explicit(flag, "`--vault`", VaultSource::Flag, env, cwd);
    }
    if let Some(path) = env.path("BOARDSYNC_VAULT") {
        return explicit(
            &path,
            "`BOARDSYNC_VAULT`",
            VaultSource::BoardsyncVault,
            env,
            cwd,
        );
    }
    let home = home(env).ok_or(ConfigError::NoHome { variable: HOME })?;
    let block = match repo.map(|repo| session_block(repo, env)) {
        None => None,
        Some(Ok(block)) => block,
        Some(Err(reason)) => return Ok(Choice::Disabled { reason }),
    };
    let mut warnings = Vec::new();
    let named = named_by_file_or_variable(env, block.as_ref(), &mut warnings)?;
    let (path, source) = match named {
        None => {
            let path = default_vault(env).ok_or(ConfigError::NoHome { variable: HOME })?;
            (path, VaultSource::Default)
        }
        Some(Named {
            text,
            place,
            source,
        }) => match under_home::check(&text, &home) {
            Ok(path) => (path, source),
            Err(refusal) => {
                let reason = format!("the vault that {place} names {refusal}");
                return Ok(Choice::Disabled { reason });
            }
        },
    };
    Ok(Choice::Vault(VaultChoice {
        path,
        source,
        explicit: false,
        vault_name: block.and_then(|(_, block)| block.vault_name),
        warnings,
    }))
}

struct Named {
    text: String,
    place: String,
    source: VaultSource,
}

fn named_by_file_or_variable(
    env: &Env,
    block: Option<&(PathBuf, VaultIntegration)>,
    warnings: &mut Vec<String>,
) -> Result<Option<Named>, ConfigError> {
    if let Some(path) = env.path("SO_VAULT_DIR") {
        return Ok(Some(Named {
            text: path.to_string_lossy().into_owned(),
            place: "`SO_VAULT_DIR`".to_owned(),
            source: VaultSource::SoVaultDir,
        }));
    }
    if let Some(path) = owner_file(env) {
        match owner_vault(&path) {
            Ok(None) => {}
            Ok(Some(text)) => {
                return Ok(Some(Named {
                    text,
                    place: format!("`paths.vault-dir` in `{}`", path.display()),
                    source: VaultSource::OwnerYaml,
                }));
            }
            Err(warning) => warnings.push(warning),
        }
    }
    if let Some((
        file,
        VaultIntegration {
            vault_dir: Some(dir),
            ..
        },
    )) = block
    {
        return Ok(Some(Named {
            text: dir.clone(),
            place: format!("`vault-dir` in `{}`", file.display()),
            source: VaultSource::SessionConfig(file.clone()),
        }));
    }
    let Some(path) = own_config_file(env) else {
        return Ok(None);
    };
    Ok(OwnConfig::read(&path)?.vault.map(|text| Named {
        text,
        place: format!("`vault` in `{}`", path.display()),
        source: VaultSource::OwnConfig,
    }))
}

fn owner_vault(path: &Path) -> Result<Option<String>, String> {
    let passed_over = |fault: String| format!("{fault}; its `paths.vault-dir` is passed over");
    let bytes = match read_regular(path, CAP) {
        Ok(None) => return Ok(None),
        Ok(Some(bytes)) => bytes,
        Err(error) => return Err(passed_over(error.to_string())),
    };
    owner::vault_dir(&String::from_utf8_lossy(&bytes))
        .map_err(|fault| passed_over(format!("`{}` is not valid YAML: {fault}", path.display())))
}

fn explicit(
    path: &Path,
    name: &'static str,
    source: VaultSource,
    env: &Env,
    cwd: &Path,
) -> Result<Choice, ConfigError> {
    let bad = |reason: &str| ConfigError::BadVault {
        name,
        reason: reason.to_owned(),
    };
    let text = path.to_string_lossy();
    if text.trim().is_empty() {
        return Err(bad("it is blank; give the path of a folder"));
    }
    let path = if text.starts_with('~') {
        // A shell has expanded what it knows; what is left came in quotes, as
        // `--vault=~/v`, or from a settings file.
        let home = home(env).ok_or(ConfigError::NoHome { variable: HOME })?;
        under_home::expand(&text, &home).ok_or_else(|| {
            bad("only `~` and `~/…` are expanded; write the whole path, or `./~…` for a folder here")
        })?
    } else {
        path.to_path_buf()
    };
    Ok(Choice::Vault(VaultChoice {
        path: resolve(&path, cwd),
        source,
        explicit: true,
        vault_name: None,
        warnings: Vec::new(),
    }))
}
