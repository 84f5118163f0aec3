//! What the vault's file system can do, and whether its clock is ours.

use super::Check;
use crate::disk::{self, Token, probe};
use crate::lock::Host;
use crate::vault::Place;
use std::io;
use std::time::{Duration, SystemTime};

/// The difference of clocks that people and files are not troubled by.
const SKEW: Duration = Duration::from_secs(2);

/// Tries it all; gives the file system's time.
pub fn check(place: &Place, checks: &mut Vec<Check>) -> SystemTime {
    let shown = place.folder.display();
    let was_there = place.folder.exists();
    let token = Token::new(Host::current().tag());
    let tried = disk::create_folder("folder.create", &place.folder)
        .and_then(|()| probe(&place.folder, &place.stem, token));
    let here = SystemTime::now();
    if !was_there {
        let _ = disk::remove_folder("probe.unlink", &place.folder);
    }
    let abilities = match tried {
        Ok(abilities) => abilities,
        Err(error) => {
            let remedy = match place.folder.symlink_metadata() {
                Ok(meta) if !meta.is_dir() => "move away what lies there",
                _ => "give yourself the permission",
            };
            checks.push(Check::fail(
                "lock-folder",
                format!("no file can be made in `{shown}`: {error}"),
                format!("{remedy}; until then the board is written without the lock"),
            ));
            return here;
        }
    };
    checks.push(Check::ok(
        "lock-folder",
        format!("files can be made in `{shown}`"),
    ));
    let or_rename = abilities.no_replace.is_ok();
    checks.push(match &abilities.hard_link {
        Ok(()) => Check::ok("hard-links", "the lock is published by a hard link"),
        Err(error) if or_rename => Check::note(
            "hard-links",
            format!("there are none here ({error}): a rename that never replaces does as well"),
        ),
        Err(error) => Check::note(
            "hard-links",
            format!(
                "there are none here ({error}): a lock is there before it is complete, and \
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
        "nothing can be swapped: what an editor writes in the same millisecond can be lost",
    ));
    checks.push(ability(
        "kernel-lock",
        &abilities.kernel_lock,
        "a dead holder's lock is known to be dead at once",
        "there are no kernel locks: a dead holder's lock is waited for until it is stale",
    ));
    let there = abilities.clock.unwrap_or(here);
    checks.push(clock(here, there));
    there
}

/// What is missing is made up for, so there is nothing to do.
fn ability(id: &'static str, tried: &io::Result<()>, with: &str, without: &str) -> Check {
    match tried {
        Ok(()) => Check::ok(id, with),
        Err(error) => Check::note(id, format!("{without} ({error})")),
    }
}

fn clock(here: SystemTime, there: SystemTime) -> Check {
    let ahead = there.duration_since(here).unwrap_or_default();
    let behind = here.duration_since(there).unwrap_or_default();
    let skew = ahead.max(behind);
    if skew <= SKEW {
        return Check::ok(
            "clock",
            format!("within {} ms of this host's", skew.as_millis()),
        );
    }
    let way = if ahead > behind { "ahead of" } else { "behind" };
    Check::warn(
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
    use super::super::Mark;
    use super::clock;
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
