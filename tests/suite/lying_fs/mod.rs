//! Two hosts share a folder through a file system of ours that lies, and no row
//! is lost, nor what an editor saved in between.

mod lie;
mod passthrough;
mod requests;
mod shared;

use crate::env::Said;
use lie::Lie;
use rustix::io::Errno;
use shared::{Allowed, Shared};

#[test]
fn a_latch_that_is_refused_with_eacces_is_waited_for() {
    let Some(shared) = Shared::new(Lie::BusyLockIsRefused, NOTHING) else {
        return;
    };
    let host = &shared.hosts[0];
    let said: Vec<Said> = std::thread::scope(|scope| {
        let run = |writer: usize| {
            let mut command = host.update(&writer.to_string(), "s0");
            command.env("BOARDSYNC_SKIP_LOCK", "1");
            scope.spawn(move || command.output().unwrap().into())
        };
        let runs: Vec<_> = (0..8).map(run).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    for said in said {
        assert_eq!(said.json()["lock"]["latched"], true, "{said:?}");
    }
}

fn holds(lie: Lie, allowed: Allowed) {
    let Some(shared) = Shared::new(lie, allowed) else {
        return;
    };
    shared.all_write();
    if !allowed.unwritten {
        shared.assert_nothing_is_lost();
    }
    shared.assert_nothing_is_left();
    shared.assert_exclusive();
}

#[test]
fn doctor_tells_what_is_lied_about() {
    let lies = [
        (Lie::RenameIgnoresFlags, "exchange"),
        (Lie::ExchangeDoesNothing, "exchange"),
        (Lie::NoLink(Errno::IO), "hard-links"),
    ];
    for (lie, untrue) in lies {
        let Some(shared) = Shared::new(lie, NOTHING) else {
            return;
        };
        let doctor = shared.hosts[0].command(&["doctor", "--json"]).output();
        let found = Said::from(doctor.unwrap()).json();
        let found = found["checks"].as_array().unwrap();
        let mark = |id| &found.iter().find(|it| it["id"] == id).unwrap()["mark"];
        for id in ["hard-links", "exchange"] {
            let expected = if id == untrue { "note" } else { "ok" };
            assert_eq!(mark(id), expected, "{lie:?}: {found:?}");
        }
    }
}

const NOTHING: Allowed = Allowed {
    unlocked: false,
    unwritten: false,
};

#[test]
fn an_honest_one() {
    holds(Lie::Honest, NOTHING);
}

#[test]
fn a_rename_without_its_flags() {
    holds(Lie::RenameIgnoresFlags, NOTHING);
    holds(Lie::RenameIgnoresFlagsAndNoLink, NOTHING);
}

#[test]
fn an_exchange_that_does_nothing() {
    holds(Lie::ExchangeDoesNothing, NOTHING);
}

#[test]
fn no_links_for_whatever_reason() {
    for errno in [Errno::IO, Errno::ACCESS, Errno::XDEV] {
        holds(Lie::NoLink(errno), NOTHING);
    }
}

#[test]
fn renames_that_fail_twice() {
    for errno in [Errno::BUSY, Errno::ACCESS] {
        holds(Lie::RenameFailsTwice(errno), NOTHING);
    }
}

#[test]
fn a_board_that_is_busy_for_ever() {
    holds(Lie::BoardIsBusy, NOTHING);
}

#[test]
fn names_that_cannot_be_moved() {
    for errno in [Errno::BUSY, Errno::ACCESS] {
        let unwritten = Allowed {
            unwritten: true,
            ..NOTHING
        };
        holds(Lie::NothingMoves(errno), unwritten);
    }
}

#[test]
fn folders_on_two_branches() {
    holds(Lie::FoldersApart, NOTHING);
}

#[test]
fn a_file_that_is_stale_after_a_rename() {
    holds(Lie::StaleOpen, NOTHING);
    holds(Lie::StaleRead, NOTHING);
}

#[test]
fn a_file_that_cannot_be_read_at_first() {
    holds(Lie::NewIsUnreadable, NOTHING);
}

#[test]
fn kernel_locks_that_are_refused_with_eacces() {
    holds(Lie::BusyLockIsRefused, NOTHING);
    // Each waits a second for the latch while it holds the lock.
    let unlocked = Allowed {
        unlocked: true,
        ..NOTHING
    };
    holds(Lie::NoKernelLock, unlocked);
}
