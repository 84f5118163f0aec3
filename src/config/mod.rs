//! Choosing the vault and the options: flags, then environment, then files.
//!
//! [`choose_vault`] is the whole story; each source has its own file. The
//! environment comes in as a value ([`Env`]). No file is read before its turn:
//! with `--vault`, none is.

mod choice;
mod choose;
mod env;
mod folders;
pub(crate) mod named_file;
mod own;
pub mod owner;
pub mod session_config;
mod session_file;
mod trust;
mod under_home;
pub mod vault;

pub use choice::{Choice, VaultChoice, VaultSource};
pub use choose::choose_vault;
pub use env::Env;
pub use folders::{
    below_home, board_state_file, default_vault, home, host_aliases_file, own_config_file,
    owner_file, private_dir, registry_dir, state_dir,
};
pub use own::{OwnConfig, sweep_roots};
#[cfg(feature = "cli")]
pub(crate) use session_file::is_named_by_repository;
pub use session_file::{cross_repo_projects, vault_name};
pub use trust::may_be_named_by;
pub use under_home::check as check_under_home;

use named_file::FileError;
use std::path::PathBuf;

/// The reason why no choice could be made.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file exists and cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// boardsync's own config file is invalid.
    #[error("`{}` is not a valid config file ({reason}); correct or remove it", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Where and why, in a few words.
        reason: String,
    },
    /// An explicit vault with no path, or in another user's home.
    #[error("{name} names no vault: {reason}")]
    BadVault {
        /// The flag or the variable.
        name: &'static str,
        /// Why, and what to write instead.
        reason: String,
    },
    /// The home folder is not known.
    #[error("the home folder is not known; set `{variable}`, or name a vault with `--vault`")]
    NoHome {
        /// The variable that holds the home folder on this system.
        variable: &'static str,
    },
}
