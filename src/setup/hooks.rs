//! What has the agents call boardsync.

use super::agents::Target;
use super::hook_command::{self, binary_of};
use super::hook_settings::HookSettings;
use super::links::{Links, locate};
use super::merge_driver::this_program;
use super::settings_file::SettingsFile;
use super::text_file::{self, Edit, Format, TextFile};
use super::whole_file::{MARK, WholeFile};
use super::{Change, Events, Scope, Setup, SetupError, Way};
use crate::agent::Content;
use std::path::{Path, PathBuf};

/// Plans the changes: to the agents that were named, else to those that are
/// installed; taking away looks at all.
pub fn plan<'a>(setup: &'a Setup) -> Result<Vec<Change<'a>>, SetupError> {
    let mut changes = Vec::new();
    for file in match setup.scope {
        Scope::User => user_files(setup)?,
        Scope::Project => project_files(setup)?,
    } {
        let edit = Edit {
            id: "hooks",
            what: file.what(setup.way),
            path: file.path,
            links: file.links,
            own_folders: file.own_folders,
            format: &*file.format,
        };
        changes.extend(text_file::plan(edit, setup.way)?);
    }
    Ok(changes)
}

/// One file that has an agent call boardsync.
struct File {
    target: Target,
    path: PathBuf,
    links: Links,
    own_folders: usize,
    /// When boardsync is called.
    when: String,
    format: Box<dyn Format>,
}

fn user_files(setup: &Setup) -> Result<Vec<File>, SetupError> {
    let mut files = Vec::new();
    for target in targets(setup)? {
        let folder = target
            .folder(setup.env, setup.cwd)
            .ok_or_else(|| SetupError("the home folder is not known; set `HOME`".to_owned()))?;
        files.extend(files_in(&folder, target, setup)?);
    }
    Ok(files)
}

fn targets(setup: &Setup) -> Result<Vec<Target>, SetupError> {
    if !setup.agents.is_empty() {
        let named = setup.agents.iter().map(|name| {
            let mut all = Target::all();
            all.find(|it| it.agent.name == name).ok_or_else(|| {
                let known = agent_names().join(", ");
                SetupError(format!("unknown agent `{name}`; expected one of {known}"))
            })
        });
        return named.collect();
    }
    let installed = Target::all().filter(|it| it.is_installed(setup.env, setup.cwd));
    let installed: Vec<Target> = installed.collect();
    Ok(match setup.way {
        Way::Undo => Target::all().collect(),
        Way::Do if installed.is_empty() => Target::all().take(1).collect(),
        Way::Do => installed,
    })
}

/// Lists the names of the agents that can be set up.
pub fn agent_names() -> Vec<&'static str> {
    Target::all().map(|target| target.agent.name).collect()
}

/// Lists what calls boardsync from an agent's `folder`.
fn files_in(folder: &Path, target: Target, setup: &Setup) -> Result<Vec<File>, SetupError> {
    let program = this_program()?;
    let command = hook_command::write(&program, &target.arguments());
    let path = target.settings.path;
    let file = |path: String, when: String, format: Box<dyn Format>| File {
        target,
        own_folders: Path::new(&path).components().count(),
        path: folder.join(path),
        links: Links::Follow,
        when,
        format,
    };
    Ok(match target.settings.content {
        Content::Hooks(format) => {
            let is_edge = |event: &str| target.is_start(event) || target.is_end(event);
            let mut events: Vec<_> = target.events().collect();
            events.retain(|event| setup.events == Events::All || is_edge(event));
            let when = events.join(", ");
            let settings = HookSettings {
                target,
                format,
                command,
                events,
            };
            vec![file(path.to_owned(), when, Box::new(settings))]
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
                file(format!("{path}/{event}"), event.to_owned(), Box::new(whole))
            };
            target.events().map(program).collect()
        }
        Content::PlugIn(text) => {
            let program = serde_json::Value::from(program.to_string_lossy()).to_string();
            let whole = WholeFile {
                text: text.replacen("\"boardsync\"", &program, 1),
                is_executable: false,
            };
            let when = "a session's events".to_owned();
            vec![file(path.to_owned(), when, Box::new(whole))]
        }
    })
}

/// Lists the files of a repository: the one that is not committed, and, where
/// boardsync is taken away, the others too.
fn project_files(setup: &Setup) -> Result<Vec<File>, SetupError> {
    let has_files = |target: &Target| !target.settings.project_files.is_empty();
    let top = project_of(setup.cwd);
    let mut files = Vec::new();
    for target in Target::all().filter(has_files) {
        let count = match setup.way {
            Way::Do => 1,
            Way::Undo => target.settings.project_files.len(),
        };
        for name in &target.settings.project_files[..count] {
            files.extend(files_in(&top, target, setup)?.into_iter().map(|file| File {
                path: top.join(name),
                links: Links::RefuseBelow(top.clone()),
                own_folders: Path::new(name).components().count() - 1,
                ..file
            }));
        }
    }
    Ok(files)
}

/// Gives the repository that `folder` is in, else `folder`.
pub fn project_of(folder: &Path) -> PathBuf {
    let is_top = |folder: &&Path| folder.join(".git").exists();
    folder.ancestors().find(is_top).unwrap_or(folder).to_owned()
}

impl File {
    fn what(&self, way: Way) -> String {
        let title = self.target.agent.title;
        if way == Way::Undo {
            return format!("remove boardsync from {title}");
        }
        let instead = match self.replaced() {
            Some(other) => format!(", instead of `{}`", other.display()),
            None => String::new(),
        };
        format!("have {title} call boardsync at {}{instead}", self.when)
    }

    /// Finds another binary that the file's hooks name.
    fn replaced(&self) -> Option<PathBuf> {
        let Content::Hooks(format) = self.target.settings.content else {
            return None;
        };
        let file = TextFile::read(&locate(&self.path, &Links::Follow).ok()?);
        let text = file.ok()??.text;
        let ours = this_program().ok()?;
        let hooks = SettingsFile::read(&text).ok()?.hooks(format);
        let mut binaries = hooks.iter().filter_map(|hook| binary_of(&hook.command()));
        binaries.find(|binary| *binary != ours)
    }
}
