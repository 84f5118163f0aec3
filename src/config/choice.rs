//! The vault that was chosen, and who named it.

use std::path::PathBuf;

/// The one who named the vault.
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
    /// `vault-integration.vault-dir` in this file of the repository, allowed by
    /// `vault` or `vaults` of boardsync's own config file.
    AllowedSessionConfig(PathBuf),
    /// `vault-integration.vault-dir` in this file of the repository, and nobody
    /// else.
    SessionConfig(PathBuf),
    /// `vault` of boardsync's own config file.
    OwnConfig,
    /// Nobody: the vault in the user's data folder.
    Default,
}

impl VaultSource {
    /// Returns whether the choice is the user's own, so that the vault's files may
    /// be trusted with more than a board: git may be run there, and links in it
    /// are followed.
    ///
    /// False only for a vault that nothing but a repository names, which may have
    /// been cloned from anybody.
    pub fn is_named_by_user(&self) -> bool {
        !matches!(self, Self::SessionConfig(_))
    }
}

/// The vault that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultChoice {
    /// The absolute path, which need not exist where the user named it.
    pub path: PathBuf,
    /// Who named it.
    pub source: VaultSource,
    /// One sentence for each source that was passed over.
    pub warnings: Vec<String>,
}

/// The answer to *which vault?*
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The vault.
    Vault(VaultChoice),
    /// This repository has no vault.
    Disabled {
        /// Why, in one sentence, and what to change.
        reason: String,
    },
}

impl Choice {
    /// Makes the choice of the vault at `path`.
    pub(super) fn of(path: PathBuf, source: VaultSource, warnings: Vec<String>) -> Self {
        Self::Vault(VaultChoice {
            path,
            source,
            warnings,
        })
    }
}
