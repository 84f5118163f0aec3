//! Running git in a vault, without running anything that the vault brings.

use crate::config::VaultChoice;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Variables of git that the user may have set for all repositories; the
/// others name the repository for which a hook of git is running.
const KEPT: [&str; 4] = [
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
];

/// git, in one folder that the user named.
#[derive(Clone, Debug)]
pub struct Git {
    folder: PathBuf,
}

impl Git {
    /// Creates it for a vault; `None` if only a repository named the vault.
    ///
    /// The configuration of a repository can name programs, so git is run only
    /// where the user named the vault, and with those programs switched off
    /// that the commands used here would run (git-config(1)).
    pub fn in_vault(vault: &VaultChoice) -> Option<Self> {
        vault.source.is_named_by_user().then(|| Self {
            folder: vault.path.clone(),
        })
    }

    /// Runs a command; gives what it printed, or `None` if it failed.
    pub fn run(&self, args: &[&str]) -> Result<Option<String>, String> {
        let (code, text) = self.code(args)?;
        Ok((code == Some(0)).then_some(text))
    }

    /// Runs a command; gives its exit code and what it printed.
    pub fn code(&self, args: &[&str]) -> Result<(Option<i32>, String), String> {
        let mut git = Command::new("git");
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("GIT_") && !KEPT.contains(&&*name) {
                git.env_remove(&*name);
            }
        }
        let no_hooks = if cfg!(windows) { "NUL" } else { "/dev/null" };
        let output = git
            .env("GIT_OPTIONAL_LOCKS", "0")
            .arg("-C")
            .arg(&self.folder)
            .args([
                "-c",
                "core.fsmonitor=false",
                "-c",
                "safe.bareRepository=explicit",
            ])
            .arg("-c")
            .arg(format!("core.hooksPath={no_hooks}"))
            .args(args)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot run `git`: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok((output.status.code(), text.trim_end_matches('\n').to_owned()))
    }
}

/// Returns whether a folder lies in a git repository, without running git.
pub fn is_in_git(folder: &Path) -> bool {
    folder
        .ancestors()
        .any(|folder| folder.join(".git").exists())
}
