//! The checks of `doctor`: one file per check, and one list of all.

mod board;
mod copies;
mod environment;
mod file_system;
mod git;
mod hook_binary;
mod hooks;
mod hosts;
mod ledger;
mod leftovers;
mod lock;
mod sessions;
mod syncthing;
mod vault;

use super::check::{Findings, Inspection};

/// A check: looks at one thing, changes nothing, and adds what it finds.
pub type Check = fn(&Inspection, &mut Findings);

/// All checks, in the order of their lines.
pub const CHECKS: &[Check] = &[
    vault::check,
    // Before the temporaries of what tries the file system.
    leftovers::check,
    file_system::check,
    environment::check,
    lock::check,
    copies::check,
    board::check,
    hosts::check,
    git::check,
    syncthing::check,
    hooks::check,
    hook_binary::check,
    sessions::check,
    ledger::check,
];
