//! The description of an agent's settings: where they lie, and what calls
//! boardsync in them. It is data; `setup` writes by it, and reads by it again.

/// The place and the content of an agent's settings.
#[derive(Debug)]
pub struct Settings {
    /// The agent's folder, below the home folder.
    pub folder: &'static str,
    /// The variable that names another folder.
    pub folder_variable: Option<&'static str>,
    /// The variable that names another home folder, for this agent.
    pub home_variable: Option<&'static str>,
    /// The folder below the home folder that shows that the agent is
    /// installed, where that is another one.
    pub sign: Option<&'static str>,
    /// The path in that folder of what calls boardsync.
    pub path: &'static str,
    /// What is there.
    pub content: Content,
    /// The events at which boardsync is called, separated by blanks.
    pub events: &'static str,
    /// What the hook at a start is narrowed to.
    pub start_matcher: Option<&'static str>,
    /// The seconds that the hook at an end may take.
    pub end_seconds: u32,
    /// Files in a repository that hold hooks too: the first one on this host
    /// only, the others for everybody.
    pub project_files: &'static [&'static str],
    /// The administrator's file.
    pub managed_file: Option<&'static str>,
    /// The TOML file in the folder that records which hooks the user trusts;
    /// the agent skips the others.
    pub trust_file: Option<&'static str>,
}

/// The part of an agent's settings that calls boardsync.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// A JSON file with hooks.
    Hooks(HookFormat),
    /// A folder with a program for each event, named after it.
    Programs,
    /// A plug-in of this text, with `"boardsync"` where the program's path belongs.
    PlugIn(&'static str),
}

/// The form of a hook in a JSON file.
#[derive(Clone, Copy, Debug)]
pub enum HookFormat {
    /// `{"matcher", "hooks": [{"type", "command", "timeout"}]}`, as Claude Code.
    Grouped {
        /// The units of a `timeout` in a second.
        per_second: u32,
    },
    /// `{"command"}` in a file of version 1.
    Flat {
        /// The key of the command.
        command: &'static str,
        /// The key of the timeout, in seconds, if there is one.
        timeout: Option<&'static str>,
    },
}

/// The seconds that a hook may take.
pub const SECONDS: u32 = 10;

impl Content {
    /// Describes a file in Claude Code's format, with `per_second` units of a
    /// timeout in a second.
    pub const fn grouped(per_second: u32) -> Self {
        Self::Hooks(HookFormat::Grouped { per_second })
    }

    /// Describes a file of version 1, with the keys of command and timeout.
    pub const fn flat(command: &'static str, timeout: Option<&'static str>) -> Self {
        Self::Hooks(HookFormat::Flat { command, timeout })
    }
}

impl Settings {
    /// Describes what lies at `path` in the `folder` below the home folder.
    pub const fn at(folder: &'static str, path: &'static str, content: Content) -> Self {
        Self {
            folder,
            folder_variable: None,
            home_variable: None,
            sign: None,
            path,
            content,
            events: "",
            start_matcher: None,
            end_seconds: SECONDS,
            project_files: &[],
            managed_file: None,
            trust_file: None,
        }
    }
}
