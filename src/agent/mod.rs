//! What a coding agent's hook event means for the board.
//!
//! [`Event::read`] understands the JSON that Claude Code gives its hooks,
//! [`locate`] finds the repository it is about, and [`decide`] says whether the
//! row of that repository changes at all.

mod decide;
mod event;
mod kind;
mod locate;

pub use decide::{QUIET_FOR_MS, REFRESH_AFTER_MS, Verdict, decide};
pub use event::{Event, EventError, LIMIT};
pub use kind::Kind;
pub use locate::{Whereabouts, locate};
