//! What a command works with: options and environment, read once, as plain values.

use super::global::Global;
use super::outcome::{Failure, trace};
use super::variables::{Reader, Sync, Variables};
use crate::Timestamp;
use crate::config::vault::{AllowedLinks, BoardPlace, VaultError};
use crate::config::{self, Choice, Env, OwnConfig, VaultSource};
use crate::disk::Durability;
use crate::edit::ActivityCell;
use crate::lock::LockOptions;
use crate::session::Repo;
use std::path::{Path, PathBuf};

/// The variable in which `exec` hands the token of its lock down to its command.
pub const INHERITED_LOCK: &str = "BOARDSYNC_INHERITED_LOCK";

/// The request, before anything is looked at.
#[derive(Debug)]
pub struct Context {
    pub global: Global,
    pub env: Env,
    pub cwd: PathBuf,
    pub now: Timestamp,
    pub on_signal: OnSignal,
    pub variables: Variables,
}

/// The effect of SIGINT, SIGTERM and SIGHUP on a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnSignal {
    /// They end its wait for a lock, and then the process.
    End,
    /// Nothing: it is over in a moment.
    Finish,
}

/// The board that a command works on, or the reason why it has none.
pub enum Chosen {
    Board(BoardPlace),
    Disabled { reason: String },
}

impl Context {
    /// Reads the environment, and reports its mistakes before anything runs.
    pub fn new(global: Global) -> Result<Self, Failure> {
        Self::read(global, OnSignal::End, Err)
    }

    /// Reads the environment; `on_mistake` says whether a mistake in it ends the
    /// command, or the default stands.
    pub fn read(
        global: Global,
        on_signal: OnSignal,
        on_mistake: impl FnMut(Failure) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let env = Env::system();
        let cwd = std::env::current_dir().ok().or_else(|| env.path("PWD"));
        let mut reader = Reader {
            env: &env,
            on_mistake,
        };
        Ok(Self {
            global,
            cwd: cwd.unwrap_or_else(|| PathBuf::from("/")),
            now: reader.now()?,
            on_signal,
            variables: Variables::read(&mut reader)?,
            env,
        })
    }

    /// Returns the home folder, if it is known.
    pub fn home(&self) -> Option<PathBuf> {
        config::home(&self.env)
    }

    /// Reads whether rows may show what their sessions do.
    pub fn activity_cell(&self) -> ActivityCell {
        let file = config::own_config_file(&self.env);
        let own = file.and_then(|file| OwnConfig::read(&file).ok());
        match own.and_then(|own| own.activity) {
            Some(false) => ActivityCell::Off,
            Some(true) | None => ActivityCell::On,
        }
    }

    /// Identifies the repository at `path`, under the name that its configuration gives it.
    pub fn repo(&self, path: &Path) -> Repo {
        let repo = Repo::at(path, &self.cwd);
        let name = config::vault_name(&repo.path, &self.env);
        repo.named(name)
    }

    /// Finds the board for `repo`.
    pub fn choose(&self, repo: Option<&Path>) -> Result<Chosen, Failure> {
        self.choose_note(repo, self.global.board())
    }

    fn choose_note(&self, repo: Option<&Path>, note: &str) -> Result<Chosen, Failure> {
        let flag = self.global.vault.as_deref();
        let choice = config::choose_vault(flag, &self.env, repo, &self.cwd).map_err(Failure::of)?;
        let choice = match choice {
            Choice::Vault(choice) => choice,
            Choice::Disabled { reason } => return Ok(Chosen::Disabled { reason }),
        };
        for warning in &choice.warnings {
            super::outcome::warn(warning);
        }
        // The default vault is made by the first write; looking makes nothing.
        let is_to_come = choice.source == VaultSource::Default && !choice.path.exists();
        let find = if is_to_come {
            BoardPlace::within
        } else {
            BoardPlace::find
        };
        let home = self.home();
        let links = AllowedLinks::of(&choice.source, home.as_deref());
        let mut place = match find(&choice.path, note, links) {
            Ok(place) => place,
            Err(error @ VaultError::Untrusted(_)) => {
                let reason = error.to_string();
                return Ok(Chosen::Disabled { reason });
            }
            Err(error) => return Err(Failure::of(error)),
        };
        place.lock_file = self.named_lock_file();
        Ok(Chosen::Board(place))
    }

    /// Finds the board for a command that has no repository.
    pub fn place(&self) -> Result<BoardPlace, Failure> {
        self.place_of(self.global.board())
    }

    /// Finds a note of the vault for a command that has no repository.
    pub fn place_of(&self, note: &str) -> Result<BoardPlace, Failure> {
        match self.choose_note(Some(&self.cwd), note)? {
            Chosen::Board(place) => Ok(place),
            Chosen::Disabled { reason } => Err(Failure::Error(reason)),
        }
    }

    /// Returns the path of the lock that the environment names.
    pub fn named_lock_file(&self) -> Option<PathBuf> {
        let named = self.env.path("BOARDSYNC_LOCK_FILE");
        named.map(|path| self.cwd.join(path))
    }

    /// Returns the options of the lock of the board at `place`, for this command.
    pub fn lock_options(&self, place: &BoardPlace) -> LockOptions {
        LockOptions {
            // Whoever wrote a record must be able to read it again.
            mode: place.mode & 0o666 | 0o600,
            ..self.lock_options_for(command())
        }
    }

    /// Returns the options of a lock that a process shows as held by `command`.
    pub fn lock_options_for(&self, command: String) -> LockOptions {
        let variables = &self.variables;
        LockOptions {
            patience: variables.patience,
            poll: variables.poll,
            staleness: variables.staleness,
            skip: variables.skip_lock,
            aliases_file: config::host_aliases_file(&self.env),
            holder: self.global.holder.clone(),
            command: Some(command),
            inherited: self.env.text(INHERITED_LOCK).map(str::to_owned),
            durability: match variables.sync {
                Sync::Full => Durability::Synced,
                Sync::Board | Sync::None => Durability::Unsynced,
            },
            trace: self.global.verbose.then(trace),
            ..LockOptions::default()
        }
    }
}

/// What may stand before the command with a value of its own; a test asks clap.
const GLOBAL_OPTIONS_WITH_VALUE: [&str; 3] = ["--vault", "--board", "--holder"];

/// Names the program and its command, and no values: others may read it.
fn command() -> String {
    let mut args = std::env::args_os().skip(1);
    while let Some(arg) = args.next() {
        if GLOBAL_OPTIONS_WITH_VALUE
            .iter()
            .any(|option| arg == *option)
        {
            args.next();
        } else if !arg.to_string_lossy().starts_with('-') {
            return format!("boardsync {}", arg.to_string_lossy());
        }
    }
    "boardsync".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_global_option_with_a_value_is_known() {
        let command = <Global as clap::Args>::augment_args(clap::Command::new("boardsync"));
        let with_value: Vec<String> = command
            .get_arguments()
            .filter(|arg| arg.get_action().takes_values())
            .filter_map(|arg| arg.get_long().map(|name| format!("--{name}")))
            .collect();
        assert_eq!(with_value, GLOBAL_OPTIONS_WITH_VALUE);
    }
}
