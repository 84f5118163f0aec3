//! Whether something at the lock's or the guard's place keeps updates waiting.

use crate::config::vault::BoardPlace;
use crate::lock::{GRACE_MS, Judged, Verdict, inspect};
use crate::setup::check::{Findings, Inspection};

/// Checks the lock and its guard.
pub fn check(inspection: &Inspection, findings: &mut Findings) {
    let Ok(place) = &inspection.place else {
        return;
    };
    let path = place.lock();
    let shown = path.display();
    let seen = match inspect(&path, &inspection.lock_options(place)) {
        Ok(seen) => seen,
        Err(error) => {
            let text = format!("`{shown}` cannot be inspected: {error}");
            return findings.fail("lock", text, "check its permissions");
        }
    };
    match &seen.lock {
        None => findings.ok("lock", format!("`{shown}` is free")),
        Some(lock) => check_lock(lock, findings),
    }
    match &seen.guard {
        None => findings.ok("guard", format!("`{shown}.acquire` is free")),
        Some(guard) => check_guard(guard, findings),
    }
}

/// Returns whether another host's record lies at the lock's or the guard's place.
pub fn is_foreign(inspection: &Inspection, place: &BoardPlace) -> bool {
    let seen = inspect(&place.lock(), &inspection.lock_options(place));
    let both = seen.map_or([None, None], |seen| [seen.lock, seen.guard]);
    both.iter().flatten().any(|it| it.is_ours == Some(false))
}

fn who(judged: &Judged) -> String {
    let (path, age) = (judged.path.display(), judged.age_ms / 1000);
    match &judged.holder {
        Some(holder) => format!("`{path}`: {holder}, {age} s old"),
        None => format!("`{path}`: {age} s old"),
    }
}

fn check_lock(judged: &Judged, findings: &mut Findings) {
    let who = who(judged);
    match &judged.verdict {
        Verdict::Held => findings.ok("lock", format!("held by an update in progress: {who}")),
        Verdict::TakeOver(reason) => findings.warn(
            "lock",
            format!("stale: {who} ({reason})"),
            "the next update takes it over, or run `boardsync lock reclaim`",
        ),
        Verdict::Abandoned => findings.warn(
            "lock",
            format!("left by another host, and never taken over automatically: {who}"),
            "if nothing runs there, run `boardsync lock reclaim --force`",
        ),
        Verdict::NotALock(kind) => {
            let text = format!("{kind} is at the lock's path: {who}");
            findings.fail("lock", text, "move it away by hand");
        }
    }
}

/// Where nobody ever held the gate, a dead guard of this host is known by its pid alone.
fn check_guard(judged: &Judged, findings: &mut Findings) {
    let who = who(judged);
    if let Verdict::NotALock(kind) = judged.verdict {
        let text = format!("{kind} is at the guard's path: {who}");
        return findings.fail("guard", text, "move it away by hand");
    }
    let holder = judged.holder.as_ref();
    let is_dead = holder.is_some_and(|holder| holder.running == Some(false))
        && judged.age_ms.abs() > GRACE_MS;
    if is_dead || judged.verdict != Verdict::Held {
        let command = match judged.is_ours {
            Some(true) => "run `boardsync lock reclaim`",
            Some(false) | None => "if nothing runs there, run `boardsync lock reclaim --force`",
        };
        let text = format!("left behind, and session-orchestrator waits for it forever: {who}");
        findings.warn("guard", text, command);
    } else {
        findings.ok("guard", format!("in use for a moment: {who}"));
    }
}
