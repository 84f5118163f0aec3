//! What can be typed: one entry per command.

use super::global::Global;
use super::{
    close, completions, doctor, exec, hook, init, ledger, lock, man, merge, prune, row, show,
    status, sweep, update, watch,
};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, FromArgMatches, Parser, Subcommand};

/// Keeps one note of which coding session runs where.
///
/// Every session start and end updates one table in a vault of markdown notes.
/// boardsync makes those updates safe against each other, an editor and a sync
/// tool, and never keeps a session waiting for long.
#[derive(Debug, Parser)]
#[command(
    name = "boardsync",
    version,
    after_help = "Examples:\n  boardsync init\n  boardsync show\n  boardsync update --repo . --status in-progress\n\nThe vault is --vault, else $BOARDSYNC_VAULT, else what the repository's\nconfiguration names, else a vault in your data folder."
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Defines each command only once it is named: defining all of them takes longer
/// than most updates. Otherwise it is what clap derives.
macro_rules! commands {
    ($($name:literal => $variant:ident($args:ty), $about:literal;)+) => {
        /// The commands.
        #[derive(Debug)]
        pub enum Command {
            $($variant($args),)+
        }

        impl Subcommand for Command {
            fn augment_subcommands(command: clap::Command) -> clap::Command {
                // Of a global option, clap makes a copy for each command; here only
                // the one that is named has them.
                let command = command.mut_args(|option| option.global(false));
                command$(.subcommand(clap::Command::new($name).about($about).defer(
                    |command| {
                        let command = <$args>::augment_args(command);
                        Global::augment_args(command).about($about).long_about(None)
                    },
                )))+
            }

            fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
                Self::augment_subcommands(command)
            }

            fn has_subcommand(name: &str) -> bool {
                [$($name),+].contains(&name)
            }
        }

        impl FromArgMatches for Command {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                match matches.subcommand() {
                    $(Some(($name, matches)) => {
                        <$args>::from_arg_matches(matches).map(Self::$variant)
                    })+
                    _ => Err(clap::Error::new(ErrorKind::MissingSubcommand)),
                }
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }
    };
}

commands! {
    "show" => Show(show::ShowArgs), "Show the board";
    "watch" => Watch(watch::WatchArgs), "Show the board, and keep it up to date";
    "status" => Status(status::StatusArgs), "Print one line for a prompt or a status line: `2 waiting · 7 working`";
    "init" => Init(init::InitArgs), "Set up a vault and hooks, or undo the set-up";
    "doctor" => Doctor(doctor::DoctorArgs), "Check the vault and suggest fixes";
    "update" => Update(update::UpdateArgs), "Update the rows of repositories";
    "close" => Close(close::CloseArgs), "Mark repositories as closed";
    "sweep" => Sweep(sweep::SweepArgs), "Update the rows of all busy repositories of this host";
    "hook" => Hook(hook::HookArgs), "Record an event of a coding agent; called by its hooks";
    "exec" => Exec(exec::ExecArgs), "Run a command under the lock";
    "lock" => Lock(lock::LockArgs), "Show who holds the lock, or remove a stale one";
    "ledger" => Ledger(ledger::LedgerArgs), "Summarise the outcomes of the updates of a repository";
    "prune" => Prune(prune::PruneArgs), "Drop old rows, or put them back";
    "merge" => Merge(merge::MergeArgs), "Merge two versions of a board, or repair one with conflict markers";
    "row" => Row(row::RowArgs), "Get, set or remove one row of a table in any note";
    "completions" => Completions(completions::CompletionsArgs), "Generate shell completions";
    "man" => Man(man::ManArgs), "Generate manual pages";
}
