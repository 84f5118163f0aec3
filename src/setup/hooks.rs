//! What has the agents call boardsync.

use super::agents::{AGENTS, Agent, Caller};
use super::hook_command::{self, binary_of};
use super::links::{Links, locate};
use super::merge_driver::this_program;
use super::settings::{self, HookEvent, HookSettings, Shape};
use super::text_file::{self, Edit, Format, TextFile};
use super::whole_file::{MARK, WholeFile};
use super::{Change, Events, Scope, Setup, SetupError, Way};
use std::path::{Path, PathBuf};

/// The files of a project with settings of Claude Code: of this host alone,
/// and for everybody.
pub const PROJECT_FILES: [&str; 2] = [".claude/settings.local.json", ".claude/settings.json"];

/// Plans the changes: to the agents that were named, else to those that are
/// installed; taking away looks at all.
pub fn plan<'a>(setup: &'a Setup) -> Result<Vec<Change<'a>>, SetupError> {
    let mut changes = Vec::new();
    for file in files(setup)? {
        let edit = Edit {
            id: "hooks",
            what: what(setup.way, &file),
            links: match &file.below {
                Some(root) => Links::RefuseBelow(root),
                None => Links::Follow,
            },
            path: file.path,
            format: &*file.format,
        };
        changes.extend(text_file::plan(edit, setup.way)?);
    }
    Ok(changes)
}

/// One file that has an agent call boardsync.
struct File {
    agent: &'static Agent,
    path: PathBuf,
    /// The folder below which no links are followed.
    below: Option<PathBuf>,
    /// When boardsync is called.
    when: String,
    format: Box<dyn Format>,
}

fn files(setup: &Setup) -> Result<Vec<File>, SetupError> {
    let program = this_program()?;
    if setup.scope == Scope::Project {
        return project_files(setup, &program);
    }
    let home = setup.home();
    let mut files = Vec::new();
    for agent in agents(setup)? {
        let folder = agent.folder(setup.env, home.as_deref(), setup.cwd);
        let folder = folder
            .ok_or_else(|| SetupError("the home folder is not known; set `HOME`".to_owned()))?;
        files.extend(files_of(agent, &folder, &program, setup.events));
    }
    Ok(files)
}

fn agents(setup: &Setup) -> Result<Vec<&'static Agent>, SetupError> {
    if !setup.agents.is_empty() {
        let named = setup.agents.iter().map(|name| {
            Agent::named(name).ok_or_else(|| {
                let known: Vec<_> = AGENTS.iter().map(|agent| agent.name).collect();
                SetupError(format!(
                    "unknown agent `{name}`; expected one of {}",
                    known.join(", ")
                ))
            })
        });
        return named.collect();
    }
    if setup.way == Way::Undo {
        return Ok(AGENTS.iter().collect());
    }
    let home = setup.home();
    let is_installed = |agent: &&Agent| agent.is_installed(setup.env, home.as_deref(), setup.cwd);
    let installed: Vec<_> = AGENTS.iter().filter(is_installed).collect();
    Ok(match installed.is_empty() {
        true => AGENTS.iter().take(1).collect(),
        false => installed,
    })
}

fn files_of(agent: &'static Agent, folder: &Path, program: &Path, wanted: Events) -> Vec<File> {
    let arguments = agent.arguments();
    let command = hook_command::write(program, &arguments);
    let file = |name: &str, when: String, format: Box<dyn Format>| File {
        agent,
        path: folder.join(name),
        below: None,
        when,
        format,
    };
    match &agent.caller {
        Caller::Hooks {
            file: name,
            shape,
            events,
            own_folders,
        } => {
            let settings = hook_settings(*shape, command, events, wanted, *own_folders);
            let when = names(&settings.events);
            vec![file(name, when, Box::new(settings))]
        }
        Caller::Programs { folder, events } => {
            let text = format!("#!/bin/sh\n# {MARK}\nexec {command}\n");
            let program = |event: &&str| {
                let whole = WholeFile {
                    text: text.clone(),
                    is_executable: true,
                };
                let name = format!("{folder}/{event}");
                file(&name, (*event).to_owned(), Box::new(whole))
            };
            events.iter().map(program).collect()
        }
        Caller::PlugIn { file: name, text } => {
            let path = serde_json::Value::from(program.to_string_lossy()).to_string();
            let whole = WholeFile {
                text: text.replacen("\"boardsync\"", &path, 1),
                is_executable: false,
            };
            vec![file(name, "a session's events".to_owned(), Box::new(whole))]
        }
    }
}

fn hook_settings(
    shape: Shape,
    command: String,
    events: &[HookEvent],
    wanted: Events,
    own_folders: usize,
) -> HookSettings {
    let is_wanted = |event: &&HookEvent| event.is_edge || wanted == Events::All;
    HookSettings {
        shape,
        command,
        events: events.iter().filter(is_wanted).copied().collect(),
        own_folders,
    }
}

fn names(events: &[HookEvent]) -> String {
    let names: Vec<_> = events.iter().map(|event| event.name).collect();
    names.join(", ")
}

/// Sets up Claude Code alone, in the file that is not committed; what stands in
/// the other one is taken away, too.
fn project_files(setup: &Setup, program: &Path) -> Result<Vec<File>, SetupError> {
    if let Some(other) = setup.agents.iter().find(|name| *name != "claude-code") {
        return Err(SetupError(format!(
            "--project sets up `claude-code` only, not `{other}`: leave out --project"
        )));
    }
    let top = project_of(setup.cwd);
    let agent = &AGENTS[0];
    let count = match setup.way {
        Way::Do => 1,
        Way::Undo => PROJECT_FILES.len(),
    };
    let mut files = Vec::new();
    for name in &PROJECT_FILES[..count] {
        let own = files_of(agent, &top, program, setup.events);
        files.extend(own.into_iter().map(|file| File {
            path: top.join(name),
            below: Some(top.clone()),
            ..file
        }));
    }
    Ok(files)
}

/// Gives the repository that `folder` is in, else `folder`.
pub fn project_of(folder: &Path) -> PathBuf {
    let is_top = |folder: &&Path| folder.join(".git").exists();
    folder.ancestors().find(is_top).unwrap_or(folder).to_owned()
}

fn what(way: Way, file: &File) -> String {
    let title = file.agent.title;
    if way == Way::Undo {
        return format!("remove boardsync from {title}");
    }
    let instead = match replaced(file) {
        Some(other) => format!(", instead of `{}`", other.display()),
        None => String::new(),
    };
    format!("have {title} call boardsync at {}{instead}", file.when)
}

/// Finds another binary that the file's hooks name.
fn replaced(file: &File) -> Option<PathBuf> {
    let Caller::Hooks { shape, .. } = &file.agent.caller else {
        return None;
    };
    let target = locate(&file.path, Links::Follow).ok()?;
    let text = TextFile::read(&target).ok()??.text;
    let ours = this_program().ok()?;
    let calls = settings::calls(&text, shape).ok()?;
    let mut binaries = calls.iter().filter_map(|(_, command)| binary_of(command));
    binaries.find(|binary| *binary != ours)
}
