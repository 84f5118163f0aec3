//! A JSON file of settings that belongs to others: the hooks in it are found,
//! changed and removed.
//!
//! The text is edited, not rendered anew, so that nothing but our own lines
//! changes. Strict JSON only: what is more lenient may be read in another way
//! by the program whose file it is.

use crate::agent::HookFormat;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstNode, CstObject, CstRootNode};
use serde_json::Value;
use std::collections::HashSet;

/// The content of such a file.
pub struct SettingsFile<'t> {
    bom: &'t str,
    root: CstRootNode,
    /// The text as it can be edited.
    pub top: CstObject,
    /// The text as it was read.
    pub value: Value,
}

impl<'t> SettingsFile<'t> {
    /// Reads a file; a blank one has no settings. Errors are the end of a
    /// sentence that begins with the file.
    pub fn read(text: &'t str) -> Result<Self, String> {
        let (bom, body) =
            text.split_at(text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len());
        let body = if body.trim().is_empty() { "{}\n" } else { body };
        let value: Value = serde_json::from_str(body)
            .map_err(|error| format!("is not valid JSON, or has comments ({error})"))?;
        let root = CstRootNode::parse(body, &ParseOptions::default())
            .map_err(|error| format!("cannot be read: {error}"))?;
        let top = root.object_value().ok_or("is not a JSON object")?;
        if let Some(hooks) = value.get("hooks") {
            let events = hooks
                .as_object()
                .ok_or("has `hooks` that are not an object")?;
            if let Some((event, _)) = events.iter().find(|(_, groups)| !groups.is_array()) {
                return Err(format!("has `hooks.{event}` that is not an array"));
            }
        }
        let is_doubled = |name: &Option<String>| name.as_deref() == Some("hooks");
        let events = top.object_value("hooks").map(|hooks| names(&hooks));
        let events = events.unwrap_or_default();
        if names(&top).iter().filter(|name| is_doubled(name)).count() > 1
            || events.iter().collect::<HashSet<_>>().len() < events.len()
        {
            return Err("has a duplicate key".to_owned());
        }
        Ok(Self {
            bom,
            root,
            top,
            value,
        })
    }

    /// Returns the text, with what was edited.
    pub fn text(&self) -> String {
        format!("{}{}", self.bom, self.root)
    }

    /// Finds all hooks that have a command.
    pub fn hooks(&self, format: HookFormat) -> Vec<Hook> {
        let mut hooks = Vec::new();
        let events = self.top.object_value("hooks");
        for event in events.iter().flat_map(CstObject::properties) {
            let Some((name, all)) = event.decoded_name().zip(event.array_value()) else {
                continue;
            };
            let hook = |node, key, group| Hook {
                event: name.clone(),
                key,
                node,
                group,
                all: all.clone(),
            };
            for outer in objects(&all) {
                if let HookFormat::Flat { command, .. } = format {
                    hooks.push(hook(outer, command, None));
                    continue;
                }
                let Some(siblings) = outer.array_value("hooks") else {
                    continue;
                };
                for node in objects(&siblings) {
                    let group = Some((outer.clone(), siblings.clone()));
                    hooks.push(hook(node, "command", group));
                }
            }
        }
        hooks
    }
}

/// One hook, and where it stands.
pub struct Hook {
    /// The event that it runs at.
    pub event: String,
    /// The key of its command.
    key: &'static str,
    node: CstObject,
    /// The group that it is in, and the group's hooks.
    group: Option<(CstObject, CstArray)>,
    /// All that is hooked to the event.
    all: CstArray,
}

impl Hook {
    /// Returns the command that it runs.
    pub fn command(&self) -> String {
        let value = self.node.get(self.key).and_then(|it| it.value());
        let text = value.and_then(|it| it.as_string_lit()?.decoded_value().ok());
        text.unwrap_or_default()
    }

    /// Returns the hook's settings.
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.node.to_string()).unwrap_or_default()
    }

    /// Returns the settings of its group.
    pub fn group(&self) -> Value {
        let group = self.group.as_ref().map_or(&self.node, |(group, _)| group);
        serde_json::from_str(&group.to_string()).unwrap_or_default()
    }

    /// Replaces the command that it runs.
    pub fn set_command(&self, command: &str) {
        if let Some(property) = self.node.get(self.key) {
            property.set_value(command.into());
        }
    }

    /// Removes it, and each thing around it that nothing else is in.
    pub fn remove(self, top: &CstObject) {
        self.node.remove();
        if let Some((group, siblings)) = self.group {
            if !siblings.elements().is_empty() {
                return;
            }
            group.remove();
        }
        if !self.all.elements().is_empty() {
            return;
        }
        let Some(hooks) = top.get("hooks") else {
            return;
        };
        if let Some(events) = hooks.object_value() {
            if let Some(event) = events.get(&self.event) {
                event.remove();
            }
            if events.properties().is_empty() {
                hooks.remove();
            }
        }
    }
}

fn names(object: &CstObject) -> Vec<Option<String>> {
    let properties = object.properties();
    properties.iter().map(|it| it.decoded_name()).collect()
}

fn objects(array: &CstArray) -> Vec<CstObject> {
    let elements = array.elements();
    elements.iter().filter_map(CstNode::as_object).collect()
}
