//! Which coding agents there are, and what their hooks say.
//!
//! [`AGENTS`] is the table; adding one is an entry there and its recorded
//! payload in `fixtures/agents`. [`Payload::read`] understands the JSON that
//! any of them gives its hooks, [`meaning`] the names of their events,
//! [`caller`] finds the process behind the hook, and [`locate`] the repository
//! that it is about.

mod locate;
mod payload;
mod process;
mod table;
mod words;

pub use locate::{Location, is_an_agents_own, locate};
pub use payload::{LIMIT, Payload, PayloadError};
pub use process::{Caller, caller};
pub use table::{AGENTS, Agent, Shows, named};
pub use words::{Meaning, is_notification, meaning, notified};
