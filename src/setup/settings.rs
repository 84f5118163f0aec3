//! Hook entries in a JSON file of settings that belongs to others.
//!
//! The text is edited, not rendered anew, so that nothing but our own lines
//! changes. Strict JSON only: what is more lenient may be read in another way
//! by the program whose file it is.

use super::Way;
use super::hook_command::{binary_of, calls_us};
use super::hook_entry::{Hook, hooks_in};
use super::text_file::{Format, Rest};
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use jsonc_parser::{ParseOptions, json};
use serde_json::Value;

/// How an agent's settings write a hook.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// `{"matcher", "hooks": [{"type", "command", "timeout"}]}`, as Claude Code.
    Nested {
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

/// One event that is hooked.
#[derive(Clone, Copy, Debug)]
pub struct HookEvent {
    /// The agent's name for it.
    pub name: &'static str,
    /// What it is narrowed to.
    pub matcher: Option<&'static str>,
    /// The time that a hook may take.
    pub seconds: u32,
    /// Whether it is the start or the end of a session.
    pub is_edge: bool,
}

/// Our hooks in a file of settings.
pub struct HookSettings {
    /// How a hook is written.
    pub shape: Shape,
    /// What is run.
    pub command: String,
    /// When it is run.
    pub events: Vec<HookEvent>,
    /// The folders that are made for the file.
    pub own_folders: usize,
}

impl Format for HookSettings {
    /// Adds our entries, gives older ones of ours the new command, and removes
    /// those at events that are no longer wanted.
    ///
    /// An entry with which somebody calls us in a way of their own stays, and
    /// counts.
    fn add(&self, text: Option<&str>) -> Result<Option<String>, String> {
        let (bom, body) = split_bom(text.unwrap_or_default());
        let body = or_empty(body);
        check(body)?;
        let root = parse(body)?;
        let mut changed = false;
        let mut present = Vec::new();
        let top = root.object_value().ok_or("is not a JSON object")?;
        for hook in hooks_in(&top, &self.shape) {
            let there = hook.command();
            let is_ours = binary_of(&there).is_some();
            if is_ours && self.events.iter().all(|event| event.name != hook.event) {
                hook.remove(&top);
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
        if matches!(self.shape, Shape::Flat { .. }) && top.get("version").is_none() {
            top.append("version", 1_u32.into());
            changed = true;
        }
        for event in &self.events {
            if present.iter().all(|there| there != event.name) {
                let all = top
                    .object_value_or_create("hooks")
                    .and_then(|hooks| hooks.array_value_or_create(event.name))
                    .ok_or("has an unexpected value in place of hooks")?;
                all.append(self.entry(event));
                changed = true;
            }
        }
        let merged = format!("{bom}{root}");
        let found = calls(&merged, &self.shape)?;
        let is_missing = |event: &HookEvent| found.iter().all(|(name, _)| name != event.name);
        if self.events.iter().any(is_missing) {
            return Err("has a duplicate key".to_owned());
        }
        Ok(changed.then_some(merged))
    }

    fn remove(&self, text: &str) -> Result<Option<Rest>, String> {
        let (bom, body) = split_bom(text);
        let body = or_empty(body);
        check(body)?;
        let root = parse(body)?;
        let top = root.object_value().ok_or("is not a JSON object")?;
        let ours: Vec<Hook> = hooks_in(&top, &self.shape)
            .into_iter()
            .filter(|hook| binary_of(&hook.command()).is_some())
            .collect();
        if ours.is_empty() {
            return Ok(None);
        }
        for hook in ours {
            hook.remove(&top);
        }
        Ok(Some(Rest::Text(format!("{bom}{root}"))))
    }

    fn by_hand(&self, way: Way) -> String {
        match way {
            Way::Do => {
                let text = self.add(None).ok().flatten().unwrap_or_default();
                let value = serde_json::from_str::<Value>(&text).unwrap_or_default();
                format!("add {value}")
            }
            Way::Undo => format!("remove the hooks that run `{}`", self.command),
        }
    }

    fn same(&self) -> Option<fn(&str, &str) -> bool> {
        Some(same)
    }

    fn own_folders(&self) -> usize {
        self.own_folders
    }
}

impl HookSettings {
    fn entry(&self, event: &HookEvent) -> CstInputValue {
        let command = &*self.command;
        match self.shape {
            Shape::Nested { per_second } => {
                let timeout = event.seconds * per_second;
                let hook = json!({ "type": "command", "command": command, "timeout": timeout });
                match event.matcher {
                    Some(matcher) => json!({ "matcher": matcher, "hooks": [hook] }),
                    None => json!({ "hooks": [hook] }),
                }
            }
            Shape::Flat {
                command: key,
                timeout,
            } => {
                let text = |text: &str| CstInputValue::String(text.to_owned());
                let mut entry = vec![(key.to_owned(), text(command))];
                if let Some(timeout) = timeout {
                    entry.insert(0, ("type".to_owned(), text("command")));
                    entry.push((timeout.to_owned(), event.seconds.into()));
                }
                CstInputValue::Object(entry)
            }
        }
    }
}

/// Gives the commands in a file that call us, by event.
pub fn calls(text: &str, shape: &Shape) -> Result<Vec<(String, String)>, String> {
    let value = check(or_empty(split_bom(text).1))?;
    let hooks = value["hooks"].as_object();
    let mut found = Vec::new();
    for (event, all) in hooks.into_iter().flatten() {
        for hook in all
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|it| entries(it, shape))
        {
            if let Some(command) = command_of(hook, shape).filter(|command| calls_us(command)) {
                found.push((event.clone(), command.to_owned()));
            }
        }
    }
    Ok(found)
}

/// Gives the hooks of one element of an event's list.
pub fn entries<'v>(element: &'v Value, shape: &Shape) -> Vec<&'v Value> {
    match shape {
        Shape::Flat { .. } => vec![element],
        Shape::Nested { .. } => element["hooks"].as_array().into_iter().flatten().collect(),
    }
}

