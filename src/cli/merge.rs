//! `boardsync merge`: two versions of a board become one; git's merge driver.

use super::context::Context;
use super::outcome::{Exit, Failure, print, warn};
use super::repair;
use crate::board::{Unmergeable, merge_texts, to_bytes};
use crate::disk::rewrite;
use clap::Args;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The arguments of `merge`.
#[derive(Debug, Args)]
#[command(
    override_usage = "boardsync merge [-o OUT] BASE OURS THEIRS\n       boardsync merge --resolve [NOTE]",
    after_help = "Examples:\n  boardsync merge base.md mine.md theirs.md -o merged.md\n  boardsync merge --resolve\n\nWithout -o the result goes to OURS. As a merge driver of git:\n  boardsync merge %O %A %B --path %P\nA note that is not a board is then merged as git merges text; without\n--path that is an error, and OURS stays as it was."
)]
pub struct MergeArgs {
    /// The common ancestor (or an empty file), and the two versions
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write the result to this file; - is stdout
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// The board's path in the repository, as git passes it to its driver
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// Repair a board of the vault that has conflict markers
    #[arg(long, conflicts_with_all = ["output", "path"])]
    pub resolve: bool,
}

/// Runs `boardsync merge`.
pub fn run(context: &Context, args: &MergeArgs) -> Result<Exit, Failure> {
    if args.resolve {
        return repair::run(context, &args.files);
    }
    let [base, ours, theirs] = &args.files[..] else {
        return Err(Failure::Usage(
            "`merge` takes three files, BASE OURS THEIRS; or --resolve".to_owned(),
        ));
    };
    let (base_text, ours_text, theirs_text) = (read(base)?, read(ours)?, read(theirs)?);
    let merged = match merge_texts(&base_text, &ours_text, &theirs_text, context.now) {
        Ok(merged) => to_bytes(merged),
        Err(why) => return unmergeable(args, why, [base, ours, theirs]),
    };
    let out = args.output.as_deref().unwrap_or(ours);
    if out == Path::new("-") {
        print(&String::from_utf8_lossy(&merged))?;
    } else if args.output.is_some() || merged != ours_text {
        write(out, &merged).map_err(|error| {
            Failure::Error(format!("cannot write `{}`: {error}", out.display()))
        })?;
    }
    Ok(Exit::Success)
}

/// Writes where a person said: at the end of a link, and into a pipe or device
/// instead of in its place.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() => rewrite(&fs::canonicalize(path)?, bytes),
        Ok(_) => File::options().write(true).open(path)?.write_all(bytes),
        Err(_) => rewrite(path, bytes),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path)
        .map_err(|error| Failure::Error(format!("cannot read `{}`: {error}", path.display())))
}

/// Leaves what is not a board to git, as whose driver this then acts.
///
/// Git takes an exit code from 1 to 128 for a conflict, and what lies in OURS
/// for the file with its markers: without markers the other side would seem
/// never to have been. So git's own text merge makes that file.
fn unmergeable(
    args: &MergeArgs,
    Unmergeable { is_ours, why }: Unmergeable,
    [base, ours, theirs]: [&PathBuf; 3],
) -> Result<Exit, Failure> {
    let which = if is_ours { ours } else { theirs };
    let Some(path) = args.path.as_ref().filter(|_| args.output.is_none()) else {
        return Err(Failure::Error(format!(
            "cannot merge `{}`: {why}; nothing was written",
            which.display()
        )));
    };
    let side = if is_ours { "our" } else { "their" };
    warn(&format!(
        "{side} version of `{path}` is merged as text: {why}"
    ));
    let merged = Command::new("git")
        .args([
            "merge-file",
            "-q",
            "-L",
            "ours",
            "-L",
            "base",
            "-L",
            "theirs",
        ])
        .args([ours, base, theirs])
        .stdin(Stdio::null())
        .status();
    match merged {
        Ok(status) if status.success() => Ok(Exit::Success),
        _ => Ok(Exit::Error),
    }
}
