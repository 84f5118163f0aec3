//! What the vault's file system can do, and whether its clock is ours.

use crate::setup::check::{Findings, Inspection};
use std::time::{Duration, SystemTime};

/// The difference of clocks that does no harm.
const SKEW: Duration = Duration::from_secs(2);

/// Tries what the file system can do.
pub fn check(inspection: &Inspection, findings: &mut Findings) {
    let Ok(place) = &inspection.place else {
        return;
    };
    let shown = place.folder.display();
    let (tried, here) = inspection.abilities(place);
    let abilities = match tried {
        Ok(abilities) => abilities,
        Err(error) => {
            let remedy = match place.folder.symlink_metadata() {
                Ok(meta) if !meta.is_dir() => "move away what is there",
                _ => "give yourself the permission",
            };
            return findings.fail(
                "lock-folder",
                format!("cannot create a file in `{shown}`: {error}"),
                format!("{remedy}; until then the board is written without the lock"),
            );
        }
    };
    findings.ok("lock-folder", format!("files can be created in `{shown}`"));
    for (id, tried, with, without) in [
        (
            "hard-links",
            &abilities.hard_link,
            "the lock is published by a hard link",
            "not supported: a lock is visible before it is complete, and waits get longer after a crash",
        ),
        (
            "no-replace",
            &abilities.no_replace,
            "a rename can refuse to replace",
            "a rename cannot refuse to replace: it looks first",
        ),
        (
            "exchange",
            &abilities.exchange,
            "the board is swapped, so that nothing is overwritten unseen",
            "not supported: what an editor writes in the same millisecond can be lost",
        ),
        (
            "kernel-lock",
            &abilities.kernel_lock,
            "a dead holder's lock is known to be dead at once",
            "there are no kernel locks: a dead holder's lock is waited for until it is stale",
        ),
    ] {
        match tried {
            Ok(()) => findings.ok(id, with),
            // What is missing is made up for, so there is nothing to do.
            Err(error) => findings.note(id, format!("{without} ({error})")),
        }
    }
    clock(*here, inspection.clock(place), findings);
}

fn clock(here: SystemTime, there: SystemTime, findings: &mut Findings) {
    let ahead = there.duration_since(here).unwrap_or_default();
    let behind = here.duration_since(there).unwrap_or_default();
    let skew = ahead.max(behind);
    if skew <= SKEW {
        let skew = skew.as_millis();
        return findings.ok("clock", format!("within {skew} ms of this host's"));
    }
    let way = if ahead > behind { "ahead of" } else { "behind" };
    let skew = skew.as_secs();
    findings.warn(
        "clock",
        format!("the file system's clock is {skew} s {way} this host's"),
        "set both by the network; locks are judged by the file system's, heartbeats by this host's",
    );
}

#[cfg(test)]
mod tests {
    use super::clock;
    use crate::setup::check::{Findings, Mark};
    use std::time::{Duration, SystemTime};

    #[test]
    fn clocks_may_differ_a_little() {
        let here = SystemTime::now();
        let hour = Duration::from_secs(3_600);
        for (there, mark, part) in [
            (here + Duration::from_secs(1), Mark::Ok, "within 1000 ms"),
            (here + hour, Mark::Warn, "3600 s ahead of"),
            (here - hour, Mark::Warn, "3600 s behind"),
        ] {
            let mut findings = Findings::default();
            clock(here, there, &mut findings);
            let [finding] = &*findings.0 else {
                panic!("{findings:?}")
            };
            assert_eq!(finding.mark, mark);
            assert!(finding.text.contains(part), "{}", finding.text);
        }
    }
}