/// Gives the command of a hook.
pub fn command_of<'v>(hook: &'v Value, shape: &Shape) -> Option<&'v str> {
    match shape {
        Shape::Flat { command, .. } => hook[*command].as_str(),
        Shape::Nested { .. } => hook["command"].as_str(),
    }
}

/// Compares two texts as settings, empty hooks aside: an entry of ours that
/// filled an empty list takes it along.
fn same(one: &str, other: &str) -> bool {
    let value = |text| {
        let body = or_empty(split_bom(text).1);
        let mut value: Value = serde_json::from_str(body).ok()?;
        if let Some(hooks) = value.get_mut("hooks").and_then(Value::as_object_mut) {
            hooks.retain(|_, groups| groups.as_array().is_none_or(|it| !it.is_empty()));
        }
        let top = value.as_object_mut()?;
        top.retain(|key, value| match key.as_str() {
            "hooks" => value.as_object().is_none_or(|it| !it.is_empty()),
            "version" => *value != 1,
            _ => true,
        });
        Some(value)
    };
    value(one) == value(other)
}

/// Takes a blank file for one without settings.
fn or_empty(body: &str) -> &str {
    if body.trim().is_empty() { "{}\n" } else { body }
}

fn split_bom(text: &str) -> (&str, &str) {
    text.split_at(text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len())
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| format!("cannot be read: {error}"))
}

/// Reads a file of settings, or explains why it is none.
pub fn read(text: &str) -> Result<Value, String> {
    check(or_empty(split_bom(text).1))
}

fn check(text: &str) -> Result<Value, String> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| format!("is not valid JSON, or has comments ({error})"))?;
    let top = value.as_object().ok_or("is not a JSON object")?;
    if let Some(hooks) = top.get("hooks") {
        let hooks = hooks
            .as_object()
            .ok_or("has `hooks` that are not an object")?;
        if let Some((event, _)) = hooks.iter().find(|(_, groups)| !groups.is_array()) {
            return Err(format!("has `hooks.{event}` that is not an array"));
        }
    }
    Ok(value)
}

#[cfg(test)]
#[path = "settings_table.rs"]
mod table;
