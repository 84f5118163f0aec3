//! `boardsync completions`: made of the command line's own definition.

use super::args::Cli;
use super::outcome::{Exit, Failure, print};
use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::{Shell, generate};

/// Is what `completions` takes.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  boardsync completions bash > ~/.local/share/bash-completion/completions/boardsync\n  boardsync completions zsh > ~/.zfunc/_boardsync\n  boardsync completions fish > ~/.config/fish/completions/boardsync.fish"
)]
pub struct CompletionsArgs {
    /// The shell
    shell: Known,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Known {
    Bash,
    Zsh,
    Fish,
}

/// Runs `boardsync completions`.
pub fn run(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let shell = match args.shell {
        Known::Bash => Shell::Bash,
        Known::Zsh => Shell::Zsh,
        Known::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "boardsync", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}
