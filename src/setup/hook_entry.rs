//! One hook in somebody's settings: finding, changing and removing it.

use super::settings::Shape;
use jsonc_parser::cst::{CstArray, CstNode, CstObject};

/// One hook with a command, and where it stands.
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
    /// Gives the command that it runs.
    pub fn command(&self) -> String {
        text_of(&self.node, self.key).unwrap_or_default()
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

/// Finds all hooks of some settings.
pub fn hooks_in(top: &CstObject, shape: &Shape) -> Vec<Hook> {
    let mut found = Vec::new();
    let events = top.object_value("hooks");
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
            match shape {
                Shape::Flat { command, .. } => found.push(hook(outer, command, None)),
                Shape::Nested { .. } => {
                    let Some(siblings) = outer.array_value("hooks") else {
                        continue;
                    };
                    for node in objects(&siblings) {
                        let group = Some((outer.clone(), siblings.clone()));
                        found.push(hook(node, "command", group));
                    }
                }
            }
        }
    }
    found
}

fn objects(array: &CstArray) -> Vec<CstObject> {
    let elements = array.elements();
    elements.iter().filter_map(CstNode::as_object).collect()
}

fn text_of(object: &CstObject, key: &str) -> Option<String> {
    let value = object.get(key)?.value()?;
    value.as_string_lit()?.decoded_value().ok()
}
