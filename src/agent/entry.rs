//! What is known of one agent.

use super::fields::Field;
use super::settings::Settings;
use crate::session::lease::{Activity, EventKind, ProcessScope};

/// Whether a person gets to see the `systemMessage` that a hook prints at a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// It is shown, and given to no model.
    Message,
    /// It is not shown, or nobody has tried.
    Nothing,
}

/// A coding agent.
#[derive(Debug)]
pub struct Agent {
    /// Its name, for `--agent` and in leases.
    pub name: &'static str,
    /// Its name to people.
    pub title: &'static str,
    /// The names of its program, and of the package of its script.
    pub programs: &'static [&'static str],
    /// Its own folders in the home folder: no session works there.
    pub folders: &'static [&'static str],
    /// Names of events that only it uses, or uses in a sense of its own,
    /// separated by blanks.
    pub words: Words,
    /// Names of fields that only its payloads have, in lower case and without
    /// separators.
    pub fields: &'static [(Field, &'static str)],
    /// A field that gives away whose payload it is.
    pub own_field: Option<&'static str>,
    /// The variable that gives its hooks the session's id.
    pub id_variable: Option<&'static str>,
    /// The variable that gives its hooks the number of its process.
    pub pid_variable: Option<&'static str>,
    /// The variable that gives its hooks the session's project.
    pub project_variable: Option<&'static str>,
    /// What the life of its process proves about one session: its scope.
    pub process: ProcessScope,
    /// Whether its person sees what a hook prints.
    pub shows: Shows,
    /// How it is set up; `None` if `init` does not.
    pub settings: Option<Settings>,
}

/// Meanings, and the names of the events that have them.
pub type Words = &'static [(EventKind, &'static str)];

/// The start of a session.
pub const START: EventKind = EventKind::Start;
/// The end of a session.
pub const END: EventKind = EventKind::End;
/// The event of a session at work.
pub const WORKING: EventKind = EventKind::Now(Activity::Working);
/// The event of a session that has finished its turn.
pub const IDLE: EventKind = EventKind::Now(Activity::Idle);
/// The event of a session that waits for its person.
pub const WAITING: EventKind = EventKind::Now(Activity::Waiting);

/// What most agents have in common.
pub const PLAIN: Agent = Agent {
    name: "",
    title: "",
    programs: &[],
    folders: &[],
    words: &[],
    fields: &[],
    own_field: None,
    id_variable: None,
    pid_variable: None,
    project_variable: None,
    process: ProcessScope::Session,
    shows: Shows::Nothing,
    settings: None,
};
