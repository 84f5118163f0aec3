//! Setting boardsync up, taking it away, and looking whether it works.
//!
//! What `init` changes is a list of [`Change`]s: all are planned, and can be
//! shown, before any is made. What `doctor` looks at is the list [`CHECKS`].

mod agents;
mod change;
mod check;
mod checks;
mod file_edit;
mod git;
mod hook_command;
mod hook_settings;
mod hooks;
mod ignore;
mod installed;
mod lines;

mod merge_driver;
mod obstacles;
mod own_config;
mod settings_file;
mod text_file;
mod whole_file;

pub use change::{Change, Revert, make};
pub use check::{Finding, Findings, Inspection};
pub use checks::CHECKS;
pub use hooks::{agent_names, plan as plan_hooks};
pub use ignore::plan as plan_ignored;
pub use merge_driver::plan as plan_merge_driver;
pub use own_config::plan as plan_config;

use crate::config::{Env, VaultChoice};
use std::path::Path;

/// The reason why something cannot be set up, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(pub String);

/// The direction of a set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It is put in place.
    SetUp,
    /// It is taken away.
    Undo,
}

/// The owner of the settings that hold the hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user's own: all repositories.
    User,
    /// Those of the repository in the current folder, on this host.
    Project,
}

/// The events at which hooks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Events {
    /// Start and end, and what tells working, waiting and idle apart.
    All,
    /// Start and end only.
    StartAndEnd,
}

/// A set-up to make or to remove.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The environment.
    pub env: &'a Env,
    /// The current folder.
    pub cwd: &'a Path,
    /// The vault, which need not exist yet if it is the default one.
    pub vault: VaultChoice,
    /// The board, a note's path in the vault.
    pub board: &'a str,
    /// The direction.
    pub direction: Direction,
    /// Whose settings hold the hooks.
    pub scope: Scope,
    /// The agents that were named; none: those that are installed.
    pub agents: &'a [String],
    /// The events at which hooks run.
    pub events: Events,
    /// Whether git should merge the board by its rows.
    pub with_git: bool,
}
