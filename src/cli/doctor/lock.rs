//! Whether something at the lock's or the guard's place keeps updates waiting.

use super::Check;
use crate::cli::context::Context;
use crate::config;
use crate::disk::{Attempt, KernelLock, is_running};
use crate::lock::{
    Facts, GRACE_MS, HolderNote, Host, LockFiles, Sighting, Verdict, judge, judge_guard, look,
};
use crate::vault::Place;
use std::time::SystemTime;

/// Checks both; true if another host has been here.
///
/// Unlike `lock status` it makes no gate file where none is.
pub fn check(context: &Context, place: &Place, now: SystemTime, checks: &mut Vec<Check>) -> bool {
    if context.lock_options(place).skip {
        checks.push(Check::warn(
            "environment",
            "`BOARDSYNC_SKIP_LOCK` is set: every update runs without the lock",
            "unset it",
        ));
    }
    let files = LockFiles::of(&place.lock());
    let mut host = Host::current();
    host.aliases_file = config::host_aliases_file(&context.env);
    let gate = files.gate.exists().then(|| {
        match KernelLock::try_take(&files.gate, "gate.open", "gate.lock") {
            Attempt::Taken(gate) => Some(gate),
            Attempt::Busy | Attempt::Unavailable(_) => None,
        }
    });
    let gate = gate.flatten();
    let staleness = context.lock_options(place).staleness;
    let facts = |seen: &Sighting| Facts {
        host: &host,
        gate: gate.as_ref().and_then(KernelLock::id),
        age_ms: age_ms(now, seen.modified),
        staleness_ms: i64::try_from(staleness.as_millis()).unwrap_or(i64::MAX),
    };
    let mut is_foreign = false;
    for (id, path) in [("lock", &files.lock), ("guard", &files.guard)] {
        let shown = path.display();
        let seen = match look(path) {
            Ok(None) => {
                checks.push(Check::ok(id, format!("`{shown}` is free")));
                continue;
            }
            Ok(Some(seen)) => seen,
            Err(error) => {
                let text = format!("`{shown}` cannot be looked at: {error}");
                checks.push(Check::fail(id, text, "check its permissions"));
                continue;
            }
        };
        let facts = facts(&seen);
        let is_ours = seen.record().map(|record| record.is_of(&host));
        is_foreign |= is_ours == Some(false);
        let holder = seen
            .record()
            .map(|record| HolderNote::of(record, is_ours == Some(true)));
        let who = match &holder {
            Some(holder) => format!("`{shown}`: {holder}, {} s old", facts.age_ms / 1000),
            None => format!("`{shown}`: {} s old", facts.age_ms / 1000),
        };
        checks.push(if id == "lock" {
            judged(&who, judge(&seen.what, &facts))
        } else {
            let is_dead = holder.is_some_and(|holder| holder.running == Some(false))
                && facts.age_ms.abs() > GRACE_MS;
            guard(
                &who,
                judge_guard(&seen.what, &facts, is_running),
                is_dead,
                is_ours,
            )
        });
    }
    is_foreign
}

fn judged(who: &str, verdict: Verdict) -> Check {
    match verdict {
        Verdict::Held => Check::ok("lock", format!("held, as it should be for a moment: {who}")),
        Verdict::TakeOver(reason) => Check::warn(
            "lock",
            format!("stale: {who} ({reason})"),
            "the next update takes it over, or run `boardsync lock reclaim`",
        ),
        Verdict::Abandoned => Check::warn(
            "lock",
            format!("left by another host, never taken over by itself: {who}"),
            "if nothing runs there, run `boardsync lock reclaim --force`",
        ),
        Verdict::NotALock(kind) => Check::fail(
            "lock",
            format!("{kind} lies in the lock's place: {who}"),
            "move it away by hand",
        ),
    }
}

/// Without a gate to hold, a dead guard of this host is known by its pid alone.
fn guard(who: &str, verdict: Verdict, is_dead: bool, is_ours: Option<bool>) -> Check {
    if let Verdict::NotALock(kind) = verdict {
        let text = format!("{kind} lies in the guard's place: {who}");
        return Check::fail("guard", text, "move it away by hand");
    }
    let is_left = is_dead || verdict != Verdict::Held;
    let command = match is_ours {
        Some(true) => "run `boardsync lock reclaim`",
        Some(false) | None => "if nothing runs there, run `boardsync lock reclaim --force`",
    };
    if is_left {
        let text = format!("left behind, and the Node peer waits for it for ever: {who}");
        Check::warn("guard", text, command)
    } else {
        Check::ok("guard", format!("in use for a moment: {who}"))
    }
}

fn age_ms(now: SystemTime, then: SystemTime) -> i64 {
    let millis = |span: std::time::Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    match now.duration_since(then) {
        Ok(age) => millis(age),
        Err(ahead) => -millis(ahead.duration()),
    }
}
