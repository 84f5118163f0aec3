use super::Frontmatter;
use crate::Timestamp;
use std::borrow::Cow;

fn value(line: &str) -> Option<String> {
    let text = format!("---\n{line}\n---\n");
    let (block, rest) = Frontmatter::split(&text);
    assert_eq!(rest, "");
    block.value("key").map(Cow::into_owned)
}

#[test]
fn values_are_read_without_quotes_and_comments() {
    assert_eq!(value("key: a@1").as_deref(), Some("a@1"));
    assert_eq!(value("key:\t'a@1'  # why").as_deref(), Some("a@1"));
    assert_eq!(value("key: \"a # b\" # why\r").as_deref(), Some("a # b"));
    assert_eq!(value("key: a#b").as_deref(), Some("a#b"));
    assert_eq!(value("key:").as_deref(), Some(""));
    assert_eq!(value("key: # nothing").as_deref(), Some(""));
    assert_eq!(value("  key: nested"), None);
    assert_eq!(value("keys: other"), None);
    assert_eq!(value("key:other"), None);
}

#[test]
fn setting_a_value_keeps_the_rest_of_its_line() {
    for (line, set) in [
        ("key:   old   # why", "key:   new   # why"),
        ("key: 'old'\r", "key: new\r"),
        ("key:", "key: new"),
        ("key: # why", "key: new # why"),
    ] {
        let text = format!("---\n{line}\n---\n");
        let (mut block, _) = Frontmatter::split(&text);
        assert!(block.set("key", "new"));
        assert_eq!(block.lines.concat(), format!("---\n{set}\n---\n"));
    }
}

#[test]
fn an_unclosed_block_is_none() {
    let (block, rest) = Frontmatter::split("---\nkey: a\n");
    assert_eq!(block, Frontmatter::default());
    assert_eq!(rest, "---\nkey: a\n");
}

fn completed(inner: &str) -> String {
    let now = Timestamp::parse("2026-11-30T07:00:00.000Z").expect("is RFC 3339");
    let text = format!("---\nid: a\ntype: b\ncreated: c\n{inner}---\n");
    let mut block = Frontmatter::split(&text).0;
    block.complete(now, now);
    block.lines.concat()
}

#[test]
fn the_time_of_a_folded_scalar_is_replaced_whole() {
    let expected = completed("updated: 2026-11-30T07:00:00.000Z\nx: y\n");
    for folded in [
        "updated: >-\n  2026-11-30T06:00:00.000Z\nx: y\n",
        "updated: |\n  2026-11-30T06:00:00.000Z\n\nx: y\n",
        "updated:\n  2026-11-30T06:00:00.000Z\nx: y\n",
        "updated: >\nx: y\n",
    ] {
        assert_eq!(completed(folded), expected, "{folded}");
    }
    let text = "---\nupdated: >-\n  2026-11-30T06:00:00.000Z\n---\n";
    let six = Timestamp::parse("2026-11-30T06:00:00.000Z");
    assert_eq!(Frontmatter::split(text).0.time("updated"), six);
}

#[test]
fn of_two_lines_for_one_time_one_stays() {
    let two = "updated: 2026-11-30T05:00:00.000Z\nx: y\nupdated: 2026-11-30T06:00:00.000Z\n";
    assert_eq!(
        completed(two),
        completed("updated: 2026-11-30T07:00:00.000Z\nx: y\n")
    );
    let text = format!("---\n{two}---\n");
    let six = Timestamp::parse("2026-11-30T06:00:00.000Z");
    assert_eq!(Frontmatter::split(&text).0.time("updated"), six);
}

#[test]
fn a_shared_board_says_so_once() {
    let mut block = Frontmatter::split("---\na: b\nboardsync-shared: false\n---\n").0;
    assert!(!block.is_shared());
    block.declare_shared();
    block.declare_shared();
    let shared = "---\na: b\nboardsync-shared: true\n---\n";
    assert_eq!(block.lines.concat(), shared);
}
