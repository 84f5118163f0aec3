//! How each coding agent is set up: where its settings lie, and what they hold.
//!
//! To add an agent is to add an entry. Sources: the agents' documentation, and
//! runs of the programs.

use super::settings::{HookEvent, Shape};
use crate::config::Env;
use std::path::{Path, PathBuf};

/// A coding agent, as far as setting it up goes.
#[derive(Debug)]
pub struct Agent {
    /// Names it on the command line.
    pub name: &'static str,
    /// Names it to people.
    pub title: &'static str,
    /// The variable that names its folder.
    folder_variable: Option<&'static str>,
    /// Its folder, below the home folder.
    folder: &'static str,
    /// The folder that shows that it is installed, where that is another.
    sign: Option<&'static str>,
    /// What calls boardsync.
    pub caller: Caller,
}

/// What calls boardsync at an agent's events.
#[derive(Debug)]
pub enum Caller {
    /// Hooks in a JSON file, a path in the agent's folder.
    Hooks {
        /// The file.
        file: &'static str,
        /// How a hook is written.
        shape: Shape,
        /// Where hooks are hooked.
        events: &'static [HookEvent],
        /// The folders that are made for the file.
        own_folders: usize,
    },
    /// A program for each of these events, in this folder.
    Programs {
        /// The folder, in the agent's.
        folder: &'static str,
        /// The events, which are the programs' names.
        events: &'static [&'static str],
    },
    /// A plug-in.
    PlugIn {
        /// The file, in the agent's folder.
        file: &'static str,
        /// Its text, with `"boardsync"` where the program's path belongs.
        text: &'static str,
    },
}

const SECONDS: Shape = Shape::Nested { per_second: 1 };
const MILLIS: Shape = Shape::Nested { per_second: 1000 };

const fn edge(name: &'static str, seconds: u32) -> HookEvent {
    HookEvent {
        name,
        matcher: None,
        seconds,
        is_edge: true,
    }
}

const fn within(name: &'static str) -> HookEvent {
    HookEvent {
        name,
        matcher: None,
        seconds: 10,
        is_edge: false,
    }
}

