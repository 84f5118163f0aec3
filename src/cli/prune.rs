//! `boardsync prune`: drops old rows, and puts them back.

mod drop_rules;

use super::context::Context;
use super::edit::{accepted, edit};
use super::outcome::{Exit, Failure, print, print_json};
use crate::board::Field;
use crate::board::Row;
use crate::disk::Entry;
use crate::edit::{Action, Dropped, EditOptions, Prune, Report, Restore};
use crate::printable::printable;
use clap::Args;
use drop_rules::DropRules;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The arguments of `prune`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  boardsync prune --dry-run\n  boardsync prune --closed-older-than 7d\n  boardsync prune --missing --root ~/work\n  boardsync prune --undo\n\nThe dropped rows are kept in `.orchestrator/backups/` of the vault, the last 20\ntimes; --undo puts those of the last time back, and newer rows stay.\n\n--missing looks for the repositories of this host below the home folder, the\nroots of a sweep and each --root, two levels deep. A row goes only if its key is\nthat of a path whose folder is gone while its neighbours are there, and if no\nsession was seen in it for 4 h; where nothing is known of it, it stays."
)]
pub struct PruneArgs {
    /// Drop closed rows older than this, like 12h, 30d or 8w
    #[arg(long, value_name = "AGE", default_value = "30d", value_parser = crate::duration::parse)]
    closed_older_than: Duration,
    /// Also drop rows of this host whose folder is gone
    #[arg(long)]
    missing: bool,
    /// Also look for repositories in this folder
    #[arg(long, value_name = "DIR", requires = "missing")]
    root: Vec<PathBuf>,
    /// Print what would be dropped, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Put back the rows that the last prune dropped
    #[arg(long, conflicts_with_all = ["missing", "closed_older_than"])]
    undo: bool,
}

/// Runs `boardsync prune`.
pub fn run(context: &Context, args: &PruneArgs) -> Result<Exit, Failure> {
    let place = context.place()?;
    let dry_run = |options: &mut EditOptions| options.dry_run = args.dry_run.into();
    if args.undo {
        let Some(mut restore) = Restore::last(&place)? else {
            return Err(Failure::Error(format!(
                "nothing to undo: no dropped rows of `{}`",
                place.board.display()
            )));
        };
        let report = accepted(edit(context, &place, &mut restore, dry_run)?)?;
        return show_restored(context, &report, &restore.backup.path());
    }
    let rules = DropRules::new(context, args)?;
    let why = |row: &Row| rules.why(row);
    let mut prune = Prune::new(&why);
    let report = accepted(edit(context, &place, &mut prune, dry_run)?)?;
    show_pruned(context, &report, &prune, &rules.unknown.borrow())
}

fn show_pruned(
    context: &Context,
    report: &Report,
    prune: &Prune,
    unknown: &BTreeSet<String>,
) -> Result<Exit, Failure> {
    let Prune {
        dropped,
        backup,
        expired,
        ..
    } = prune;
    if context.global.json {
        let path = |entry: &Entry| Value::from(entry.path().to_string_lossy());
        let mut object = serde_json::to_value(report).map_err(Failure::of)?;
        object["dropped"] = dropped.iter().map(object_of).collect();
        object["unknown"] = unknown.iter().cloned().collect();
        object["backup"] = backup.as_ref().map_or(Value::Null, path);
        object["expired"] = expired.iter().map(path).collect();
        print_json(&object)?;
    } else if !context.global.quiet {
        let mut text = rows(report, dropped, unknown);
        for entry in expired {
            text.push_str(&format!(
                "removed the old backup `{}`\n",
                shown(&entry.path())
            ));
        }
        if let Some(backup) = backup {
            let backup = shown(&backup.path());
            text.push_str(&format!(
                "kept in `{backup}`; back with `boardsync prune --undo`\n"
            ));
        }
        print(&text)?;
    }
    Ok(Exit::Success)
}

fn object_of(Dropped { row, why }: &Dropped) -> Value {
    json!({
        "repo": row.get(Field::Repo), "status": row.get(Field::Status),
        "session": row.get(Field::Session), "heartbeat": row.get(Field::Heartbeat),
        "key": row.get(Field::Key), "host": row.get(Field::Host), "why": why,
    })
}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy(), 300)
}

/// Reports why each row is dropped, and which rows cannot be judged.
fn rows(report: &Report, dropped: &[Dropped], unknown: &BTreeSet<String>) -> String {
    let mut text = String::new();
    let (verb, done) = match report.action {
        Action::DryRun => ("would drop", "would be dropped"),
        _ => ("dropped", "dropped"),
    };
    for Dropped { row, why } in dropped {
        let (repo, why) = (printable(&row.repo(), 80), printable(why, 300));
        let key = printable(row.get(Field::Key).as_deref().unwrap_or("no key"), 20);
        text.push_str(&format!("{verb} `{repo}` ({key}): {why}\n"));
    }
    for repo in unknown {
        let repo = printable(repo, 80);
        text.push_str(&format!(
            "stays `{repo}`: its folder is not known here; name a folder above it with --root\n"
        ));
    }
    let board = shown(&report.path);
    let word = report.action.word();
    text.push_str(&match dropped.len() {
        0 => format!("nothing to drop: `{board}`\n"),
        1 => format!("{word}: `{board}`, 1 row {done}\n"),
        count => format!("{word}: `{board}`, {count} rows {done}\n"),
    });
    text
}

fn show_restored(context: &Context, report: &Report, backup: &Path) -> Result<Exit, Failure> {
    if context.global.json {
        let mut object = serde_json::to_value(report).map_err(Failure::of)?;
        object["backup"] = backup.to_string_lossy().into();
        print_json(&object)?;
    } else if !context.global.quiet {
        let (board, backup) = (shown(&report.path), shown(backup));
        let what = match report.action {
            Action::DryRun => "would get the rows of",
            Action::SkippedNoop => "has all rows, or newer ones, of",
            _ => "has the rows again of",
        };
        let word = report.action.word();
        print(&format!("{word}: `{board}` {what} `{backup}`\n"))?;
    }
    Ok(Exit::Success)
}
