//! `boardsync man`: manual pages, generated from the definition of the command line.

mod sections;

use super::outcome::{Exit, Failure, print};
use clap::{Args, Command};
use clap_mangen::Man;
use sections::SECTIONS;
use std::io::{self, Write};
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
                Failure::Usage(format!("unknown command `{name}`; see `boardsync help`"))
            })?;
        }
        print(&String::from_utf8_lossy(
            &page(command).map_err(Failure::of)?,
        ))?;
    }
    Ok(Exit::Success)
}

fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let man = Man::new(command.clone()).source(concat!("boardsync ", env!("CARGO_PKG_VERSION")));
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(help) = command.get_after_help() {
        examples_and_notes(&mut page, &help.to_string())?;
    }
    for (title, entries) in SECTIONS {
        writeln!(page, ".SH {title}")?;
        for (name, text) in entries {
            writeln!(page, ".TP\n\\fB{}\\fR\n{}", roff(name), roff(text))?;
        }
    }
    Ok(page)
}

/// Writes the text below the help of a command: examples as they are typed, then prose.
fn examples_and_notes(page: &mut Vec<u8>, help: &str) -> io::Result<()> {
    let mut paragraphs = help.split("\n\n").peekable();
    let is_example = |paragraph: &&str| paragraph.starts_with("Example");
    if let Some(examples) = paragraphs.next_if(is_example) {
        writeln!(page, ".SH EXAMPLES\n.nf")?;
        for line in examples.lines().skip(1) {
            writeln!(page, "{}", roff(line.strip_prefix("  ").unwrap_or(line)))?;
        }
        writeln!(page, ".fi")?;
    }
    if paragraphs.peek().is_some() {
        writeln!(page, ".SH NOTES")?;
    }
    for paragraph in paragraphs {
        writeln!(page, ".PP")?;
        for line in paragraph.lines() {
            writeln!(page, "{}", roff(line))?;
        }
    }
    Ok(())
}

/// Escapes a line of text for roff.
fn roff(line: &str) -> String {
    let text = line.replace('\\', "\\e").replace('-', "\\-");
    match text.starts_with(['.', '\'']) {
        true => format!("\\&{text}"),
        false => text,
    }
}

/// Writes the page of `command`, then those of the commands below it.
fn write_all(command: &Command, folder: &Path) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    std::fs::write(folder.join(format!("{name}.1")), page(command)?)?;
    command
        .get_subcommands()
        .try_for_each(|below| write_all(below, folder))
}