/// The agents that can be set up.
pub const AGENTS: [Agent; 10] = [
    Agent {
        name: "claude-code",
        title: "Claude Code",
        folder_variable: Some("CLAUDE_CONFIG_DIR"),
        folder: ".claude",
        sign: None,
        caller: Caller::Hooks {
            file: "settings.json",
            shape: SECONDS,
            own_folders: 1,
            events: &[
                HookEvent {
                    name: "SessionStart",
                    matcher: Some("startup|resume|clear|compact|fork"),
                    seconds: 10,
                    is_edge: true,
                },
                within("UserPromptSubmit"),
                within("Notification"),
                within("Stop"),
                edge("SessionEnd", 10),
            ],
        },
    },
    Agent {
        name: "codex",
        title: "Codex",
        folder_variable: Some("CODEX_HOME"),
        folder: ".codex",
        sign: None,
        caller: Caller::Hooks {
            file: "hooks.json",
            shape: SECONDS,
            own_folders: 1,
            events: &[
                edge("SessionStart", 10),
                within("UserPromptSubmit"),
                within("Stop"),
                // More than 3 s is refused.
                edge("SessionEnd", 3),
            ],
        },
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        folder_variable: None,
        folder: ".gemini",
        sign: None,
        caller: Caller::Hooks {
            file: "settings.json",
            shape: MILLIS,
            own_folders: 1,
            events: &[
                edge("SessionStart", 10),
                within("BeforeAgent"),
                within("Notification"),
                within("AfterAgent"),
                edge("SessionEnd", 10),
            ],
        },
    },
    Agent {
        name: "qwen",
        title: "Qwen Code",
        folder_variable: None,
        folder: ".qwen",
        sign: None,
        caller: Caller::Hooks {
            file: "settings.json",
            shape: MILLIS,
            own_folders: 1,
            events: &[
                edge("SessionStart", 10),
                within("UserPromptSubmit"),
                within("Notification"),
                within("Stop"),
                edge("SessionEnd", 10),
            ],
        },
    },
    Agent {
        name: "copilot",
        title: "Copilot CLI",
        folder_variable: None,
        folder: ".copilot",
        sign: None,
        caller: Caller::Hooks {
            file: "hooks/boardsync.json",
            shape: Shape::Flat {
                command: "bash",
                timeout: Some("timeoutSec"),
            },
            own_folders: 2,
            // Names in this spelling come with Claude's payload.
            events: &[
                edge("SessionStart", 10),
                within("UserPromptSubmit"),
                within("Stop"),
                edge("SessionEnd", 10),
            ],
        },
    },
    Agent {
        name: "cursor",
        title: "Cursor",
        folder_variable: None,
        folder: ".cursor",
        sign: None,
        caller: Caller::Hooks {
            file: "hooks.json",
            shape: Shape::Flat {
                command: "command",
                timeout: None,
            },
            own_folders: 1,
            events: &[
                edge("sessionStart", 10),
                within("beforeSubmitPrompt"),
                within("stop"),
                edge("sessionEnd", 10),
            ],
        },
    },
    Agent {
        name: "cline",
        title: "Cline",
        folder_variable: None,
        folder: ".cline",
        sign: None,
        caller: Caller::Programs {
            folder: "hooks",
            events: &[
                "TaskStart",
                "TaskResume",
                "UserPromptSubmit",
                "TaskComplete",
                "TaskCancel",
            ],
        },
    },
    Agent {
        name: "opencode",
        title: "opencode",
        folder_variable: Some("OPENCODE_CONFIG_DIR"),
        folder: ".config/opencode",
        sign: None,
        caller: Caller::PlugIn {
            file: "plugin/boardsync.js",
            text: include_str!("../../plugins/opencode/boardsync.js"),
        },
    },
    Agent {
        name: "pi",
        title: "Pi",
        folder_variable: Some("PI_CODING_AGENT_DIR"),
        folder: ".pi/agent",
        sign: None,
        caller: Caller::PlugIn {
            file: "extensions/boardsync.ts",
            text: include_str!("../../plugins/pi/boardsync.ts"),
        },
    },
    Agent {
        name: "goose",
        title: "goose",
        folder_variable: None,
        folder: ".agents",
        sign: Some(".config/goose"),
        caller: Caller::Hooks {
            file: "plugins/boardsync/hooks/hooks.json",
            shape: SECONDS,
            own_folders: 4,
            events: &[
                edge("SessionStart", 10),
                within("UserPromptSubmit"),
                within("Stop"),
                edge("SessionEnd", 10),
            ],
        },
    },
];

impl Agent {
    /// Finds an agent by its name.
    pub fn named(name: &str) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| agent.name == name)
    }

    /// Gives the agent's folder; `None` where no home folder is known.
    pub fn folder(&self, env: &Env, home: Option<&Path>, cwd: &Path) -> Option<PathBuf> {
        let named = self.folder_variable.and_then(|name| env.path(name));
        let folder = named.or_else(|| Some(home?.join(self.folder)))?;
        Some(cwd.join(folder))
    }

    /// Returns whether the agent has been used here: its folder is there.
    pub fn is_installed(&self, env: &Env, home: Option<&Path>, cwd: &Path) -> bool {
        let folder = match (self.sign, home) {
            (Some(sign), Some(home)) => Some(home.join(sign)),
            _ => self.folder(env, home, cwd),
        };
        folder.is_some_and(|folder| folder.is_dir())
    }

    /// Gives the arguments with which the agent calls boardsync.
    pub fn arguments(&self) -> String {
        match self.name {
            // The payload says so itself, and this is the fastest call.
            "claude-code" => "hook".to_owned(),
            name => format!("hook --agent {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_and_every_agent_has_a_start_and_an_end() {
        for agent in &AGENTS {
            let known = crate::agent::AGENTS.iter();
            assert_eq!(
                known.filter(|it| it.name == agent.name).count(),
                1,
                "{}",
                agent.name
            );
            let same = AGENTS.iter().filter(|other| other.name == agent.name);
            assert_eq!(same.count(), 1, "{}", agent.name);
            if let Caller::Hooks { events, .. } = agent.caller {
                let edges = events.iter().filter(|event| event.is_edge).count();
                assert_eq!(edges, 2, "{}", agent.name);
            }
            if let Caller::PlugIn { text, .. } = agent.caller {
                assert_eq!(text.matches("\"boardsync\"").count(), 1, "{}", agent.name);
                assert!(
                    text.contains(super::super::whole_file::MARK),
                    "{}",
                    agent.name
                );
            }
        }
    }
}
