//! What has the agents call boardsync.

use super::agents::Target;
use super::file_edit::{Edit, Format};
use super::hook_command::{self, binary_of};
use super::hook_settings::HookSettings;
use super::merge_driver::this_program;
use super::settings_file::SettingsFile;
use super::text_file::{Links, TextFile, locate};
use super::whole_file::{MARK, WholeFile};
use super::{Change, Direction, Events, Scope, Setup, SetupError};
use crate::agent::Content;
use std::path::{Path, PathBuf};

/// Plans the changes: to the agents that were named, else to those that are
/// installed; taking away looks at all.
pub fn plan<'a>(setup: &'a Setup) -> Result<Vec<Change<'a>>, SetupError> {
    let edits = match setup.scope {
        Scope::User => user_edits(setup)?,
        Scope::Project => project_edits(setup)?,
    };
    let changes = edits.into_iter().map(|edit| edit.plan(setup.direction));
    let changes: Result<Vec<_>, _> = changes.collect();
    Ok(changes?.into_iter().flatten().collect())
}

fn user_edits(setup: &Setup) -> Result<Vec<Edit<'static>>, SetupError> {
    let mut edits = Vec::new();
    for target in targets(setup) {
        let folder = target
            .folder(setup.env, setup.cwd)
            .ok_or_else(|| SetupError("the home folder is not known; set `HOME`".to_owned()))?;
        let path = target.settings.path;
        edits.extend(edits_in(&folder, path, &Links::Follow, target, setup)?);
    }
    Ok(edits)
}

/// Lists the files of a repository: the one that is not committed, and, where
/// boardsync is taken away, the others too.
fn project_edits(setup: &Setup) -> Result<Vec<Edit<'static>>, SetupError> {
    let top = project_of(setup.cwd);
    let links = Links::RefuseBelow(top.clone());
    let mut edits = Vec::new();
    for target in Target::all() {
        let names = target.settings.project_files.iter();
        let count = match setup.direction {
            Direction::SetUp => 1,
            Direction::Undo => names.len(),
        };
        for name in names.take(count) {
            edits.extend(edits_in(&top, name, &links, target, setup)?);
        }
    }
    Ok(edits)
}

fn targets(setup: &Setup) -> Vec<Target> {
    if !setup.agents.is_empty() {
        let is_named = |it: &Target| setup.agents.iter().any(|name| name == it.agent.name);
        return Target::all().filter(is_named).collect();
    }
    let installed = Target::all().filter(|it| it.is_installed(setup.env, setup.cwd));
    let installed: Vec<Target> = installed.collect();
    match setup.direction {
        Direction::Undo => Target::all().collect(),
        Direction::SetUp if installed.is_empty() => Target::all().take(1).collect(),
        Direction::SetUp => installed,
    }
}

/// Lists the names of the agents that can be set up.
pub fn agent_names() -> Vec<&'static str> {
    Target::all().map(|target| target.agent.name).collect()
}

/// Lists the edits that have an agent call boardsync from `path` in `folder`.
fn edits_in(
    folder: &Path,
    path: &str,
    links: &Links,
    target: Target,
    setup: &Setup,
) -> Result<Vec<Edit<'static>>, SetupError> {
    let program = this_program()?;
    let command = hook_command::write(&program, &target.arguments());
    let edit = |path: &str, when: &str, format: Box<dyn Format>| {
        let own_folders = Path::new(path).components().count();
        let path = folder.join(path);
        Edit {
            id: "hooks",
            what: what(target, setup.direction, when, replaced(target, &path)),
            path,
            links: links.clone(),
            own_folders: match links {
                Links::Follow => own_folders,
                // The folder is a repository, and nobody's own.
                Links::RefuseBelow(_) => own_folders - 1,
            },
            format,
        }
    };
    Ok(match target.settings.content {
        Content::Hooks(format) => {
            let mut events: Vec<_> = target.events().collect();
            events.retain(|event| setup.events == Events::All || target.is_edge(event));
            let when = events.join(", ");
            let settings = HookSettings {
                target,
                format,
                command,
                events,
            };
            vec![edit(path, &when, Box::new(settings))]
        }
        Content::Programs => {
            let text = format!("#!/bin/sh\n# {MARK}\nexec {command}\n");
            let program = |event: &str| {
                let text = text.clone();
                let is_executable = true;
                let whole = WholeFile {
                    text,
                    is_executable,
                };
                edit(&format!("{path}/{event}"), event, Box::new(whole))
            };
            target.events().map(program).collect()
        }
        Content::PlugIn(text) => {
            let program = serde_json::Value::from(program.to_string_lossy()).to_string();
            let whole = WholeFile {
                text: text.replacen("\"boardsync\"", &program, 1),
                is_executable: false,
            };
            vec![edit(path, "a session's events", Box::new(whole))]
        }
    })
}

fn what(target: Target, direction: Direction, when: &str, replaced: Option<PathBuf>) -> String {
    let title = target.agent.title;
    let trust = match target.settings.trust_file {
        Some(_) => ", once you trust its hooks in it",
        None => "",
    };
    match (direction, replaced) {
        (Direction::Undo, _) => format!("remove boardsync from {title}"),
        (Direction::SetUp, None) => format!("have {title} call boardsync at {when}{trust}"),
        (Direction::SetUp, Some(other)) => {
            let other = other.display();
            format!("have {title} call boardsync at {when}, instead of `{other}`{trust}")
        }
    }
}

/// Finds another binary that the hooks in the file at `path` name.
fn replaced(target: Target, path: &Path) -> Option<PathBuf> {
    let Content::Hooks(format) = target.settings.content else {
        return None;
    };
    let text = TextFile::read(&locate(path, &Links::Follow).ok()?)
        .ok()??
        .text;
    let ours = this_program().ok()?;
    let hooks = SettingsFile::read(&text).ok()?.hooks(format);
    let mut binaries = hooks.iter().filter_map(|hook| binary_of(&hook.command()));
    binaries.find(|binary| *binary != ours)
}

/// Returns the repository that `folder` is in, else `folder`.
pub fn project_of(folder: &Path) -> PathBuf {
    let is_top = |folder: &&Path| folder.join(".git").exists();
    folder.ancestors().find(is_top).unwrap_or(folder).to_owned()
}
