//! `boardsync prune`: drops rows that nobody needs any more, and puts them back.

mod sieve;

use super::context::{Context, Sync};
use super::outcome::{Exit, Failure, print, print_json, warn};
use super::signals;
use boardsync::lock::{LockOptions, Unlocked};
use boardsync::printable;
use boardsync::update::{
    Action, BoardRequest, Dropped, Pruned, Report, Restored, UpdateError, prune, restore,
};
use clap::Args;
use serde_json::{Value, json};
use sieve::Sieve;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Is what `prune` takes.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  boardsync prune --dry-run\n  boardsync prune --closed-older-than 7d\n  boardsync prune --missing --root ~/work\n  boardsync prune --undo\n\nThe dropped rows are kept in `.orchestrator/backups/` of the vault, the last 20\ntimes; --undo puts those of the last time back, and newer rows stay.\n\n--missing looks for the repositories of this host below the home folder, the\nroots of a sweep and each --root, two levels deep. A row goes only if its key is\nthat of a path whose folder is gone while its neighbours are there, and if no\nsession was seen in it for 4 h; where nothing is known of it, it stays."
)]
pub struct PruneArgs {
    /// Drop closed rows that are older: 12h, 30d, 8w
    #[arg(long, value_name = "AGE", default_value = "30d", value_parser = super::ago::parse)]
    closed_older_than: i64,
    /// Drop rows of this host whose folder is gone, too
    #[arg(long)]
    missing: bool,
    /// One more folder to look for repositories in
    #[arg(long, value_name = "DIR", requires = "missing")]
    root: Vec<PathBuf>,
    /// Say what would be dropped, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Put the rows of the last prune back
    #[arg(long, conflicts_with_all = ["missing", "closed_older_than"])]
    undo: bool,
}

/// Runs `boardsync prune`.
pub fn run(context: &Context, args: &PruneArgs) -> Result<Exit, Failure> {
    let place = context.place()?;
    let interrupt = signals::flag();
    let told = |unlocked: &Unlocked| {
        warn(&format!(
            "{unlocked}; the board is written without the lock"
        ));
    };
    let request = BoardRequest {
        place: &place,
        now: context.now,
        lock: LockOptions {
            interrupt: Some(&interrupt),
            warn: &told,
            ..context.lock_options(&place)
        },
        sync: context.sync != Sync::None,
        dry_run: args.dry_run,
    };
    let failed = |error| match error {
        UpdateError::Interrupted(_) => Failure::Interrupted,
        error => Failure::of(error),
    };
    if args.undo {
        let restored = restore(request).map_err(failed)?;
        return show_restored(context, &place.board, restored.as_ref());
    }
    let sieve = Sieve::new(context, args)?;
    let pruned = prune(request, &|row| sieve.why(row)).map_err(failed)?;
    show_pruned(context, &pruned, &sieve.unknown.borrow())
}

fn show_pruned(
    context: &Context,
    pruned: &Pruned,
    unknown: &BTreeSet<String>,
) -> Result<Exit, Failure> {
    let Pruned {
        report,
        dropped,
        backup,
        expired,
    } = pruned;
    if context.global.json {
        let mut object = serde_json::to_value(report).map_err(Failure::of)?;
        object["dropped"] = dropped.iter().map(object_of).collect();
        object["unknown"] = unknown.iter().cloned().collect();
        object["backup"] = backup.as_deref().map_or(Value::Null, path_value);
        object["expired"] = expired.iter().map(|path| path_value(path)).collect();
        print_json(&object)?;
    } else if !context.global.quiet {
        print(&text(context, pruned, unknown))?;
    }
    Ok(exit_of(report))
}

fn object_of(Dropped { row, why }: &Dropped) -> Value {
    json!({
        "repo": row.repo, "status": row.status, "session": row.session,
        "heartbeat": row.heartbeat, "key": row.key, "host": row.host, "why": why,
    })
}

fn path_value(path: &Path) -> Value {
    path.to_string_lossy().into()
}

fn text(context: &Context, pruned: &Pruned, unknown: &BTreeSet<String>) -> String {
    let Pruned {
        report,
        dropped,
        backup,
        expired,
    } = pruned;
    let shown = |path: &Path| printable(&path.to_string_lossy(), 300);
    let mut text = String::new();
    let verb = match report.action {
        Action::DryRun => "would drop",
        _ => "dropped",
    };
    for Dropped { row, why } in dropped {
        let key = row.key.as_deref().unwrap_or("no key");
        text.push_str(&format!(
            "{verb} `{}` ({}): {}\n",
            printable(&row.repo, 80),
            printable(key, 20),
            printable(why, 300)
        ));
    }
    for repo in unknown {
        text.push_str(&format!(
            "stays `{}`: its folder is not known here; name a folder above it with --root\n",
            printable(repo, 80)
        ));
    }
    let board = shown(&report.path);
    text.push_str(&match (report.action, &report.note) {
        (Action::Written, _) => format!("written: `{board}`, {} dropped\n", dropped.len()),
        (Action::SkippedNoop, _) => format!("nothing to drop: `{board}`\n"),
        (Action::DryRun, _) if dropped.is_empty() => format!("nothing to drop: `{board}`\n"),
        (Action::DryRun, _) => format!("dry-run: `{board}` is as it was\n"),
        (action, note) => format!(
            "{}: {}\n",
            action.word(),
            printable(note.as_deref().unwrap_or(&board), 600)
        ),
    });
    for path in expired {
        text.push_str(&format!("removed the old backup `{}`\n", shown(path)));
    }
    if let Some(backup) = backup {
        let vault = match &context.global.vault {
            Some(vault) => format!(" --vault '{}'", shown(vault)),
            None => String::new(),
        };
        text.push_str(&format!(
            "kept in `{}`; back with `boardsync{vault} prune --undo`\n",
            shown(backup)
        ));
    }
    text
}

fn show_restored(
    context: &Context,
    board: &Path,
    restored: Option<&Restored>,
) -> Result<Exit, Failure> {
    let Some(Restored { report, backup }) = restored else {
        return Err(Failure::Error(format!(
            "no rows of `{}` were dropped, or they are back already: nothing to undo",
            board.display()
        )));
    };
    if context.global.json {
        let mut object = serde_json::to_value(report).map_err(Failure::of)?;
        object["backup"] = path_value(backup);
        print_json(&object)?;
    } else if !context.global.quiet {
        let board = printable(&report.path.to_string_lossy(), 300);
        let backup = printable(&backup.to_string_lossy(), 300);
        print(&match (report.action, &report.note) {
            (Action::Written, _) => {
                format!("written: `{board}` has the rows of `{backup}` again\n")
            }
            (Action::SkippedNoop, _) => {
                format!("skipped-noop: `{board}` has all rows of `{backup}`, or newer ones\n")
            }
            (action, note) => format!(
                "{}: {}\n",
                action.word(),
                printable(note.as_deref().unwrap_or(&board), 600)
            ),
        })?;
    }
    Ok(exit_of(report))
}

/// A prune is asked for by a person, who should see that it was not done.
fn exit_of(report: &Report) -> Exit {
    if report.action == Action::SkippedWriteFailed {
        warn(
            report
                .note
                .as_deref()
                .unwrap_or("the board was not written"),
        );
    }
    signals::die();
    match report.action {
        Action::Written | Action::SkippedNoop | Action::DryRun => Exit::Success,
        _ => Exit::Error,
    }
}
