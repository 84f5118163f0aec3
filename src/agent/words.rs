//! What the names of events mean: one list for all agents.

use super::entry::{Agent, END, IDLE, START, WAITING, WORKING, Words};
use crate::session::lease::EventKind;

/// Names that mean the same wherever they are used; Claude Code's, mostly.
const SHARED: Words = &[
    (START, "SessionStart"),
    (END, "SessionEnd"),
    (WORKING, "UserPromptSubmit UserPromptSubmitted"),
    (
        WORKING,
        "PreToolUse PostToolUse PostToolUseFailure BeforeTool AfterTool",
    ),
    (WAITING, "PermissionRequest Elicitation"),
    (IDLE, "Stop StopFailure"),
];

/// The meaning of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The name is known.
    Known(EventKind),
    /// The name is unknown: a sign of life.
    Unknown,
}

/// Reads the name of an event of `agent`, whatever its case and separators.
pub fn meaning(name: &str, agent: Option<&Agent>) -> Meaning {
    let own = find(name, own_words(agent));
    own.or_else(|| find(name, SHARED))
        .map_or(Meaning::Unknown, Meaning::Known)
}

fn own_words(agent: Option<&Agent>) -> Words {
    agent.map_or(&[], |agent| agent.words)
}

fn find(name: &str, words: Words) -> Option<EventKind> {
    let name = plain(name);
    let mut words = words.iter();
    let found = words.find(|(_, words)| words.split(' ').any(|word| plain(word) == name));
    found.map(|(kind, _)| *kind)
}

/// Returns whether a name is that of a notification, which may be about anything.
pub fn is_notification(name: &str) -> bool {
    plain(name) == "notification"
}

/// Reads a notification: does it ask for the person?
///
/// Claude Code: `permission_prompt`, `idle_prompt`, `elicitation_dialog`;
/// Gemini: `ToolPermission`; older versions give no type, only a message. An agent
/// may use a type in a sense of its own.
pub fn notified(kind: Option<&str>, message: Option<&str>, agent: Option<&Agent>) -> EventKind {
    if let Some(own) = kind.and_then(|kind| find(kind, own_words(agent))) {
        return own;
    }
    let asks = match kind {
        Some(kind) => {
            let kind = plain(kind);
            ["permission", "prompt", "question", "elicitationdialog"]
                .iter()
                .any(|word| kind.contains(word))
        }
        None => {
            let message = message.unwrap_or_default().to_lowercase();
            ["permission", "waiting for your", "needs your"]
                .iter()
                .any(|words| message.contains(words))
        }
    };
    if asks { WAITING } else { EventKind::Life }
}

/// Makes names comparable: `session.created` and `sessionCreated` are one.
pub fn plain(name: &str) -> String {
    name.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{AGENTS, named};
    use super::*;

    #[test]
    fn a_name_means_the_same_in_every_spelling() {
        use Meaning::{Known, Unknown};
        for (name, agent, expected) in [
            ("SessionStart", "", Known(EventKind::Start)),
            ("session_start", "pi", Known(EventKind::Start)),
            ("sessionEnd", "copilot", Known(EventKind::End)),
            ("userPromptSubmitted", "copilot", Known(WORKING)),
            ("agentStop", "copilot", Known(IDLE)),
            ("agent_end", "cline", Known(IDLE)),
            ("agent_start", "cline", Known(EventKind::Start)),
            ("agent_start", "pi", Known(WORKING)),
            ("BeforeAgent", "gemini", Known(WORKING)),
            ("session.idle", "opencode", Known(IDLE)),
            ("PreCompact", "claude-code", Unknown),
            ("BeforeAgent", "", Unknown),
            ("SomethingOf2030", "claude-code", Unknown),
        ] {
            assert_eq!(meaning(name, named(agent)), expected, "{name} of {agent}");
        }
    }

    #[test]
    fn a_notification_waits_only_if_it_asks_for_the_person() {
        for (kind, message, expected) in [
            (Some("permission_prompt"), None, WAITING),
            (Some("idle_prompt"), None, WAITING),
            (Some("elicitation_dialog"), None, WAITING),
            (Some("elicitation_complete"), None, EventKind::Life),
            (Some("ToolPermission"), None, WAITING),
            (
                Some("auth_success"),
                Some("needs your permission"),
                EventKind::Life,
            ),
            (
                None,
                Some("Claude needs your permission to use Bash"),
                WAITING,
            ),
            (None, Some("Claude is waiting for your input"), WAITING),
            (None, Some("Done"), EventKind::Life),
            (None, None, EventKind::Life),
        ] {
            let notified = notified(kind, message, None);
            assert_eq!(notified, expected, "{kind:?} {message:?}");
        }
        // It says so at the end of every turn.
        let qwen = |kind| notified(Some(kind), None, named("qwen"));
        assert_eq!(qwen("idle_prompt"), IDLE);
        assert_eq!(qwen("permission_prompt"), WAITING);
    }

    #[test]
    fn no_two_agents_have_a_name_in_common() {
        let mut names: Vec<_> = AGENTS.iter().map(|agent| agent.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), AGENTS.len());
    }
}
