//! Which vault: the first source that names one and is allowed to, unless the repository
//! forbids it.

use super::ConfigError;
use super::choice::{Choice, VaultSource};
use super::env::{Env, HOME};
use super::folders::{default_vault, home, own_config_file, owner_file};
use super::named_file;
use super::own::OwnConfig;
use super::owner;
use super::session_file::session_block;
use super::trust::may_be_named_by;
use super::under_home;
use crate::disk::absolute_path;
use crate::printable::shell_quoted;
use std::path::{Path, PathBuf};

/// The greatest size of `owner.yaml`, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// Chooses the vault for `repo`, seen from the absolute `cwd`.
///
/// `--vault`, then `BOARDSYNC_VAULT`: these are for this run, and stand whatever
/// any file says, even outside the home folder. Then, unless the repository's
/// Session Config has a `vault-integration` that is not `enabled: true`:
/// `SO_VAULT_DIR`, `owner.yaml`, the block's `vault-dir` as far as the user
/// allows it, `vault` of boardsync's own config file, and the default. All of
/// these but the last two must lie under the home folder.
///
/// A repository may have been cloned from anybody. So its word counts if `vault`
/// or `vaults` of the own config file has the same vault, or, where the user has
/// named none at all, if [`may_be_named_by`] finds nothing against it.
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
        let source = VaultSource::BoardsyncVault;
        return explicit(&path, "`BOARDSYNC_VAULT`", source, env, cwd);
    }
    let home = home(env).ok_or(ConfigError::NoHome { variable: HOME })?;
    let block = match repo.map(|repo| session_block(repo, env)) {
        None => None,
        Some(Ok(block)) => block,
        Some(Err(reason)) => return Ok(Choice::Disabled { reason }),
    };
    let mut warnings = Vec::new();
    if let Some(named) = named_for_session_orchestrator(env, &mut warnings) {
        return Ok(named.choice(&home, warnings));
    }
    let own_file = own_config_file(env);
    let own = match &own_file {
        Some(file) => OwnConfig::read(file)?,
        None => OwnConfig::default(),
    };
    if let (Some(repo), Some((file, Some(dir)))) =
        (repo, block.map(|(file, block)| (file, block.vault_dir)))
    {
        match named_by_repository(repo, file, dir, &own, own_file.as_deref(), &home) {
            Ok((path, source)) => return Ok(Choice::of(path, source, warnings)),
            Err(reason) if own.vault.is_none() => return Ok(Choice::Disabled { reason }),
            Err(reason) => warnings.push(format!("{reason}; your own vault is used")),
        }
    }
    match (own.vault, own_file) {
        (Some(text), Some(file)) => {
            // The user's own word, and no other program reads the file: it may
            // lead out of the home folder.
            let path = under_home::expand(text.trim(), &home).filter(|path| path.is_absolute());
            let path = path.map(|path| absolute_path(&path, &home));
            if let Some(path) = path.filter(|path| *path != home) {
                return Ok(Choice::of(path, VaultSource::OwnConfig, warnings));
            }
            let named = Named {
                text,
                by: format!("`vault` in `{}`", file.display()),
                source: VaultSource::OwnConfig,
            };
            Ok(named.choice(&home, warnings))
        }
        _ => {
            let path = default_vault(env).ok_or(ConfigError::NoHome { variable: HOME })?;
            Ok(Choice::of(path, VaultSource::Default, warnings))
        }
    }
}

/// A vault as the user names it for all repositories.
struct Named {
    text: String,
    by: String,
    source: VaultSource,
}

impl Named {
    fn choice(self, home: &Path, warnings: Vec<String>) -> Choice {
        match under_home::check(&self.text, home) {
            Ok(path) => Choice::of(path, self.source, warnings),
            Err(refusal) => Choice::Disabled {
                reason: format!("the vault that {} names {refusal}", self.by),
            },
        }
    }
}

fn named_for_session_orchestrator(env: &Env, warnings: &mut Vec<String>) -> Option<Named> {
    if let Some(path) = env.path("SO_VAULT_DIR") {
        return Some(Named {
            text: path.to_string_lossy().into_owned(),
            by: "`SO_VAULT_DIR`".to_owned(),
            source: VaultSource::SoVaultDir,
        });
    }
    let path = owner_file(env)?;
    match owner_vault(&path) {
        Ok(text) => Some(Named {
            text: text?,
            by: format!("`paths.vault-dir` in `{}`", path.display()),
            source: VaultSource::OwnerYaml,
        }),
        Err(warning) => {
            warnings.push(warning);
            None
        }
    }
}

/// Returns the vault that the block in `file` names, or why it is not used.
fn named_by_repository(
    repo: &Path,
    file: PathBuf,
    dir: String,
    own: &OwnConfig,
    own_file: Option<&Path>,
    home: &Path,
) -> Result<(PathBuf, VaultSource), String> {
    let refused = |fault: String| {
        let shown = file.display();
        format!("the vault that `vault-dir` in `{shown}` names {fault}")
    };
    let path = under_home::check(&dir, home).map_err(&refused)?;
    if own.allows(&path, home) {
        return Ok((path, VaultSource::AllowedSessionConfig(file)));
    }
    let trusted = if own.names_any() {
        Err("is not one of yours".to_owned())
    } else {
        may_be_named_by(repo, &path, home)
    };
    let own_file = own_file.map_or_else(String::new, |file| format!(" in `{}`", file.display()));
    trusted.map_err(|fault| {
        refused(format!(
            "(`{dir}`) {fault}; if you trust it, run `boardsync init --vault {}`, \
             or add it to `vaults`{own_file}",
            shell_quoted(&dir)
        ))
    })?;
    Ok((path, VaultSource::SessionConfig(file)))
}

fn owner_vault(path: &Path) -> Result<Option<String>, String> {
    let passed_over = |fault: String| format!("{fault}; its `paths.vault-dir` is passed over");
    let bytes = match named_file::read(path, MAX_BYTES) {
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
    Ok(Choice::of(absolute_path(&path, cwd), source, Vec::new()))
}
