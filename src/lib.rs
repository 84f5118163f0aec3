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
//! | latch, the kernel's | all boardsync processes of this host | the commit |
//! | exchange, an atomic swap | editors, sync tools, anyone who asks nobody | the commit |
//!
//! Default features hold the command line; without them, `board` adds [`board`]
//! and [`edit`](mod@edit) to [`lock`].

#![allow(rustdoc::private_intra_doc_links, reason = "for readers of the source")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::unwrap_used))]
#![cfg_attr(
    not(feature = "internals"),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        reason = "used by the command line, or by tests"
    )
)]

#[cfg(feature = "board")]
pub mod board;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "board")]
pub mod edit;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
pub mod lock;

#[cfg(feature = "board")]
mod agent;
#[cfg(feature = "board")]
mod archive;
#[cfg(feature = "board")]
mod commit;
#[cfg(feature = "board")]
mod config;
#[cfg(feature = "board")]
mod conflict_copy;
mod disk;
#[cfg(feature = "cli")]
mod duration;
#[cfg(feature = "board")]
mod git;
mod host_name;
#[cfg(feature = "board")]
mod ledger;
#[cfg(feature = "board")]
mod note;
mod printable;
#[cfg(feature = "board")]
mod session;
#[cfg(feature = "cli")]
mod setup;
mod timestamp;

#[cfg(feature = "board")]
pub use edit::update;
pub use lock::with_board_lock;
pub use timestamp::Timestamp;

#[cfg(all(doctest, feature = "board"))]
#[doc = include_str!("../README.md")]
struct Readme;
