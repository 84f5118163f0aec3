//! What can be typed: one entry per command.

use super::global::Global;
use super::{
    close, completions, doctor, exec, hook, init, ledger, lock, man, merge, prune, row, show,
    status, sweep, update, watch,
};
use clap::{Parser, Subcommand};

/// Keeps one note of which coding session runs where.
///
/// Every session start and end updates one table in a vault of markdown notes.
/// boardsync makes those updates safe against each other, an editor and a sync
/// tool, and never keeps a session waiting for long.
#[derive(Debug, Parser)]
#[command(
    name = "boardsync",
    version,
    after_help = "Examples:\n  boardsync update --repo . --status in-progress\n  boardsync show\n\nThe vault is --vault, else $BOARDSYNC_VAULT, else what the repository's\nconfiguration names, else a vault in your data folder."
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the board
    Show(show::ShowArgs),
    /// Show the board, and keep it up to date
    Watch(watch::WatchArgs),
    /// Print one line for a prompt or a status line: `2 waiting · 7 working`
    Status(status::StatusArgs),
    /// Set up a vault and hooks, or undo the set-up
    Init(init::InitArgs),
    /// Check the vault and suggest fixes
    Doctor(doctor::DoctorArgs),
    /// Update the rows of repositories
    Update(update::UpdateArgs),
    /// Mark repositories as closed
    Close(close::CloseArgs),
    /// Update the rows of all busy repositories of this host
    Sweep(sweep::SweepArgs),
    /// Record an event of a coding agent; called by its hooks
    Hook(hook::HookArgs),
    /// Run a command under the lock
    Exec(exec::ExecArgs),
    /// Show who holds the lock, or remove a stale one
    Lock(lock::LockArgs),
    /// Summarise the outcomes of the updates of a repository
    Ledger(ledger::LedgerArgs),
    /// Drop old rows, or put them back
    Prune(prune::PruneArgs),
    /// Merge two versions of a board, or repair one with conflict markers
    Merge(merge::MergeArgs),
    /// Get, set or remove one row of a table in any note
    Row(row::RowArgs),
    /// Generate shell completions
    Completions(completions::CompletionsArgs),
    /// Generate manual pages
    Man(man::ManArgs),
}
