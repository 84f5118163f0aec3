//! A fail-open read-modify-write mutex for shared markdown boards.
//!
//! People who run many coding sessions at once keep one note that says which
//! session runs where. Every session start and end updates it, from
//! short-lived processes, on one host or several. This crate makes those
//! updates safe and unnoticeable: [`update()`] is the whole of it.
//!
//! Three layers, each for a different neighbour, and each enough without the
//! ones above it:
//!
//! | layer | keeps apart | where |
//! |---|---|---|
//! | lock, a file that everyone sees | hosts that share a volume, the Node peer, scripts | [`lock`] |
//! | latch, the kernel's | all boardsync processes of this host | [`commit`] |
//! | exchange, an atomic swap | editors, sync tools, anyone who asks nobody | [`commit`] |
//!
//! Arrows run downward only: `edit` → {[`session`], [`board`], [`commit`],
//! [`lock`], [`ledger`]} → [`vault`], [`disk`]. [`lock`] and [`board`] know
//! nothing of each other. [`agent`] says what a coding agent's event means.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::unwrap_used))]

pub mod agent;
mod aside;
pub mod board;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod commit;
pub mod config;
mod conflict_copy;
pub mod disk;
#[cfg(feature = "cli")]
mod duration;
pub mod edit;
mod host_name;
pub mod ledger;
pub mod lock;
pub mod note;
mod printable;
pub mod session;
#[cfg(feature = "cli")]
mod setup;
mod timestamp;
pub mod vault;

pub use conflict_copy::{CopyName, copy_name, is_conflict_copy};

pub use edit::update;
pub use lock::with_board_lock;
pub use printable::{is_acted_on, printable};
pub use timestamp::Timestamp;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
