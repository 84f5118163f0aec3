//! The outcome of an update, printed: one line, or one object.

use super::context::Context;
use super::outcome::{Exit, Failure, print, print_json, warn};
use super::signals;
use crate::edit::{Action, LockReport, Report};
use crate::lock::{LockOutcome, Release};
use crate::printable::printable;

/// Suggests `init --shared` once a second host has shown itself.
const OFFER: &str =
    "; other hosts write this board too: `boardsync init --shared` records the host of each row";

/// Makes the report of an update that no vault is enabled for.
pub fn disabled(context: &Context, reason: String) -> Report {
    Report {
        note: Some(reason),
        ..Report::new(Action::SkippedVaultDisabled, context.global.board())
    }
}

/// Prints a report: one line, or one object.
pub fn report(context: &Context, report: &Report) -> Result<Exit, Failure> {
    if report.action == Action::SkippedWriteFailed {
        warn(
            report
                .note
                .as_deref()
                .unwrap_or("the board was not written"),
        );
    }
    let is_refused = matches!(
        report.action,
        Action::SkippedHandwritten | Action::SkippedConflicted
    );
    if let Some(note) = report
        .note
        .as_deref()
        .filter(|_| is_refused && context.global.quiet)
    {
        warn(note);
    }
    if context.global.json {
        print_json(report)?;
    } else if !context.global.quiet {
        print(&line(report))?;
    }
    // A signal that came while the board was being written ends the process only now.
    signals::die();
    Ok(Exit::Success)
}

fn line(report: &Report) -> String {
    let path = printable(&report.path.to_string_lossy(), 300);
    let mut line = format!("{}: `{path}`", report.action.word());
    match (&report.note, report.rows) {
        (Some(note), _) => {
            line = format!("{}: {}", report.action.word(), printable(note, 600));
        }
        (None, Some(1)) => line.push_str(", 1 row"),
        (None, Some(rows)) => line.push_str(&format!(", {rows} rows")),
        (None, None) => {}
    }
    if let Some(LockReport {
        outcome,
        latched,
        conflicts,
    }) = &report.lock
    {
        match outcome {
            LockOutcome::Locked {
                stale_override: Some(reason),
                ..
            } => {
                line.push_str(&format!("; took over the lock: {reason}"));
            }
            LockOutcome::Locked {
                release: Release::Busy | Release::FsError,
                ..
            } => line.push_str("; the lock could not be released: see `boardsync lock status`"),
            LockOutcome::Locked { .. } => {}
            LockOutcome::Unlocked(unlocked) => {
                line.push_str(&format!("; without the lock: {}", unlocked.reason.word()));
                // A holder that cannot be checked is on another host.
                let holder = unlocked.holder.as_ref();
                if holder.is_some_and(|holder| holder.running.is_none()) && !report.shared {
                    line.push_str(OFFER);
                }
            }
        }
        if !latched {
            line.push_str("; without the latch");
        }
        match conflicts {
            0 => {}
            1 => line.push_str("; joined with 1 other write"),
            many => line.push_str(&format!("; joined with {many} other writes")),
        }
    }
    line.push_str(&merged(report));
    line.push('\n');
    line
}

/// Reports where conflict copies went, and offers to tell hosts apart: once a
/// copy, for that is when it helps.
fn merged(report: &Report) -> String {
    let [first, others @ ..] = report.copies.as_slice() else {
        return String::new();
    };
    let first = printable(&first.to_string_lossy(), 300);
    let mut text = format!("; merged a conflict copy, now `{first}`");
    if !others.is_empty() {
        text.push_str(&format!(", and {} more", others.len()));
    }
    if !report.shared {
        text.push_str(OFFER);
    }
    text
}
