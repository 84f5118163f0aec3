//! What the vault's file system can do, and whether its clock is ours.

use crate::setup::check::{Finding, Inspection};
use std::io;
use std::time::{Duration, SystemTime};

/// The difference of clocks that people and files are not troubled by.
const SKEW: Duration = Duration::from_secs(2);

/// Tries it all.
pub fn check(inspection: &Inspection) -> Vec<Finding> {
    let Ok(place) = &inspection.place else {
        return Vec::new();
    };
    let mut checks = Vec::new();
    let shown = place.folder.display();
    let (tried, here) = inspection.abilities(place);
    let abilities = match tried {
        Ok(abilities) => abilities,
        Err(error) => {
            let remedy = match place.folder.symlink_metadata() {
                Ok(meta) if !meta.is_dir() => "move away what is there",
                _ => "give yourself the permission",
            };
            checks.push(Finding::fail(
                "lock-folder",
                format!("cannot create a file in `{shown}`: {error}"),
                format!("{remedy}; until then the board is written without the lock"),
            ));
            return checks;
        }
    };
    checks.push(Finding::ok(
        "lock-folder",
        format!("files can be created in `{shown}`"),
    ));
    let or_rename = abilities.no_replace.is_ok();
    checks.push(match &abilities.hard_link {
        Ok(()) => Finding::ok("hard-links", "the lock is published by a hard link"),
        Err(error) if or_rename => Finding::note(
            "hard-links",
            format!("not supported ({error}); a rename that never replaces is used instead"),
        ),
        Err(error) => Finding::note(
            "hard-links",
            format!(
                "not supported ({error}); a lock is visible before it is complete, and \
                     waits get longer after a crash"
            ),
        ),
    });
    checks.push(ability(
        "no-replace",
        &abilities.no_replace,
        "a rename can refuse to replace",
        "a rename cannot refuse to replace: it looks first",
    ));
    checks.push(ability(
        "exchange",
        &abilities.exchange,
        "the board is swapped, so that nothing is overwritten unseen",
        "not supported: what an editor writes in the same millisecond can be lost",
    ));
    checks.push(ability(
        "kernel-lock",
        &abilities.kernel_lock,
        "a dead holder's lock is known to be dead at once",
        "there are no kernel locks: a dead holder's lock is waited for until it is stale",
    ));
    checks.push(clock(*here, inspection.clock(place)));
    checks
}

/// What is missing is made up for, so there is nothing to do.
fn ability(id: &'static str, tried: &io::Result<()>, with: &str, without: &str) -> Finding {
    match tried {
        Ok(()) => Finding::ok(id, with),
        Err(error) => Finding::note(id, format!("{without} ({error})")),
    }
}

fn clock(here: SystemTime, there: SystemTime) -> Finding {
    let ahead = there.duration_since(here).unwrap_or_default();
    let behind = here.duration_since(there).unwrap_or_default();
    let skew = ahead.max(behind);
    if skew <= SKEW {
        return Finding::ok(
            "clock",
            format!("within {} ms of this host's", skew.as_millis()),
        );
    }
    let way = if ahead > behind { "ahead of" } else { "behind" };
    Finding::warn(
        "clock",
        format!(
            "the file system's clock is {} s {way} this host's",
            skew.as_secs()
        ),
        "set both by the network; locks are judged by the file system's, heartbeats by this host's",
    )
}

#[cfg(test)]
mod tests {
    use super::clock;
    use crate::setup::check::Mark;
    use std::time::{Duration, SystemTime};

    #[test]
    fn clocks_may_differ_a_little() {
        let here = SystemTime::now();
        let hour = Duration::from_secs(3_600);
        assert_eq!(clock(here, here + Duration::from_secs(1)).mark, Mark::Ok);
        for (there, way) in [(here + hour, "ahead of"), (here - hour, "behind")] {
            let check = clock(here, there);
            assert_eq!(check.mark, Mark::Warn);
            assert!(
                check.text.contains("3600 s") && check.text.contains(way),
                "{}",
                check.text
            );
        }
    }
}
