//! The step that hooks boardsync into sessions.

use super::text_file::{self, Format};
use super::{Plan, Setup, Way, hook_command, settings};
use crate::cli::context::Context;
use crate::cli::outcome::Failure;
use std::path::{Path, PathBuf};

/// Plans the step.
pub fn plan<'a>(setup: &'a Setup<'a>, way: Way) -> Result<Option<Plan<'a>>, Failure> {
    let binary = std::env::current_exe()
        .map_err(|error| Failure::Error(format!("cannot tell where this program is: {error}")))?;
    let mut events = settings::EVENTS.to_vec();
    if setup.args.heartbeats {
        events.extend(settings::HEARTBEATS);
    }
    let hooks = Hooks {
        command: hook_command::write(&binary),
        events,
    };
    let path = if setup.args.project {
        project_file(&setup.context.cwd)
    } else {
        user_file(setup.context)
            .ok_or_else(|| Failure::Error("the home folder is not known; set `HOME`".to_owned()))?
    };
    let what = match way {
        Way::Do => format!("run `{}` at {}", hooks.command, hooks.events.join(", ")),
        Way::Undo => "remove the hooks of boardsync".to_owned(),
    };
    text_file::plan("hooks", what, path, &hooks, way).map_err(Failure::Error)
}

/// Gives the user's own settings.
pub fn user_file(context: &Context) -> Option<PathBuf> {
    let folder = context.env.path("CLAUDE_CONFIG_DIR");
    let folder = folder.or_else(|| Some(context.home()?.join(".claude")))?;
    Some(context.cwd.join(folder).join("settings.json"))
}

/// Gives the settings of the repository that `folder` is in, else of `folder`.
pub fn project_file(folder: &Path) -> PathBuf {
    let is_top = |folder: &&Path| folder.join(".git").exists();
    let top = folder.ancestors().find(is_top).unwrap_or(folder);
    top.join(".claude").join("settings.json")
}

struct Hooks {
    command: String,
    events: Vec<&'static str>,
}

impl Format for Hooks {
    fn add(&self, text: &str) -> Result<Option<String>, String> {
        settings::merge(text, &self.command, &self.events)
    }

    fn remove(&self, text: &str) -> Result<Option<String>, String> {
        settings::remove(text)
    }

    fn same(&self, one: &str, other: &str) -> bool {
        settings::same(one, other)
    }

    fn by_hand(&self, way: Way) -> String {
        match way {
            Way::Do => format!("add {}", settings::by_hand(&self.command, &self.events)),
            Way::Undo => format!("remove the hooks that run `{}`", self.command),
        }
    }
}
