//! `boardsync lock`: who holds it, and clearing away what nobody holds.

use super::context::Context;
use super::outcome::{Exit, Failure, print, print_json};
use crate::disk::Patience;
use crate::lock::{Inspection, Judged, LockOptions, Reclaimed, Seeker, Verdict};
use crate::printable;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::path::Path;

/// Is what `lock` takes.
#[derive(Debug, Args)]
pub struct LockArgs {
    #[command(subcommand)]
    command: LockCommand,
}

#[derive(Debug, Subcommand)]
enum LockCommand {
    /// Say who holds the lock, since when, and whether that process runs
    #[command(after_help = "Example:\n  boardsync lock status --json")]
    Status,
    /// Remove a stale lock; another host's only with --force
    #[command(
        after_help = "Examples:\n  boardsync lock reclaim\n  boardsync lock reclaim --force\n\nA lock whose holder runs is never removed. Exits 1 if a lock stays."
    )]
    Reclaim {
        /// Remove another host's lock too: be sure that nothing runs there
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
    let mut seeker = Seeker::new(&path, options);
    let failed = |error: std::io::Error| {
        Failure::Error(format!(
            "cannot look at the lock `{}`: {error}",
            path.display()
        ))
    };
    match args.command {
        LockCommand::Status => {
            let inspection = seeker.inspect().map_err(failed)?;
            status(context, &path, &inspection)
        }
        LockCommand::Reclaim { force } => {
            let reclaimed = seeker.reclaim(force).map_err(failed)?;
            reclaim(context, &path, &reclaimed)
        }
    }
}

fn status(context: &Context, path: &Path, seen: &Inspection) -> Result<Exit, Failure> {
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

/// Gives the word for a verdict.
pub fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Held => "held",
        Verdict::Abandoned => "abandoned",
        Verdict::TakeOver(_) => "stale",
        Verdict::NotALock(_) => "not-a-lock",
    }
}

/// Says what the verdict means and what to do about it, a line each.
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
        (Verdict::Abandoned, _) => "another host left it: never taken over by itself; if nothing \
             runs there, `boardsync lock reclaim --force`"
            .to_owned(),
        (Verdict::Held, Some(false)) => {
            "another host's: it is waited for, and never taken over".to_owned()
        }
        (Verdict::Held, Some(true)) => "its holder is given time; nothing to do".to_owned(),
        (Verdict::Held, None) => "someone is writing it, or just died doing so: it is taken over \
             once it is 2 s old"
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

fn reclaim(context: &Context, path: &Path, reclaimed: &Reclaimed) -> Result<Exit, Failure> {
    let shown = printable(&path.to_string_lossy(), 300);
    let (action, text, exit) = match reclaimed {
        Reclaimed::Free => ("free", format!("`{shown}` is free"), Exit::Success),
        Reclaimed::Gone(reason) => (
            "reclaimed",
            format!("removed `{shown}`: {reason}"),
            Exit::Success,
        ),
        Reclaimed::Forced(judged) => {
            let whose = judged
                .holder
                .as_ref()
                .map_or_else(String::new, |it| format!(" of {it}"));
            (
                "forced",
                format!("removed the lock{whose}: `{shown}`"),
                Exit::Success,
            )
        }
        Reclaimed::Stays(judged) => {
            let whose = judged
                .holder
                .as_ref()
                .map_or_else(String::new, |it| format!(", held by {it}"));
            let shown = printable(&judged.path.to_string_lossy(), 300);
            let text = format!("`{shown}` stays{whose}: {}", meaning(judged));
            ("stays", text, Exit::Error)
        }
        Reclaimed::Busy => (
            "busy",
            format!("`{shown}` changed meanwhile; look again"),
            Exit::Error,
        ),
    };
    if context.global.json {
        let mut object =
            json!({ "action": action, "lockPath": path.to_string_lossy(), "message": text });
        match reclaimed {
            Reclaimed::Gone(reason) => object["reason"] = reason.to_string().into(),
            Reclaimed::Forced(judged) | Reclaimed::Stays(judged) => {
                object["lock"] = describe(judged);
            }
            Reclaimed::Free | Reclaimed::Busy => {}
        }
        print_json(&object)?;
    } else if !context.global.quiet {
        print(&format!("{action}: {text}\n"))?;
    }
    Ok(exit)
}
