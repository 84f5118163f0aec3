//! Fail points: the named steps at which a test may stop, kill or fail a process.
//!
//! In a release every step is nothing at all. With the feature `failpoints`
//! the variable `FAILPOINTS` of the `fail` crate says what happens at
//! `<step>.before` and `<step>.after`, for example
//! `board.exchange.after=return(kill)`. The words inside `return(…)`:
//!
//! | word | what happens |
//! |---|---|
//! | `kill` | the process ends as by SIGKILL |
//! | `park:PATH` | it creates `PATH.reached` and goes on once `PATH.go` exists; it ends with its parent, or after 60 s |
//! | a number | the step fails with that `errno` |

use std::io;

/// Lists every step of an update that changes a file, in their order.
pub const OF_AN_UPDATE: &[&str] = &[
    "folder.create",
    "folder.sync",
    "gate.open",
    "gate.lock",
    "record.create",
    "record.write",
    "record.sync",
    "record.touch",
    "lock.publish",
    "lock.take-over",
    "lock.swap-folder",
    "lock.move-folder",
    "lock.remove-folder",
    "lock.unlink",
    "lock.beat",
    "guard.create",
    "guard.write",
    "guard.publish",
    "guard.unlink",
    "guard.remove-dead",
    "pending.unlink",
    "latch.open",
    "latch.lock",
    "board.create",
    "board.mode",
    "board.write",
    "board.sync",
    "board.stage",
    "board.exchange",
    "board.replace",
    "board.publish",
    "board.sync-folder",
    "board.unlink",
    "board.swap-back",
    "board.write-over",
    "leftover.claim",
    "leftover.unlink",
    "archive.move",
    "own-rows.append",
    "own-rows.create",
    "own-rows.write",
    "own-rows.replace",
];

/// Lists the steps of the other commands that change a file.
pub const OF_OTHERS: &[&str] = &[
    "archive.create",
    "archive.write",
    "lease.create",
    "lease.write",
    "lease.replace",
    "lease.unlink",
    "first-seen.create",
    "first-seen.write",
    "first-seen.replace",
    "lease.lock-open",
    "lease.lock",
    "file.create",
    "file.write",
    "file.sync",
    "file.replace",
    "file.unlink",
    "probe.create",
    "probe.unlink",
];

/// Runs `act` as the step `name`, with what a test asked for around it.
pub fn around<T>(name: &'static str, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    hit(name, "before")?;
    let done = act()?;
    hit(name, "after")?;
    Ok(done)
}

#[cfg(not(feature = "failpoints"))]
#[inline(always)]
fn hit(_name: &'static str, _when: &str) -> io::Result<()> {
    Ok(())
}

#[cfg(feature = "failpoints")]
fn hit(name: &'static str, when: &str) -> io::Result<()> {
    use std::sync::OnceLock;
    static SCENARIO: OnceLock<()> = OnceLock::new();
    SCENARIO.get_or_init(|| std::mem::forget(fail::FailScenario::setup()));
    let is_listed = OF_AN_UPDATE.contains(&name) || OF_OTHERS.contains(&name);
    assert!(is_listed, "the step `{name}` is missing from its list");
    match fail::eval(&format!("{name}.{when}"), |word| word.unwrap_or_default()) {
        None => Ok(()),
        Some(word) => obey(&word),
    }
}

#[cfg(feature = "failpoints")]
fn obey(word: &str) -> io::Result<()> {
    if word == "kill" {
        let _ =
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        std::process::abort();
    }
    if let Some(path) = word.strip_prefix("park:") {
        return park(path);
    }
    match word.parse() {
        Ok(errno) => Err(io::Error::from_raw_os_error(errno)),
        Err(_) => panic!("`{word}` is not an action of a fail point"),
    }
}

#[cfg(feature = "failpoints")]
fn park(path: &str) -> io::Result<()> {
    use std::time::{Duration, Instant};
    const LIMIT: Duration = Duration::from_secs(60);
    let (parent, since) = (rustix::process::getppid(), Instant::now());
    std::fs::write(format!("{path}.reached"), "")?;
    let go = format!("{path}.go");
    while !std::path::Path::new(&go).exists() {
        // A test that has died lets nobody go on.
        if rustix::process::getppid() != parent || since.elapsed() > LIMIT {
            std::process::abort();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
