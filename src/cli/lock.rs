//! `boardsync lock`: who holds the lock, and removing a stale one.

use super::context::Context;
use super::outcome::{Exit, Failure, print, print_json};
use crate::disk::Patience;
use crate::lock::{
    Foreign, Judged, LockFate, LockInspection, LockOptions, Reclaimed, Verdict, inspect, reclaim,
};
use crate::printable::printable;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::path::Path;

/// The arguments of `lock`.
#[derive(Debug, Args)]
pub struct LockArgs {
    #[command(subcommand)]
    command: LockCommand,
}

#[derive(Debug, Subcommand)]
enum LockCommand {
    /// Show who holds the lock, since when, and whether that process runs
    #[command(after_help = "Example:\n  boardsync lock status --json")]
    Status,
    /// Remove a stale lock; another host's only with --force
    #[command(
        after_help = "Examples:\n  boardsync lock reclaim\n  boardsync lock reclaim --force\n\nA lock whose holder runs is never removed. Exits 1 if a lock or guard remains."
    )]
    Reclaim {
        /// Also remove another host's lock; make sure that nothing runs there
        #[arg(long)]
        force: bool,
    },
}

/// Runs `boardsync lock`.
pub fn run(context: &Context, args: &LockArgs) -> Result<Exit, Failure> {
    let place = context.place()?;
    let path = place.lock();
    let options = LockOptions {
        patience: Patience::TryOnce,
        ..context.lock_options(&place)
    };
    let failed = |error: std::io::Error| {
        Failure::Error(format!(
            "cannot inspect the lock `{}`: {error}; check its permissions",
            path.display()
        ))
    };
    match args.command {
        LockCommand::Status => {
            let inspection = inspect(&path, &options).map_err(failed)?;
            status(context, &path, &inspection)
        }
        LockCommand::Reclaim { force } => {
            let foreign = match force {
                true => Foreign::Remove,
                false => Foreign::Keep,
            };
            let reclaimed = reclaim(&path, &options, foreign).map_err(failed)?;
            report(context, &path, &reclaimed)
        }
    }
}

fn status(context: &Context, path: &Path, seen: &LockInspection) -> Result<Exit, Failure> {
    if context.global.json {
        let mut object = json!({ "lockPath": path.to_string_lossy() });
        object["lock"] = seen.lock.as_ref().map_or(Value::Null, describe);
        object["guard"] = seen.guard.as_ref().map_or(Value::Null, describe);
        print_json(&object)?;
    } else if !context.global.quiet {
        let shown = printable(&path.to_string_lossy(), 300);
        let mut text = match &seen.lock {
            None => format!("free: `{shown}`\n"),
            Some(lock) => format!("{}: `{shown}`\n{}", word(&lock.verdict), details(lock)),
        };
        if let Some(guard) = &seen.guard {
            text.push_str(&format!(
                "guard left or in use: `{shown}.acquire`\n{}",
                details(guard)
            ));
        }
        print(&text)?;
    }
    Ok(Exit::Success)
}

/// Returns the word for a verdict.
pub fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Held => "held",
        Verdict::Abandoned => "abandoned",
        Verdict::TakeOver(_) => "stale",
        Verdict::NotALock(_) => "not-a-lock",
    }
}

/// Describes a judged lock for people, one line for each fact.
fn details(judged: &Judged) -> String {
    let mut text = String::new();
    if let Some(holder) = &judged.holder {
        text.push_str(&format!("  held by {holder}\n"));
    }
    text.push_str(&format!("  last sign of life {} ago\n", age(judged.age_ms)));
    text.push_str(&format!("  {}\n", meaning(judged)));
    text
}

fn age(millis: i64) -> String {
    match millis {
        ..0 => format!("{} ms in the future, not", -millis),
        0..10_000 => format!("{millis} ms"),
        10_000..7_200_000 => format!("{} s", millis / 1_000),
        _ => format!("{} h", millis / 3_600_000),
    }
}

