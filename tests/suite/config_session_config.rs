//! The `vault-integration` block is read as the peer reads it.

use boardsync::internals::config::session_config::{VaultBlock, VaultIntegration, read};
use serde_json::Value;

fn expected(values: &Value) -> VaultIntegration {
    let text = |key: &str| values[key].as_str().map(str::to_owned);
    VaultIntegration {
        enabled: values["enabled"].as_bool().unwrap(),
        vault_dir: text("vault_dir"),
        vault_name: text("vault_name"),
    }
}

#[test]
fn every_rendering_means_what_it_means_to_the_peer() {
    let fixture: Value =
        serde_json::from_str(include_str!("../../fixtures/session_config.json")).unwrap();
    let cases = fixture["cases"].as_array().unwrap();
    assert!(cases.len() > 100, "the fixture has its cases");
    let mut wrong = Vec::new();
    for case in cases {
        let (name, text) = (&case["name"], case["text"].as_str().unwrap());
        // The peer knows no difference between no block and an empty one.
        let found = match read(text) {
            VaultBlock::Readable(block) => block,
            VaultBlock::Absent | VaultBlock::Unreadable => VaultIntegration::default(),
        };
        let meant = case.get("ours").unwrap_or(&case["peer"]);
        if found != expected(meant) {
            wrong.push(format!(
                "{name}: {text:?}\n  found {found:?}\n  meant {meant}"
            ));
        }
        if let Some(ours) = case.get("ours") {
            assert_ne!(*ours, case["peer"], "{name}: the departure is one");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_said_is_not_the_same_as_something_unreadable() {
    for (text, block) in [
        ("# Title\n", VaultBlock::Absent),
        ("", VaultBlock::Absent),
        ("See vault-integration: fine\n", VaultBlock::Absent),
        (
            "<!--\nvault-integration:\n  enabled: true\n-->\n",
            VaultBlock::Absent,
        ),
        ("vault-integration: false\n", VaultBlock::Unreadable),
        (
            "vault-integration: {\n  enabled: true\n}\n",
            VaultBlock::Unreadable,
        ),
        (
            "vault-integration: { enabled: true } foo\n",
            VaultBlock::Unreadable,
        ),
        (
            "vault-integration: # note\n  enabled: true\n",
            VaultBlock::Unreadable,
        ),
    ] {
        assert_eq!(read(text), block, "{text:?}");
    }
}

#[test]
fn an_apostrophe_in_a_path_quotes_nothing() {
    let VaultBlock::Readable(block) =
        read("vault-integration: { vault-dir: ~/Ann's vault, enabled: true }\n")
    else {
        panic!("the block is found")
    };
    assert!(block.enabled);
    assert_eq!(block.vault_dir.as_deref(), Some("~/Ann's vault"));
}

#[test]
fn many_unclosed_comments_take_no_time() {
    let text = "<!-- never closed\n".repeat(200_000);
    let start = std::time::Instant::now();
    assert_eq!(read(&text), VaultBlock::Absent);
    assert!(start.elapsed().as_secs() < 2, "each line is searched once");
}
