//! What calls boardsync as things stand: each agent, its files, what they say.

use super::agents::{AGENTS, Agent, Caller};
use super::check::Inspection;
use super::hook_command::binary_of;
use super::hooks::{PROJECT_FILES, project_of};
use super::links::{Links, locate};
use super::obstacles::{Obstacle, is_trusted_by_codex, of_hooks, switches};
use super::settings;
use super::text_file::TextFile;
use super::whole_file::MARK;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The administrator's settings of Claude Code.
const MANAGED: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode/managed-settings.json"
} else if cfg!(windows) {
    r"C:\Program Files\ClaudeCode\managed-settings.json"
} else {
    "/etc/claude-code/managed-settings.json"
};
/// The name of the plug-in, before the marketplace's.
const PLUG_IN: &str = "boardsync@";

/// What is known of one agent's set-up.
pub struct Installed {
    /// The agent.
    pub agent: &'static Agent,
    /// Whether it has been used on this host.
    pub is_there: bool,
    /// The events at which it calls boardsync.
    pub events: BTreeSet<String>,
    /// The files that call boardsync.
    pub files: Vec<PathBuf>,
    /// The programs that are called, and whether the user named them.
    pub programs: BTreeSet<(PathBuf, bool)>,
    /// Whether a plug-in of the agent's own kind calls boardsync.
    pub has_plug_in: bool,
    /// What keeps hooks from running.
    pub obstacles: Vec<Obstacle>,
    /// Files that cannot be read, and why.
    pub unreadable: Vec<String>,
}

impl Installed {
    /// Returns whether the agent calls boardsync at all.
    pub fn calls_us(&self) -> bool {
        self.has_plug_in || !self.files.is_empty()
    }

    /// Gives the starts and ends at which it does not.
    pub fn missing(&self) -> Vec<&'static str> {
        match &self.agent.caller {
            Caller::Hooks { events, .. } if !self.has_plug_in => events
                .iter()
                .filter(|event| event.is_edge && !self.events.contains(event.name))
                .map(|event| event.name)
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// Looks at all agents.
pub fn look(inspection: &Inspection) -> Vec<Installed> {
    AGENTS
        .iter()
        .map(|agent| look_at(inspection, agent))
        .collect()
}

fn look_at(inspection: &Inspection, agent: &'static Agent) -> Installed {
    let (env, cwd, home) = (inspection.env, inspection.cwd, inspection.home());
    let mut found = Installed {
        agent,
        is_there: agent.is_installed(env, home.as_deref(), cwd),
        events: BTreeSet::new(),
        files: Vec::new(),
        programs: BTreeSet::new(),
        has_plug_in: false,
        obstacles: Vec::new(),
        unreadable: Vec::new(),
    };
    let Some(folder) = agent.folder(env, home.as_deref(), cwd) else {
        return found;
    };
    match &agent.caller {
        Caller::Hooks { file, .. } => {
            found.look_at_settings(&folder.join(file), true, false);
            if agent.name == "claude-code" {
                let top = project_of(cwd);
                for name in PROJECT_FILES {
                    found.look_at_settings(&top.join(name), false, false);
                }
                found.look_at_settings(Path::new(MANAGED), false, true);
            }
            if agent.name == "codex" && found.calls_us() {
                found.look_for_trust(&folder);
            }
        }
        Caller::Programs {
            folder: sub,
            events,
        } => {
            for event in *events {
                let text = found.look_at_whole_file(&folder.join(sub).join(event));
                let command = text
                    .as_deref()
                    .and_then(|text| text.lines().find_map(|line| line.strip_prefix("exec ")));
                found
                    .programs
                    .extend(command.and_then(binary_of).map(|it| (it, true)));
            }
        }
        Caller::PlugIn { file, .. } => {
            let text = found.look_at_whole_file(&folder.join(file));
            let program = text.as_deref().and_then(|text| {
                let line = text
                    .lines()
                    .find_map(|line| line.strip_prefix("const PROGRAM = "))?;
                serde_json::from_str::<String>(line.trim_end_matches(';')).ok()
            });
            found
                .programs
                .extend(program.map(|it| (PathBuf::from(it), true)));
        }
    }
    found
}

impl Installed {
    fn read(&mut self, path: &Path) -> Option<String> {
        let target = locate(path, Links::Follow);
        match target.and_then(|target| TextFile::read(&target)) {
            Ok(file) => file.map(|file| file.text),
            Err(fault) => {
                self.unreadable
                    .push(format!("`{}` {fault}", path.display()));
                None
            }
        }
    }

    fn look_at_whole_file(&mut self, path: &Path) -> Option<String> {
        let text = self.read(path).filter(|text| text.contains(MARK))?;
        self.files.push(path.to_owned());
        Some(text)
    }

    fn look_at_settings(&mut self, path: &Path, is_users: bool, is_managed: bool) {
        let Caller::Hooks { shape, .. } = &self.agent.caller else {
            return;
        };
        // The home folder's own file, where that is the current folder.
        if self.files.iter().any(|file| file == path) {
            return;
        }
        let Some(text) = self.read(path) else {
            return;
        };
        let (value, calls) = match settings::read(&text).and_then(|value| {
            let calls = settings::calls(&text, shape)?;
            Ok((value, calls))
        }) {
            Ok(read) => read,
            Err(fault) => {
                let fault = format!("`{}` {fault}", path.display());
                if !self.unreadable.contains(&fault) {
                    self.unreadable.push(fault);
                }
                return;
            }
        };
        self.obstacles.extend(switches(&value, path, is_managed));
        self.has_plug_in |= is_users && has_plug_in(&value);
        if calls.is_empty() {
            return;
        }
        self.obstacles.extend(of_hooks(&value, shape, path));
        self.files.push(path.to_owned());
        for (event, command) in calls {
            self.events.insert(event);
            self.programs
                .extend(binary_of(&command).map(|it| (it, is_users)));
        }
    }

    fn look_for_trust(&mut self, folder: &Path) {
        let config = self.read(&folder.join("config.toml")).unwrap_or_default();
        let Some(file) = self.files.first() else {
            return;
        };
        let real = locate(file, Links::Follow).unwrap_or_else(|_| file.clone());
        if !is_trusted_by_codex(&config, file) && !is_trusted_by_codex(&config, &real) {
            self.obstacles.push(Obstacle {
                text: "Codex skips hooks that you have not trusted yet".to_owned(),
                advice: "start `codex` once and trust them, or use its command `/hooks`".to_owned(),
            });
        }
    }
}

fn has_plug_in(settings: &Value) -> bool {
    let enabled = settings["enabledPlugins"].as_object();
    enabled.is_some_and(|plug_ins| {
        plug_ins
            .iter()
            .any(|(name, is_on)| name.starts_with(PLUG_IN) && *is_on == true)
    })
}
