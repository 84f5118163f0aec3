//! What can be typed: the commands and the options of all of them.

use super::{
    close, completions, doctor, exec, frequent, hook, init, ledger, lock, man, merge, prune, row,
    show, sweep, update, watch,
};
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// Keeps one note of which coding session runs where, safely.
///
/// Every session start and end updates one table in a vault of markdown notes.
/// boardsync makes those updates safe beside each other, beside an editor and
/// beside a sync tool, and never makes a session wait for long.
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

impl Cli {
    /// Reads a command line, the program's name first.
    pub fn read(args: &[OsString]) -> Result<Self, clap::Error> {
        frequent::read(args).map_or_else(|| Self::try_parse_from(args), Ok)
    }
}

/// Is what every command takes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Options of all commands")]
pub struct Global {
    /// The vault: a folder of notes [env: BOARDSYNC_VAULT]
    #[arg(long, global = true, value_name = "DIR")]
    pub vault: Option<PathBuf>,
    /// The board, a note's path in the vault [default: 01-projects/_active-sessions.md]
    #[arg(long, global = true, value_name = "NOTE")]
    pub board: Option<String>,
    /// Print one JSON object on stdout
    #[arg(long, global = true)]
    pub json: bool,
    /// Print nothing on stdout; warnings stay
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Show the steps of the lock, with timings, on stderr
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// The label of this process in the lock's record
    #[arg(long, global = true, value_name = "LABEL")]
    pub holder: Option<String>,
}

impl Global {
    /// Lists the options that take the next word, for who looks before parsing.
    pub const WITH_VALUE: [&str; 3] = ["--vault", "--board", "--holder"];

    /// Gives the board's path in the vault.
    pub fn board(&self) -> &str {
        self.board.as_deref().unwrap_or(crate::vault::DEFAULT_BOARD)
    }
}

/// Is what can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Bring the rows of repositories up to date
    Update(update::UpdateArgs),
    /// Mark repositories as closed
    Close(close::CloseArgs),
    /// Bring the rows of all busy repositories of this host up to date
    Sweep(sweep::SweepArgs),
    /// Bring a row up to date from a coding agent's hook
    Hook(hook::HookArgs),
    /// Run a command under the lock
    Exec(exec::ExecArgs),
    /// Show the board
    Show(show::ShowArgs),
    /// Show the board live
    Watch(watch::WatchArgs),
    /// See who holds the lock, or clear away a stale one
    Lock(lock::LockArgs),
    /// Count what the updates of a repository came to
    Ledger(ledger::LedgerArgs),
    /// Write what makes a shell complete this command line
    Completions(completions::CompletionsArgs),
    /// Write the manual page of a command
    Man(man::ManArgs),
    /// Check the vault, and say what is to be done
    Doctor(doctor::DoctorArgs),
    /// Set up a vault and the hooks that keep its board, or take them away
    Init(init::InitArgs),
    /// Drop rows that nobody needs any more, or put them back
    Prune(prune::PruneArgs),
    /// Merge two versions of a board, or repair one with conflict markers
    Merge(merge::MergeArgs),
    /// Get, set or remove one row of a table in any note
    Row(row::RowArgs),
}
