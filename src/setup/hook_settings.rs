//! Our hooks in an agent's settings: added once, brought up to date, removed.

use super::Direction;
use super::agents::Target;
use super::file_edit::{Format, Rest};
use super::hook_command::{binary_of, calls_us};
use super::settings_file::SettingsFile;
use crate::agent::{HookFormat, SECONDS};
use jsonc_parser::cst::CstInputValue;
use jsonc_parser::json;
use serde_json::Value;

/// Our hooks in a file of settings.
pub struct HookSettings {
    /// The agent.
    pub target: Target,
    /// How its file holds a hook.
    pub format: HookFormat,
    /// What is run.
    pub command: String,
    /// When it is run.
    pub events: Vec<&'static str>,
}

impl Format for HookSettings {
    /// Adds our entries, gives older ones of ours the new command, and removes
    /// those at events that are no longer wanted.
    ///
    /// An entry with which somebody calls us in a way of their own stays, and
    /// counts.
    fn add(&self, text: Option<&str>) -> Result<Option<String>, String> {
        let file = SettingsFile::read(text.unwrap_or_default())?;
        let mut changed = false;
        let mut present = Vec::new();
        for hook in file.hooks(self.format) {
            let there = hook.command();
            let is_ours = binary_of(&there).is_some();
            if is_ours && !self.events.contains(&&*hook.event) {
                hook.remove(&file.top);
                changed = true;
                continue;
            }
            if is_ours && there != self.command {
                hook.set_command(&self.command);
                changed = true;
            }
            if calls_us(&there) || there == self.command {
                present.push(hook.event);
            }
        }
        if matches!(self.format, HookFormat::Flat { .. }) && file.top.get("version").is_none() {
            file.top.append("version", 1_u32.into());
            changed = true;
        }
        for event in &self.events {
            if present.iter().all(|there| there != event) {
                let hooks = file.top.object_value_or_create("hooks");
                let all = hooks.and_then(|hooks| hooks.array_value_or_create(event));
                all.ok_or("has an unexpected value in place of hooks")?
                    .append(self.entry(event));
                changed = true;
            }
        }
        Ok(changed.then(|| file.text()))
    }

    fn remove(&self, text: &str) -> Result<Option<Rest>, String> {
        let file = SettingsFile::read(text)?;
        let mut hooks = file.hooks(self.format);
        hooks.retain(|hook| binary_of(&hook.command()).is_some());
        if hooks.is_empty() {
            return Ok(None);
        }
        for hook in hooks {
            hook.remove(&file.top);
        }
        Ok(Some(Rest::Text(file.text())))
    }

    fn by_hand(&self, direction: Direction) -> String {
        match direction {
            Direction::SetUp => {
                let text = self.add(None).ok().flatten().unwrap_or_default();
                let value = serde_json::from_str::<Value>(&text).unwrap_or_default();
                format!("add {value}")
            }
            Direction::Undo => format!("remove the hooks that run `{}`", self.command),
        }
    }

    fn same(&self) -> Option<fn(&str, &str) -> bool> {
        Some(|one, other| content(one) == content(other))
    }
}

impl HookSettings {
    fn entry(&self, event: &str) -> CstInputValue {
        let command = &*self.command;
        let seconds = match self.target.is_end(event) {
            true => self.target.settings.end_seconds,
            false => SECONDS,
        };
        match self.format {
            HookFormat::Grouped { per_second } => {
                let timeout = seconds * per_second;
                let hook = json!({ "type": "command", "command": command, "timeout": timeout });
                match self.target.settings.start_matcher {
                    Some(matcher) if self.target.is_start(event) => {
                        json!({ "matcher": matcher, "hooks": [hook] })
                    }
                    _ => json!({ "hooks": [hook] }),
                }
            }
            HookFormat::Flat {
                command: key,
                timeout,
            } => {
                let text = |text: &str| CstInputValue::String(text.to_owned());
                let mut entry = vec![(key.to_owned(), text(command))];
                if let Some(timeout) = timeout {
                    entry.insert(0, ("type".to_owned(), text("command")));
                    entry.push((timeout.to_owned(), seconds.into()));
                }
                CstInputValue::Object(entry)
            }
        }
    }
}

/// Reads what a text means, without empty hooks: an entry of ours that filled
/// an empty list takes it along.
fn content(text: &str) -> Option<Value> {
    let mut value = SettingsFile::read(text).ok()?.value;
    let top = value.as_object_mut()?;
    if let Some(hooks) = top.get_mut("hooks").and_then(Value::as_object_mut) {
        hooks.retain(|_, groups| groups.as_array().is_none_or(|it| !it.is_empty()));
    }
    top.retain(|key, value| match key.as_str() {
        "hooks" => value.as_object().is_none_or(|it| !it.is_empty()),
        "version" => *value != 1,
        _ => true,
    });
    Some(value)
}

#[cfg(test)]
#[path = "hook_settings_table.rs"]
mod table;
