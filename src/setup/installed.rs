//! What calls boardsync as things stand: each agent, its files, what they say.

use super::agents::Target;
use super::check::Inspection;
use super::hook_command::{binary_of, calls_us};
use super::hooks::project_of;
use super::obstacles::{Obstacle, Owner, is_trusted, of_hooks, switches};
use super::settings_file::SettingsFile;
use super::text_file::{Links, TextFile, locate};
use super::whole_file::MARK;
use crate::agent::{Content, HookFormat};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The name of the plug-in of Claude Code, before the marketplace's.
const PLUG_IN: &str = "boardsync@";

/// The set-up of one agent, as it is on this host.
pub struct Installed {
    /// The agent.
    pub target: Target,
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

/// Looks at all agents.
pub fn look(inspection: &Inspection) -> Vec<Installed> {
    let look = |target| Installed::look(target, inspection);
    Target::all().map(look).collect()
}

impl Installed {
    fn look(target: Target, inspection: &Inspection) -> Self {
        let (env, cwd, settings) = (inspection.env, inspection.cwd, target.settings);
        let mut installed = Self {
            target,
            is_there: target.is_installed(env, cwd),
            events: BTreeSet::new(),
            files: Vec::new(),
            programs: BTreeSet::new(),
            has_plug_in: false,
            obstacles: Vec::new(),
            unreadable: Vec::new(),
        };
        let Some(folder) = target.folder(env, cwd) else {
            return installed;
        };
        let path = folder.join(settings.path);
        match settings.content {
            Content::Hooks(format) => {
                installed.look_at_settings(&path, format, Owner::User);
                let top = project_of(cwd);
                for name in settings.project_files {
                    installed.look_at_settings(&top.join(name), format, Owner::Project);
                }
                if let Some(managed) = settings.managed_file {
                    let managed = Path::new(managed);
                    installed.look_at_settings(managed, format, Owner::Administrator);
                }
                if let Some(name) = settings.trust_file {
                    installed.look_for_trust(&folder.join(name));
                }
            }
            Content::Programs => {
                for event in target.events() {
                    installed.look_at_whole_file(&path.join(event), |line| {
                        binary_of(line.strip_prefix("exec ")?)
                    });
                }
            }
            Content::PlugIn(_) => installed.look_at_whole_file(&path, |line| {
                let program = line.strip_prefix("const PROGRAM = ")?;
                let program = serde_json::from_str::<String>(program.trim_end_matches(';'));
                program.ok().map(PathBuf::from)
            }),
        }
        installed
    }

    /// Returns whether the agent calls boardsync at all.
    pub fn calls_us(&self) -> bool {
        self.has_plug_in || !self.files.is_empty()
    }

    /// Lists the starts and ends at which it does not.
    pub fn missing(&self) -> Vec<&'static str> {
        let is_file = matches!(self.target.settings.content, Content::Hooks(_));
        if !is_file || self.has_plug_in {
            return Vec::new();
        }
        let mut events: Vec<_> = self.target.events().collect();
        events.retain(|event| self.target.is_edge(event) && !self.events.contains(*event));
        events
    }

    fn read(&mut self, path: &Path) -> Option<String> {
        let target = locate(path, &Links::Follow);
        match target.and_then(|target| TextFile::read(&target)) {
            Ok(file) => file.map(|file| file.text),
            Err(fault) => {
                self.add_unreadable(path, &fault);
                None
            }
        }
    }

    fn add_unreadable(&mut self, path: &Path, fault: &str) {
        let text = format!("`{}` {fault}", path.display());
        if !self.unreadable.contains(&text) {
            self.unreadable.push(text);
        }
    }

    /// Looks at a file of ours, and for the program in one of its lines.
    fn look_at_whole_file(&mut self, path: &Path, program_in: fn(&str) -> Option<PathBuf>) {
        let Some(text) = self.read(path).filter(|text| text.contains(MARK)) else {
            return;
        };
        self.files.push(path.to_owned());
        let program = text.lines().find_map(program_in);
        self.programs.extend(program.map(|program| (program, true)));
    }

    fn look_at_settings(&mut self, path: &Path, format: HookFormat, owner: Owner) {
        // The home folder's own file, where that is the current folder.
        if self.files.iter().any(|file| file == path) {
            return;
        }
        let Some(text) = self.read(path) else {
            return;
        };
        let file = match SettingsFile::read(&text) {
            Ok(file) => file,
            Err(fault) => return self.add_unreadable(path, &fault),
        };
        self.obstacles.extend(switches(&file.value, path, owner));
        self.has_plug_in |= owner == Owner::User && has_plug_in(&file.value);
        let mut hooks = file.hooks(format);
        hooks.retain(|hook| calls_us(&hook.command()));
        if hooks.is_empty() {
            return;
        }
        self.obstacles.extend(of_hooks(&file, format, path));
        self.files.push(path.to_owned());
        for hook in hooks {
            let program = binary_of(&hook.command());
            self.programs
                .extend(program.map(|it| (it, owner == Owner::User)));
            self.events.insert(hook.event);
        }
    }

    fn look_for_trust(&mut self, record: &Path) {
        let Some(file) = self.files.first().cloned() else {
            return;
        };
        let record = self.read(record).unwrap_or_default();
        let real = locate(&file, &Links::Follow).unwrap_or_else(|_| file.clone());
        if !is_trusted(&record, &file) && !is_trusted(&record, &real) {
            let (title, program) = (self.target.agent.title, self.target.agent.programs[0]);
            self.obstacles.push((
                format!("{title} skips hooks that you have not trusted yet"),
                format!("start `{program}` once and trust them, or use its command `/hooks`"),
            ));
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
