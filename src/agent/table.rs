//! Which coding agents there are: one entry per agent.
//!
//! What an entry says comes from the agent's documentation and from recorded
//! runs (`fixtures/agents`). Event names and fields that most of them share
//! are in [`super::words`] and [`super::fields`].

use super::entry::{Agent, END, IDLE, PLAIN, START, Shows, WAITING, WORKING};
use super::fields::Field;
use super::settings::{Content, Settings};
use crate::session::lease::ProcessScope;

/// Claude Code's format, with timeouts in seconds.
const SECONDS: Content = Content::grouped(1);
/// The same, with timeouts in milliseconds.
const MILLISECONDS: Content = Content::grouped(1000);
const COPILOT: Content = Content::flat("bash", Some("timeoutSec"));
const OPENCODE: Content = Content::PlugIn(include_str!("../../plugins/opencode/boardsync.js"));
const PI: Content = Content::PlugIn(include_str!("../../plugins/pi/boardsync.ts"));

const EVENTS: &str = "SessionStart UserPromptSubmit Stop SessionEnd";
const AND_NOTIFICATION: &str = "SessionStart UserPromptSubmit Notification Stop SessionEnd";

/// All agents; the first is set up where none is installed.
pub static AGENTS: &[Agent] = &[
    Agent {
        name: "claude-code",
        title: "Claude Code",
        programs: &["claude", "claude-code"],
        folders: &[".claude"],
        id_variable: Some("CLAUDE_CODE_SESSION_ID"),
        pid_variable: Some("CLAUDE_PID"),
        project_variable: Some("CLAUDE_PROJECT_DIR"),
        // Tried with 2.1.197 and 2.1.332.
        shows: Shows::Message,
        settings: Some(Settings {
            folder_variable: Some("CLAUDE_CONFIG_DIR"),
            events: AND_NOTIFICATION,
            start_matcher: Some("startup|resume|clear|compact|fork"),
            project_files: &[".claude/settings.local.json", ".claude/settings.json"],
            managed_file: Some(if cfg!(target_os = "macos") {
                "/Library/Application Support/ClaudeCode/managed-settings.json"
            } else if cfg!(windows) {
                r"C:\Program Files\ClaudeCode\managed-settings.json"
            } else {
                "/etc/claude-code/managed-settings.json"
            }),
            ..Settings::at(".claude", "settings.json", SECONDS)
        }),
        ..PLAIN
    },
    Agent {
        name: "codex",
        title: "Codex",
        programs: &["codex"],
        folders: &[".codex"],
        process: ProcessScope::Daemon,
        settings: Some(Settings {
            folder_variable: Some("CODEX_HOME"),
            events: "SessionStart UserPromptSubmit PermissionRequest Stop SessionEnd",
            // More is refused.
            end_seconds: 3,
            trust_file: Some("config.toml"),
            ..Settings::at(".codex", "hooks.json", SECONDS)
        }),
        ..PLAIN
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        programs: &["gemini", "gemini-cli"],
        folders: &[".gemini"],
        words: &[(WORKING, "BeforeAgent"), (IDLE, "AfterAgent")],
        id_variable: Some("GEMINI_SESSION_ID"),
        project_variable: Some("GEMINI_PROJECT_DIR"),
        settings: Some(Settings {
            home_variable: Some("GEMINI_CLI_HOME"),
            events: "SessionStart BeforeAgent Notification AfterAgent SessionEnd",
            ..Settings::at(".gemini", "settings.json", MILLISECONDS)
        }),
        ..PLAIN
    },
    Agent {
        name: "qwen",
        title: "Qwen Code",
        programs: &["qwen", "qwen-code"],
        folders: &[".qwen"],
        // A notification at the end of every turn, not of one that waits for long.
        words: &[(IDLE, "idle_prompt")],
        id_variable: Some("QWEN_CODE_SESSION_ID"),
        settings: Some(Settings {
            folder_variable: Some("QWEN_HOME"),
            events: AND_NOTIFICATION,
            ..Settings::at(".qwen", "settings.json", MILLISECONDS)
        }),
        ..PLAIN
    },
    Agent {
        name: "copilot",
        title: "Copilot CLI",
        programs: &["copilot"],
        folders: &[".copilot"],
        words: &[(IDLE, "agentStop")],
        settings: Some(Settings {
            folder_variable: Some("COPILOT_HOME"),
            // Names in this spelling come with Claude's payload, but for a notification.
            events: AND_NOTIFICATION,
            ..Settings::at(".copilot", "hooks/boardsync.json", COPILOT)
        }),
        ..PLAIN
    },
    Agent {
        name: "cursor",
        title: "Cursor",
        programs: &["cursor", "cursor-agent"],
        folders: &[".cursor"],
        words: &[(WORKING, "beforeSubmitPrompt")],
        fields: &[
            (Field::Session, "conversationid"),
            (Field::Folder, "workspaceroots"),
        ],
        own_field: Some("cursor_version"),
        project_variable: Some("CURSOR_PROJECT_DIR"),
        process: ProcessScope::Daemon,
        settings: Some(Settings {
            events: "sessionStart beforeSubmitPrompt stop sessionEnd",
            ..Settings::at(".cursor", "hooks.json", Content::flat("command", None))
        }),
        ..PLAIN
    },
    Agent {
        name: "cline",
        title: "Cline",
        programs: &["cline"],
        folders: &[".cline"],
        words: &[
            (START, "TaskStart TaskResume agent_start agent_resume"),
            (WORKING, "tool_call tool_result prompt_submit"),
            (IDLE, "TaskComplete TaskCancel agent_end agent_abort"),
            (END, "session_shutdown"),
        ],
        fields: &[
            (Field::Event, "hookname"),
            (Field::Session, "taskid"),
            (Field::Folder, "workspaceroots"),
        ],
        own_field: Some("clineVersion"),
        process: ProcessScope::Daemon,
        settings: Some(Settings {
            folder_variable: Some("CLINE_DIR"),
            events: "TaskStart TaskResume UserPromptSubmit TaskComplete TaskCancel",
            ..Settings::at(".cline", "hooks", Content::Programs)
        }),
        ..PLAIN
    },
    Agent {
        name: "opencode",
        title: "opencode",
        programs: &["opencode", "opencode-ai"],
        folders: &[".opencode", ".config/opencode"],
        words: &[
            (START, "session.created"),
            (WORKING, "session.status"),
            (IDLE, "session.idle"),
            (WAITING, "permission.asked permission.updated"),
            (END, "session.deleted"),
        ],
        process: ProcessScope::Daemon,
        settings: Some(Settings {
            folder_variable: Some("OPENCODE_CONFIG_DIR"),
            ..Settings::at(".config/opencode", "plugin/boardsync.js", OPENCODE)
        }),
        ..PLAIN
    },
    Agent {
        name: "pi",
        title: "Pi",
        programs: &["pi", "pi-coding-agent"],
        folders: &[".pi"],
        words: &[
            (WORKING, "agent_start"),
            (IDLE, "agent_end"),
            (END, "session_shutdown"),
        ],
        settings: Some(Settings {
            folder_variable: Some("PI_CODING_AGENT_DIR"),
            ..Settings::at(".pi/agent", "extensions/boardsync.ts", PI)
        }),
        ..PLAIN
    },
    Agent {
        name: "grok",
        title: "Grok Build",
        programs: &["grok"],
        folders: &[".grok"],
        fields: &[(Field::Folder, "workspaceroot")],
        project_variable: Some("GROK_WORKSPACE_ROOT"),
        ..PLAIN
    },
    Agent {
        name: "vscode",
        title: "VS Code",
        programs: &["code", "code-insiders"],
        folders: &[".vscode", ".vscode-server"],
        process: ProcessScope::Daemon,
        ..PLAIN
    },
    Agent {
        name: "goose",
        title: "goose",
        programs: &["goose"],
        folders: &[".agents", ".config/goose"],
        fields: &[(Field::Folder, "workingdir")],
        settings: Some(Settings {
            sign: Some(".config/goose"),
            events: EVENTS,
            ..Settings::at(".agents", "plugins/boardsync/hooks/hooks.json", SECONDS)
        }),
        ..PLAIN
    },
    Agent {
        name: "crush",
        title: "Crush",
        programs: &["crush"],
        folders: &[".config/crush"],
        project_variable: Some("CRUSH_PROJECT_DIR"),
        ..PLAIN
    },
    Agent {
        name: "antigravity",
        title: "Antigravity",
        programs: &["antigravity"],
        folders: &[".antigravity"],
        fields: &[
            (Field::Session, "conversationid"),
            (Field::Folder, "workspacepaths"),
        ],
        process: ProcessScope::Daemon,
        ..PLAIN
    },
    Agent {
        name: "kiro",
        title: "Kiro",
        programs: &["kiro", "kiro-cli"],
        folders: &[".kiro"],
        words: &[(START, "agentSpawn")],
        process: ProcessScope::Daemon,
        ..PLAIN
    },
    Agent {
        name: "droid",
        title: "Droid",
        programs: &["droid"],
        folders: &[".factory"],
        ..PLAIN
    },
];
