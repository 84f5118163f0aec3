//! Whether something at the lock's or the guard's place keeps updates waiting.

use crate::config;
use crate::disk::{Attempt, KernelLock, is_running};
use crate::lock::{
    Facts, GRACE_MS, HolderNote, Host, LockFiles, Sighting, Verdict, judge, judge_guard, look,
};
use crate::setup::check::{Finding, Inspection};
use crate::vault::Place;
use std::path::Path;
use std::time::SystemTime;

/// Checks both.
///
/// Unlike `lock status` it makes no gate file where none is.
pub fn check(inspection: &Inspection) -> Vec<Finding> {
    let Ok(place) = &inspection.place else {
        return Vec::new();
    };
    let mut checks = Vec::new();
    let options = inspection.lock_options(place);
    let files = LockFiles::of(&place.lock());
    let host = host(inspection);
    let gate = files.gate.exists().then(|| {
        match KernelLock::try_take(&files.gate, "gate.open", "gate.lock") {
            Attempt::Taken(gate) => Some(gate),
            Attempt::Busy | Attempt::Unavailable(_) => None,
        }
    });
    let gate = gate.flatten();
    let now = inspection.clock(place);
    let facts = |seen: &Sighting| Facts {
        host: &host,
        gate: gate.as_ref().and_then(KernelLock::id),
        age_ms: age_ms(now, seen.modified),
        staleness_ms: i64::try_from(options.staleness.as_millis()).unwrap_or(i64::MAX),
    };
    for (id, path) in [("lock", &files.lock), ("guard", &files.guard)] {
        let shown = path.display();
        let seen = match look(path) {
            Ok(None) => {
                checks.push(Finding::ok(id, format!("`{shown}` is free")));
                continue;
            }
            Ok(Some(seen)) => seen,
            Err(error) => {
                let text = format!("`{shown}` cannot be looked at: {error}");
                checks.push(Finding::fail(id, text, "check its permissions"));
                continue;
            }
        };
        let facts = facts(&seen);
        let is_ours = seen.record().map(|record| record.is_of(&host));
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
    checks
}

/// Tells whether another host's record lies at the lock's or the guard's place.
pub fn is_foreign(inspection: &Inspection, place: &Place) -> bool {
    let files = LockFiles::of(&place.lock());
    let host = host(inspection);
    let is_foreign = |path: &Path| {
        let seen = look(path).ok().flatten();
        seen.is_some_and(|seen| seen.record().is_some_and(|record| !record.is_of(&host)))
    };
    is_foreign(&files.lock) || is_foreign(&files.guard)
}

fn host(inspection: &Inspection) -> Host {
    let mut host = Host::current();
    host.aliases_file = config::host_aliases_file(inspection.env);
    host
}

fn judged(who: &str, verdict: Verdict) -> Finding {
    match verdict {
        Verdict::Held => Finding::ok("lock", format!("held, as it should be for a moment: {who}")),
        Verdict::TakeOver(reason) => Finding::warn(
            "lock",
            format!("stale: {who} ({reason})"),
            "the next update takes it over, or run `boardsync lock reclaim`",
        ),
        Verdict::Abandoned => Finding::warn(
            "lock",
            format!("left by another host, never taken over by itself: {who}"),
            "if nothing runs there, run `boardsync lock reclaim --force`",
        ),
        Verdict::NotALock(kind) => Finding::fail(
            "lock",
            format!("{kind} lies in the lock's place: {who}"),
            "move it away by hand",
        ),
    }
}

/// Without a gate to hold, a dead guard of this host is known by its pid alone.
fn guard(who: &str, verdict: Verdict, is_dead: bool, is_ours: Option<bool>) -> Finding {
    if let Verdict::NotALock(kind) = verdict {
        let text = format!("{kind} lies in the guard's place: {who}");
        return Finding::fail("guard", text, "move it away by hand");
    }
    let is_left = is_dead || verdict != Verdict::Held;
    let command = match is_ours {
        Some(true) => "run `boardsync lock reclaim`",
        Some(false) | None => "if nothing runs there, run `boardsync lock reclaim --force`",
    };
    if is_left {
        let text = format!("left behind, and the Node peer waits for it for ever: {who}");
        Finding::warn("guard", text, command)
    } else {
        Finding::ok("guard", format!("in use for a moment: {who}"))
    }
}

fn age_ms(now: SystemTime, then: SystemTime) -> i64 {
    let millis = |span: std::time::Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    match now.duration_since(then) {
        Ok(age) => millis(age),
        Err(ahead) => -millis(ahead.duration()),
    }
}
