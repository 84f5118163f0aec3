//! Which coding agents there are, what their hooks say, and how they are set up.
//!
//! [`AGENTS`] is the table; adding one is an entry there and its recorded
//! payload in `fixtures/agents`. [`Payload::read`] understands the JSON that
//! any of them gives its hooks, [`meaning`] the names of their events,
//! [`caller`] finds the process behind the hook, and [`locate`] the repository
//! that it is about. [`Settings`] describes what `init` writes.

mod entry;
mod fields;
mod locate;
mod payload;
mod process;
mod settings;
mod table;
mod words;

pub use entry::{Agent, Shows};
pub use locate::{Location, is_an_agents_own, locate};
pub use payload::{MAX_BYTES, Payload, PayloadError};
pub use process::{Caller, caller};
pub use settings::{Content, HookFormat, SECONDS, Settings};
pub use table::AGENTS;
pub use words::{Meaning, is_notification, meaning, notified};

/// Finds an agent by its name.
pub fn named(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name)
}
