//! `boardsync man`: manual pages, generated from the definition of the command line.

use super::outcome::{Exit, Failure, print};
use clap::{Args, Command};
use clap_mangen::Man;
use std::path::{Path, PathBuf};

/// The arguments of `man`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  boardsync man | man -l -\n  boardsync man lock status | man -l -\n  boardsync man --out ~/.local/share/man/man1"
)]
pub struct ManArgs {
    /// The command that the page is about, like `lock status`
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

/// Runs `boardsync man` for the command line that `root` defines.
pub fn run(root: Command, args: &ManArgs) -> Result<Exit, Failure> {
    let mut root = root.disable_help_subcommand(true);
    root.build();
    if let Some(folder) = &args.out {
        let cannot = |error| {
            let folder = folder.display();
            Failure::Error(format!(
                "cannot write manual pages into `{folder}`: {error}"
            ))
        };
        std::fs::create_dir_all(folder).map_err(cannot)?;
        write_all(&root, folder).map_err(cannot)?;
    } else {
        let mut command = &root;
        for name in &args.command {
            command = command.find_subcommand(name).ok_or_else(|| {
                Failure::Usage(format!(
                    "there is no command `{name}`: `boardsync help` lists them"
                ))
            })?;
        }
        print(&String::from_utf8_lossy(
            &page(command).map_err(Failure::of)?,
        ))?;
    }
    Ok(Exit::Success)
}

fn page(command: &Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone())
        .source(concat!("boardsync ", env!("CARGO_PKG_VERSION")))
        .render(&mut page)?;
    Ok(page)
}

/// Writes the page of `command`, then those of the commands below it.
fn write_all(command: &Command, folder: &Path) -> std::io::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    std::fs::write(folder.join(format!("{name}.1")), page(command)?)?;
    command
        .get_subcommands()
        .try_for_each(|below| write_all(below, folder))
}
