//! The options that every command takes.

use clap::Args;
use std::path::PathBuf;

/// The options of all commands.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Options of all commands")]
pub struct Global {
    /// The vault: a folder of notes [env: BOARDSYNC_VAULT]
    #[arg(long, global = true, value_name = "DIR", display_order = 100)]
    pub vault: Option<PathBuf>,
    /// The board: path of a note in the vault [default: 01-projects/_active-sessions.md]
    #[arg(long, global = true, value_name = "NOTE", display_order = 101)]
    pub board: Option<String>,
    /// Print one JSON object on stdout
    #[arg(long, global = true, display_order = 102, conflicts_with = "quiet")]
    pub json: bool,
    /// Print nothing on stdout; warnings still go to stderr
    #[arg(short, long, global = true, display_order = 103)]
    pub quiet: bool,
    /// Print the steps of the lock, with timings, on stderr
    #[arg(
        short,
        long,
        global = true,
        display_order = 104,
        hide_short_help = true
    )]
    pub verbose: bool,
    /// Label of this process in the lock's record [default: board-writer-PID-RANDOM]
    #[arg(
        long,
        global = true,
        value_name = "LABEL",
        display_order = 105,
        hide_short_help = true
    )]
    pub holder: Option<String>,
}

impl Global {
    /// Returns the board's path in the vault.
    pub fn board(&self) -> &str {
        self.board
            .as_deref()
            .unwrap_or(crate::config::vault::DEFAULT_BOARD)
    }
}
