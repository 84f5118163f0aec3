//! The Claude Code plug-in is what Claude Code takes for one.

use crate::env::skipped;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|_| panic!("no {}", path.display()));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_marketplace_leads_to_the_plug_in_and_versions_agree() {
    let market = json(&root().join(".claude-plugin/marketplace.json"));
    let plug_in = &market["plugins"][0];
    let folder = root().join(plug_in["source"].as_str().unwrap());
    let manifest = json(&folder.join(".claude-plugin/plugin.json"));
    assert_eq!(manifest["name"], plug_in["name"]);
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let hooks = json(&folder.join("hooks/hooks.json"));
    let events: Vec<&String> = hooks["hooks"].as_object().unwrap().keys().collect();
    let wanted = [
        "Notification",
        "SessionEnd",
        "SessionStart",
        "Stop",
        "UserPromptSubmit",
    ];
    let mut sorted = events.clone();
    sorted.sort();
    assert_eq!(sorted, wanted);
    for (event, groups) in hooks["hooks"].as_object().unwrap() {
        let hook = &groups[0]["hooks"][0];
        let command = hook["command"].as_str().unwrap();
        assert!(
            command.ends_with("exec boardsync hook"),
            "{event}: {command}"
        );
        // Claude Code validates this, and refuses it when the hook runs.
        assert!(!command.contains("${user_config"), "{event}: {command}");
        assert_eq!(hook["timeout"], 10);
    }
}

/// Runs `claude` of `$CLAUDE`, else of the `PATH`.
#[test]
fn the_real_program_finds_it_valid() {
    let claude = std::env::var_os("CLAUDE").unwrap_or_else(|| "claude".into());
    let home = tempfile::tempdir().unwrap();
    for folder in [root(), root().join("plugins/boardsync")] {
        let mut command = Command::new(&claude);
        command.args(["plugin", "validate"]).arg(&folder);
        command
            .env("HOME", home.path())
            .env("CLAUDE_CONFIG_DIR", home.path());
        match command.output() {
            Ok(output) => assert!(output.status.success(), "{output:?}"),
            Err(error) => {
                let claude = claude.to_string_lossy();
                return skipped(&format!("`{claude}` cannot be run: {error}"));
            }
        }
    }
}
