//! Which coding agents there are: one entry per agent.
//!
//! What an entry says comes from the agent's documentation and from recorded
//! runs (`fixtures/agents`). Event names and fields that most of them share
//! are in [`super::words`] and [`super::payload`].

use crate::session::lease::{Activity, EventKind, Scope};

/// Whether a person gets to see the `systemMessage` that a hook prints at a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// It is shown, and given to no model.
    Message,
    /// It is not, or nobody has tried.
    Nothing,
}

/// What is known of one agent.
#[derive(Debug)]
pub struct Agent {
    /// Its name, for `--agent` and in leases.
    pub name: &'static str,
    /// What its program, or the package of its script, is called.
    pub programs: &'static [&'static str],
    /// Its own folders in the home folder: no session works there.
    pub folders: &'static [&'static str],
    /// Names of events that only it uses, or uses in a sense of its own.
    pub words: &'static [(&'static str, EventKind)],
    /// The variable that gives its hooks the session's id.
    pub id_variable: Option<&'static str>,
    /// The variable that gives its hooks the number of its process.
    pub pid_variable: Option<&'static str>,
    /// A field that only its payloads have.
    pub field: Option<&'static str>,
    /// What the life of its process says of one session.
    pub process: Scope,
    /// Whether its person sees what a hook has to say.
    pub shows: Shows,
}

const WORKING: EventKind = EventKind::Now(Activity::Working);
const IDLE: EventKind = EventKind::Now(Activity::Idle);
const WAITING: EventKind = EventKind::Now(Activity::Waiting);

/// What most agents have in common.
const PLAIN: Agent = Agent {
    name: "",
    programs: &[],
    folders: &[],
    words: &[],
    id_variable: None,
    pid_variable: None,
    field: None,
    process: Scope::Session,
    shows: Shows::Nothing,
};

/// All agents.
pub const AGENTS: &[Agent] = &[
    Agent {
        name: "claude-code",
        programs: &["claude", "claude-code"],
        folders: &[".claude"],
        id_variable: Some("CLAUDE_CODE_SESSION_ID"),
        pid_variable: Some("CLAUDE_PID"),
        // Tried with 2.1.197 and 2.1.332.
        shows: Shows::Message,
        ..PLAIN
    },
    Agent {
        name: "codex",
        programs: &["codex"],
        folders: &[".codex"],
        process: Scope::Daemon,
        ..PLAIN
    },
    Agent {
        name: "gemini",
        programs: &["gemini", "gemini-cli"],
        folders: &[".gemini"],
        words: &[("BeforeAgent", WORKING), ("AfterAgent", IDLE)],
        id_variable: Some("GEMINI_SESSION_ID"),
        ..PLAIN
    },
    Agent {
        name: "qwen",
        programs: &["qwen", "qwen-code"],
        folders: &[".qwen"],
        id_variable: Some("QWEN_CODE_SESSION_ID"),
        ..PLAIN
    },
    Agent {
        name: "copilot",
        programs: &["copilot"],
        folders: &[".copilot"],
        words: &[("agentStop", IDLE)],
        ..PLAIN
    },
    Agent {
        name: "cursor",
        programs: &["cursor", "cursor-agent"],
        folders: &[".cursor"],
        words: &[("beforeSubmitPrompt", WORKING)],
        field: Some("cursor_version"),
        process: Scope::Daemon,
        ..PLAIN
    },
    Agent {
        name: "cline",
        programs: &["cline"],
        folders: &[".cline"],
        words: &[
            ("TaskStart", EventKind::Start),
            ("TaskResume", EventKind::Start),
            ("agent_start", EventKind::Start),
            ("agent_resume", EventKind::Start),
            ("tool_call", WORKING),
            ("tool_result", WORKING),
            ("prompt_submit", WORKING),
            ("TaskComplete", IDLE),
            ("TaskCancel", IDLE),
            ("agent_end", IDLE),
            ("agent_abort", IDLE),
            ("session_shutdown", EventKind::End),
        ],
        field: Some("clineVersion"),
        process: Scope::Daemon,
        ..PLAIN
    },
    Agent {
        name: "opencode",
        programs: &["opencode", "opencode-ai"],
        folders: &[".opencode", ".config/opencode"],
        words: &[
            ("session.created", EventKind::Start),
            ("session.status", WORKING),
            ("session.idle", IDLE),
            ("permission.asked", WAITING),
            ("permission.updated", WAITING),
            ("session.deleted", EventKind::End),
        ],
        process: Scope::Daemon,
        ..PLAIN
    },
    Agent {
        name: "pi",
        programs: &["pi", "pi-coding-agent"],
        folders: &[".pi"],
        words: &[
            ("agent_start", WORKING),
            ("agent_end", IDLE),
            ("session_shutdown", EventKind::End),
        ],
        ..PLAIN
    },
    Agent {
        name: "grok",
        programs: &["grok"],
        folders: &[".grok"],
        ..PLAIN
    },
    Agent {
        name: "vscode",
        programs: &["code", "code-insiders"],
        folders: &[".vscode", ".vscode-server"],
        process: Scope::Daemon,
        ..PLAIN
    },
    Agent {
        name: "goose",
        programs: &["goose"],
        folders: &[".agents", ".config/goose"],
        ..PLAIN
    },
    Agent {
        name: "crush",
        programs: &["crush"],
        folders: &[".config/crush"],
        ..PLAIN
    },
    Agent {
        name: "antigravity",
        programs: &["antigravity"],
        folders: &[".antigravity"],
        process: Scope::Daemon,
        ..PLAIN
    },
    Agent {
        name: "kiro",
        programs: &["kiro", "kiro-cli"],
        folders: &[".kiro"],
        words: &[("agentSpawn", EventKind::Start)],
        process: Scope::Daemon,
        ..PLAIN
    },
    Agent {
        name: "droid",
        programs: &["droid"],
        folders: &[".factory"],
        ..PLAIN
    },
];

/// Finds an agent by its name.
pub fn named(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name)
}