fn meaning(judged: &Judged) -> String {
    match (&judged.verdict, judged.is_ours) {
        (Verdict::TakeOver(reason), _) => {
            format!("the next update takes it over: {reason}; or `boardsync lock reclaim`")
        }
        (Verdict::Abandoned, _) => {
            "another host left it: never taken over automatically; if nothing \
             runs there, `boardsync lock reclaim --force`"
                .to_owned()
        }
        (Verdict::Held, Some(false)) => {
            "another host's: it is waited for, and never taken over".to_owned()
        }
        (Verdict::Held, Some(true)) => "it is not stale yet; nothing to do".to_owned(),
        (Verdict::Held, None) => "its record cannot be read: it is being written, or another \
             user's; an incomplete one is taken over once it is 2 s old"
            .to_owned(),
        (Verdict::NotALock(kind), _) => {
            format!("it is {kind}: never changed or removed; move it away by hand")
        }
    }
}

/// Describes a judged lock for programs.
pub fn describe(judged: &Judged) -> Value {
    let mut object = json!({
        "verdict": word(&judged.verdict),
        "ageMs": judged.age_ms,
        "meaning": meaning(judged),
    });
    if let Verdict::TakeOver(reason) = &judged.verdict {
        object["reason"] = reason.to_string().into();
    }
    if let Some(holder) = &judged.holder {
        object["holder"] = serde_json::to_value(holder).unwrap_or_default();
    }
    if let Some(ours) = judged.is_ours {
        object["thisHost"] = ours.into();
    }
    object
}

/// Prints what was removed and what stays; an error if something stays that
/// should not have.
fn report(context: &Context, path: &Path, reclaimed: &Reclaimed) -> Result<Exit, Failure> {
    let shown = |path: &Path| printable(&path.to_string_lossy(), 300);
    let held_by = |judged: &Judged| match &judged.holder {
        Some(holder) => format!(", held by {holder}"),
        None => String::new(),
    };
    let lock = shown(path);
    let (action, text) = match &reclaimed.lock {
        LockFate::Free => ("free", format!("`{lock}` is free")),
        LockFate::Removed(reason) => ("reclaimed", format!("removed `{lock}`: {reason}")),
        LockFate::Forced(judged) => ("forced", format!("removed `{lock}`{}", held_by(judged))),
        LockFate::Stays(judged) => {
            let text = format!("`{}`{}", shown(&judged.path), held_by(judged));
            ("stays", format!("{text}: {}", meaning(judged)))
        }
        LockFate::Busy => ("busy", format!("`{lock}` changed meanwhile; try again")),
    };
    let exit = match (&reclaimed.lock, &reclaimed.guard) {
        (LockFate::Free | LockFate::Removed(_) | LockFate::Forced(_), _) => Exit::Success,
        // Nothing is left to reclaim: the lock is in use on this host.
        (LockFate::Stays(judged), Some(_))
            if judged.verdict == Verdict::Held && judged.is_ours == Some(true) =>
        {
            Exit::Success
        }
        (LockFate::Stays(_) | LockFate::Busy, _) => Exit::Error,
    };
    if context.global.json {
        let mut object =
            json!({ "action": action, "lockPath": path.to_string_lossy(), "message": text });
        match &reclaimed.lock {
            LockFate::Removed(reason) => object["reason"] = reason.to_string().into(),
            LockFate::Forced(judged) | LockFate::Stays(judged) => {
                object["lock"] = describe(judged);
            }
            LockFate::Free | LockFate::Busy => {}
        }
        if let Some(guard) = &reclaimed.guard {
            object["removedGuard"] = describe(guard);
        }
        print_json(&object)?;
    } else if !context.global.quiet {
        let mut lines = String::new();
        if let Some(guard) = &reclaimed.guard {
            let path = shown(&guard.path);
            lines = format!("forced: removed the guard `{path}`{}\n", held_by(guard));
        }
        lines.push_str(&format!("{action}: {text}\n"));
        print(&lines)?;
    }
    Ok(exit)
}
