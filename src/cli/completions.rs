//! `boardsync completions`: generated from the definition of the command line.

use super::outcome::{Exit, Failure, print};
use super::show::State;
use crate::board::Status;
use clap::{Args, Command, ValueEnum};
use clap_complete::{Shell, generate};

/// The arguments of `completions`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  boardsync completions bash > ~/.local/share/bash-completion/completions/boardsync\n  boardsync completions zsh > ~/.zfunc/_boardsync\n  boardsync completions fish > ~/.config/fish/completions/boardsync.fish"
)]
pub struct CompletionsArgs {
    /// The shell
    shell: Known,
}

/// Completes `--filter state=` in bash, to which `=` is a word of its own.
const BASH_VALUES: &str = r#"
_boardsync_values() {
    local at=$COMP_CWORD value=
    if [[ ${COMP_WORDS[at]} != = ]]; then
        value=${COMP_WORDS[at]}
        ((at -= 1))
    fi
    case "${COMP_WORDS[*]:at < 2 ? 0 : at - 2:3}" in
        "--filter status =") COMPREPLY=($(compgen -W "STATUSES" -- "$value")) ;;
        "--filter state =") COMPREPLY=($(compgen -W "STATES" -- "$value")) ;;
        *) _boardsync "$@" ;;
    esac
}
complete -F _boardsync_values -o bashdefault -o default boardsync
"#;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Known {
    Bash,
    Zsh,
    Fish,
}

/// Runs `boardsync completions` for the command line that `root` defines.
pub fn run(mut root: Command, args: &CompletionsArgs) -> Result<Exit, Failure> {
    let shell = match args.shell {
        Known::Bash => Shell::Bash,
        Known::Zsh => Shell::Zsh,
        Known::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    generate(shell, &mut root, "boardsync", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    if shell == Shell::Bash {
        let values = BASH_VALUES
            .replace("STATUSES", &Status::ALL.map(Status::word).join(" "))
            .replace("STATES", &State::NAMED.map(State::word).join(" "));
        print(&values)?;
    }
    Ok(Exit::Success)
}
