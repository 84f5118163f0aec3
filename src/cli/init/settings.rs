//! Hook entries in a `settings.json` that is somebody else's.
//!
//! The text is edited, not rendered anew, so that nothing but our own lines
//! changes. Strict JSON only: what is more lenient may be read in another way
//! by the program whose file it is.

use super::hook_command::{binary_of, calls_us};
use super::hook_entry::{Hook, hooks_in};
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use jsonc_parser::{ParseOptions, json};
use serde_json::Value;

/// The seconds that a hook may take.
const TIMEOUT: u8 = 10;
/// The events without which a board is not kept.
pub const EVENTS: [&str; 2] = ["SessionStart", "SessionEnd"];
/// The events that show that a session still lives.
pub const HEARTBEATS: [&str; 3] = ["UserPromptSubmit", "PostToolUse", "Stop"];

/// Adds our entries for `events`, and gives older ones of ours the new
/// command; `None` if there is nothing to change.
///
/// An entry with which somebody calls us in a way of their own stays, and
/// counts. The error is the end of a sentence about the file.
pub fn merge(text: &str, command: &str, events: &[&str]) -> Result<Option<String>, String> {
    let (bom, body) = split_bom(text);
    let body = or_empty(body);
    check(body)?;
    let root = parse(body)?;
    let mut changed = false;
    let mut present = Vec::new();
    let top = root.object_value().ok_or("is no JSON object")?;
    for hook in hooks_in(&top) {
        let there = hook.command();
        if binary_of(&there).is_some() && there != command {
            hook.set_command(command);
            changed = true;
        }
        if calls_us(&there) || there == command {
            present.push(hook.event);
        }
    }
    for event in events {
        if present.iter().all(|there| there != event) {
            let groups = top
                .object_value_or_create("hooks")
                .and_then(|hooks| hooks.array_value_or_create(event))
                .ok_or("has something else where hooks should be")?;
            groups.append(entry(event, command));
            changed = true;
        }
    }
    let merged = format!("{bom}{root}");
    let missing = events.iter().any(|event| !has(&merged, event, command));
    if missing {
        return Err("has a key twice, of which only the last one counts".to_owned());
    }
    Ok(changed.then_some(merged))
}

/// Removes our entries, and what is empty without them; `None` if there are none.
pub fn remove(text: &str) -> Result<Option<String>, String> {
    let (bom, body) = split_bom(text);
    let body = or_empty(body);
    check(body)?;
    let root = parse(body)?;
    let top = root.object_value().ok_or("is no JSON object")?;
    let ours: Vec<Hook> = hooks_in(&top)
        .into_iter()
        .filter(|hook| binary_of(&hook.command()).is_some())
        .collect();
    if ours.is_empty() {
        return Ok(None);
    }
    for hook in ours {
        hook.remove(&top);
    }
    Ok(Some(format!("{bom}{root}")))
}

/// Says which of our commands stand in a file, by event.
pub fn commands(text: &str) -> Result<Vec<(String, String)>, String> {
    let body = or_empty(split_bom(text).1);
    check(body)?;
    let root = parse(body)?;
    let top = root.object_value().ok_or("is no JSON object")?;
    Ok(hooks_in(&top)
        .into_iter()
        .map(|hook| (hook.event.clone(), hook.command()))
        .filter(|(_, command)| calls_us(command))
        .collect())
}

/// Gives what is to be added by hand, on one line.
pub fn by_hand(command: &str, events: &[&str]) -> String {
    let root = CstRootNode::parse("{}", &ParseOptions::default()).expect("is JSON");
    let hooks = root.object_value_or_set().object_value_or_set("hooks");
    for event in events {
        hooks
            .array_value_or_set(event)
            .append(entry(event, command));
    }
    serde_json::from_str::<Value>(&root.to_string())
        .map_or_else(|_| String::new(), |it| it.to_string())
}

/// Says whether two texts are the same settings, empty hooks aside: an entry of
/// ours that filled an empty list takes it along.
pub fn same(one: &str, other: &str) -> bool {
    let value = |text| {
        let body = or_empty(split_bom(text).1);
        let mut value: Value = serde_json::from_str(body).ok()?;
        if let Some(hooks) = value.get_mut("hooks").and_then(Value::as_object_mut) {
            hooks.retain(|_, groups| groups.as_array().is_none_or(|it| !it.is_empty()));
        }
        if value["hooks"].as_object().is_some_and(|it| it.is_empty()) {
            value.as_object_mut()?.remove("hooks");
        }
        Some(value)
    };
    value(one) == value(other)
}

fn entry(event: &str, command: &str) -> CstInputValue {
    let hook = json!({ "type": "command", "command": command, "timeout": (f64::from(TIMEOUT)) });
    match event {
        "SessionStart" => json!({
            "matcher": "startup|resume|clear|compact|fork",
            "hooks": [hook]
        }),
        _ => json!({ "hooks": [hook] }),
    }
}

/// Takes a blank file for one without settings.
fn or_empty(body: &str) -> &str {
    if body.trim().is_empty() { "{}\n" } else { body }
}

fn split_bom(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    })
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| format!("cannot be read: {error}"))
}

/// Says what a file of hooks may not be.
fn check(text: &str) -> Result<(), String> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| format!("is not valid JSON, or has comments ({error})"))?;
    let top = value.as_object().ok_or("is no JSON object")?;
    let Some(hooks) = top.get("hooks") else {
        return Ok(());
    };
    let hooks = hooks.as_object().ok_or("has `hooks` that are no object")?;
    for (event, groups) in hooks {
        if !groups.is_array() {
            return Err(format!("has `hooks.{event}` that is no array"));
        }
    }
    Ok(())
}

fn has(text: &str, event: &str, command: &str) -> bool {
    let Ok(value) = serde_json::from_str::<Value>(split_bom(text).1) else {
        return false;
    };
    let groups = value["hooks"][event].as_array();
    groups
        .into_iter()
        .flatten()
        .filter_map(|group| group["hooks"].as_array())
        .flatten()
        .filter_map(|hook| hook["command"].as_str())
        .any(|there| there == command || calls_us(there))
}

#[cfg(test)]
#[path = "settings_table.rs"]
mod table;
