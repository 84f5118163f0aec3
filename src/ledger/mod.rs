//! What every update leaves behind for later: one line in `events.jsonl`.
//!
//! [`append`] writes it into the repository, in the form of session-orchestrator
//! 5.3.0, whose tools read it too; [`summarise`] counts what is there, and
//! [`Summary::advice`] says what the counts mean.

mod advice;
mod append;
mod summary;

pub use append::{LEDGER, LedgerEntry, LockNote, append};
pub use summary::{Summary, Waits, summarise};

/// Names the one event that the ledger is about; other lines are others' own.
const EVENT: &str = "orchestrator.vault.board_written";
