//! The agents that can be set up, and where their settings lie on this host.

use crate::agent::{AGENTS, Agent, Meaning, Settings, meaning};
use crate::config::{Env, below_home};
use crate::session::lease::EventKind;
use std::path::{Path, PathBuf};

/// An agent that can be set up.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The agent.
    pub agent: &'static Agent,
    /// Its settings.
    pub settings: &'static Settings,
}

impl Target {
    /// Lists all of them.
    pub fn all() -> impl Iterator<Item = Self> {
        AGENTS.iter().filter_map(|agent| {
            let settings = agent.settings.as_ref()?;
            Some(Self { agent, settings })
        })
    }

    /// Returns the agent's folder; `None` where no home folder is known.
    pub fn folder(&self, env: &Env, cwd: &Path) -> Option<PathBuf> {
        let Settings { folder, .. } = *self.settings;
        let named = |variable: Option<&str>| env.path(variable?);
        let path = named(self.settings.folder_variable)
            .or_else(|| Some(named(self.settings.home_variable)?.join(folder)))
            .or_else(|| below_home(env, folder))?;
        Some(cwd.join(path))
    }

    /// Returns whether the agent has been used here: its folder is there.
    pub fn is_installed(&self, env: &Env, cwd: &Path) -> bool {
        let folder = match self.settings.sign {
            Some(sign) => below_home(env, sign),
            None => self.folder(env, cwd),
        };
        folder.is_some_and(|folder| folder.is_dir())
    }

    /// Returns the arguments with which the agent calls boardsync.
    pub fn arguments(&self) -> String {
        match self.agent.name {
            // Its variables give it away, and this is the fastest call.
            "claude-code" => "hook".to_owned(),
            name => format!("hook --agent {name}"),
        }
    }

    /// Lists the events at which boardsync can be called.
    pub fn events(&self) -> impl Iterator<Item = &'static str> {
        self.settings.events.split_whitespace()
    }

    /// Returns whether sessions begin or end with the event `name`.
    pub fn is_edge(&self, name: &str) -> bool {
        self.is_start(name) || self.is_end(name)
    }

    /// Returns whether sessions begin with the event `name`.
    pub fn is_start(&self, name: &str) -> bool {
        meaning(name, Some(self.agent)) == Meaning::Known(EventKind::Start)
    }

    /// Returns whether sessions end with the event `name`.
    pub fn is_end(&self, name: &str) -> bool {
        meaning(name, Some(self.agent)) == Meaning::Known(EventKind::End)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{Content, is_notification};
    use crate::session::lease::Activity;

    #[test]
    fn every_agent_calls_at_a_start_and_an_end() {
        for target in Target::all() {
            let name = target.agent.name;
            match target.settings.content {
                Content::Hooks(_) => {
                    assert_eq!(
                        target.events().filter(|it| target.is_start(it)).count(),
                        1,
                        "{name}"
                    );
                    assert_eq!(
                        target.events().filter(|it| target.is_end(it)).count(),
                        1,
                        "{name}"
                    );
                }
                Content::Programs => assert!(target.events().any(|it| target.is_start(it))),
                Content::PlugIn(text) => {
                    assert_eq!(text.matches("\"boardsync\"").count(), 1, "{name}");
                    assert!(text.contains(super::super::whole_file::MARK), "{name}");
                }
            }
        }
    }

    #[test]
    fn every_agent_that_can_says_when_it_waits() {
        // These have no event for it.
        let mute = ["cursor", "cline", "pi", "goose"];
        for target in Target::all() {
            let asks = |name: &str| {
                is_notification(name)
                    || meaning(name, Some(target.agent))
                        == Meaning::Known(EventKind::Now(Activity::Waiting))
            };
            let is_told = match target.settings.content {
                Content::PlugIn(text) => text.contains("PermissionRequest"),
                _ => target.events().any(asks),
            };
            let name = target.agent.name;
            assert_ne!(is_told, mute.contains(&name), "{name}");
        }
    }

    #[test]
    fn an_agents_folder_is_where_its_variables_say() {
        let folder = |agent: &str, variables: &[(&str, &str)]| {
            let homes = [("HOME", "/h"), ("USERPROFILE", "/h")];
            let env: Env = homes.iter().chain(variables).copied().collect();
            let target = Target::all().find(|it| it.agent.name == agent);
            target.and_then(|it| it.folder(&env, Path::new("/work")))
        };
        for (agent, variables, expected) in [
            ("qwen", &[][..], "/h/.qwen"),
            ("qwen", &[("QWEN_HOME", "/q")], "/q"),
            ("copilot", &[("COPILOT_HOME", "c")], "/work/c"),
            ("gemini", &[("GEMINI_CLI_HOME", "/g")], "/g/.gemini"),
            ("opencode", &[], "/h/.config/opencode"),
            ("opencode", &[("XDG_CONFIG_HOME", "/x")], "/x/opencode"),
            ("pi", &[("XDG_CONFIG_HOME", "/x")], "/h/.pi/agent"),
        ] {
            assert_eq!(folder(agent, variables), Some(expected.into()), "{agent}");
        }
    }
}
