//! One hook in somebody's settings: finding, changing and removing it.

use jsonc_parser::cst::{CstArray, CstNode, CstObject};

/// Is one hook with a command, and where it stands.
pub struct Hook {
    /// The event that it runs at.
    pub event: String,
    node: CstObject,
    siblings: CstArray,
    group: CstObject,
    groups: CstArray,
}

impl Hook {
    /// Gives the command that it runs.
    pub fn command(&self) -> String {
        text_of(&self.node, "command").unwrap_or_default()
    }

    /// Replaces the command that it runs.
    pub fn set_command(&self, command: &str) {
        if let Some(property) = self.node.get("command") {
            property.set_value(command.into());
        }
    }

    /// Removes it, and each thing around it that nothing else is in.
    pub fn remove(self, top: &CstObject) {
        self.node.remove();
        if !self.siblings.elements().is_empty() {
            return;
        }
        self.group.remove();
        if !self.groups.elements().is_empty() {
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
pub fn hooks_in(top: &CstObject) -> Vec<Hook> {
    let mut found = Vec::new();
    let events = top.object_value("hooks");
    for event in events.iter().flat_map(CstObject::properties) {
        let Some((name, groups)) = event.decoded_name().zip(event.array_value()) else {
            continue;
        };
        for group in objects(&groups) {
            let Some(siblings) = group.array_value("hooks") else {
                continue;
            };
            for node in objects(&siblings) {
                found.push(Hook {
                    event: name.clone(),
                    node,
                    siblings: siblings.clone(),
                    group: group.clone(),
                    groups: groups.clone(),
                });
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
