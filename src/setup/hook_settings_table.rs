//! Hooks in a `settings.json`, case by case.

use super::*;
use crate::agent::Content;

const COMMAND: &str = "/bin/boardsync hook";

fn hooks(events: &[&'static str]) -> HookSettings {
    of("claude-code", events)
}

fn of(agent: &str, events: &[&'static str]) -> HookSettings {
    let mut all = Target::all();
    let target = all.find(|it| it.agent.name == agent).unwrap();
    let Content::Hooks(format) = target.settings.content else {
        panic!("{agent} has no file of hooks")
    };
    HookSettings {
        target,
        format,
        command: COMMAND.to_owned(),
        events: events.to_vec(),
    }
}

fn same(one: &str, other: &str) -> bool {
    hooks(&[]).same().unwrap()(one, other)
}

fn merge(text: &str) -> Result<Option<String>, String> {
    hooks(&["SessionStart", "SessionEnd"]).add(Some(text))
}

fn remove(text: &str) -> Result<Option<String>, String> {
    let rest = hooks(&[]).remove(text)?;
    Ok(rest.map(|rest| match rest {
        Rest::Text(text) => text,
        Rest::NoFile => panic!("a file of settings is never ours alone"),
    }))
}

fn merged(text: &str) -> String {
    merge(text)
        .unwrap_or_else(|fault| panic!("{text} {fault}"))
        .unwrap_or_else(|| panic!("nothing to do for {text}"))
}

const FULL: &str = r#"{
  "hooks": {
    "SessionStart": [
      {
        "matcher": "startup|resume|clear|compact|fork",
        "hooks": [
          {
            "type": "command",
            "command": "/bin/boardsync hook",
            "timeout": 10
          }
        ]
      }
    ],
    "SessionEnd": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/bin/boardsync hook",
            "timeout": 10
          }
        ]
      }
    ]
  }
}
"#;

#[test]
fn an_empty_file_gets_just_our_entries() {
    for empty in ["", "\n", "{}\n", "{\n}\n"] {
        assert_eq!(merged(empty), FULL, "{empty:?}");
    }
}

#[test]
fn what_stands_there_stays_byte_for_byte() {
    for text in [
        "{\n  \"z\": 1,\n  \"a\": [1, 2,   3],\n  \"hooks\": {\n    \"Stop\": [{ \"hooks\": [] }]\n  }\n}\n",
        "{\n\t\"z\": {\n\t\t\"deep\": true\n\t}\n}\n",
        "{\r\n    \"z\": 1.50\r\n}\r\n",
        "{\n    \"z\": \"\\u00e4\"\n}",
        "\u{feff}{\n  \"z\": 1\n}\n",
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"matcher\": \"startup\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"other\"\n          }\n        ]\n      }\n    ]\n  }\n}\n",
    ] {
        let merged = merged(text);
        let lost: Vec<&str> = text
            .lines()
            .filter(|line| {
                let line = line.trim_end_matches(['}', ']', ',']).trim_end();
                !merged.contains(line)
            })
            .collect();
        assert_eq!(lost, [""; 0], "{merged}");
        assert_eq!(merge(&merged), Ok(None), "{merged}");
        let back = remove(&merged).unwrap().unwrap();
        assert_eq!(back, text, "and goes without a trace");
    }
}

#[test]
fn the_indent_and_the_line_endings_are_those_of_the_file() {
    let tabs = merged("{\n\t\"z\": 1\n}\n");
    assert!(
        tabs.contains("\n\t\"hooks\": {\n\t\t\"SessionStart\": ["),
        "{tabs}"
    );
    let four = merged("{\n    \"z\": 1\n}\n");
    assert!(
        four.contains("\n    \"hooks\": {\n        \"SessionStart\": ["),
        "{four}"
    );
    let crlf = merged("{\r\n  \"z\": 1\r\n}\r\n");
    assert_eq!(
        crlf.matches('\n').count(),
        crlf.matches("\r\n").count(),
        "{crlf:?}"
    );
}

#[test]
fn an_older_entry_is_updated_and_not_doubled() {
    let older = FULL.replace("/bin/boardsync", "/old/boardsync");
    assert_eq!(merged(&older), FULL);
    let spaced = FULL.replace("/bin/boardsync hook", "'/my tools/boardsync' hook");
    assert_eq!(merged(&spaced), FULL);
    let narrowed = older.replace("|fork", "").replace("10", "3");
    let updated = merged(&narrowed);
    assert_eq!(
        updated,
        narrowed.replace("/old/", "/bin/"),
        "only the command"
    );
}

#[test]
fn a_call_of_somebodys_own_counts_and_stays() {
    let own = FULL.replace("/bin/boardsync hook", "X=1 /bin/boardsync hook");
    assert_eq!(merge(&own), Ok(None));
    assert_eq!(remove(&own), Ok(None));
}

#[test]
fn a_minified_file_comes_back_as_the_same_settings() {
    let text = r#"{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}"#;
    let back = remove(&merged(text)).unwrap().unwrap();
    assert!(same(&back, text), "{back}");
}

#[test]
fn only_our_entries_go() {
    let shared = r#"{
  "hooks": {
    "SessionEnd": [
      {
        "hooks": [
          { "type": "command", "command": "theirs" },
          { "type": "command", "command": "/bin/boardsync hook" }
        ]
      }
    ],
    "Stop": []
  }
}
"#;
    let back = remove(shared).unwrap().unwrap();
    assert!(
        back.contains("theirs") && !back.contains("boardsync"),
        "{back}"
    );
    assert!(back.contains("\"Stop\": []"), "{back}");
    assert_eq!(remove(&back), Ok(None));
}

#[test]
fn what_is_not_understood_is_refused() {
    for (text, fault) in [
        ("{ // a comment\n}", "is not valid JSON, or has comments"),
        ("{\"a\": 1,}", "is not valid JSON"),
        ("{", "is not valid JSON"),
        ("[]", "is not a JSON object"),
        ("{\"hooks\": []}", "has `hooks` that are not an object"),
        (
            "{\"hooks\": {\"Stop\": {}}}",
            "has `hooks.Stop` that is not an array",
        ),
        ("{\"hooks\": {}, \"hooks\": {}}", "has a duplicate key"),
    ] {
        let said = merge(text).unwrap_err();
        assert!(said.contains(fault), "{text}: {said}");
    }
}

#[test]
fn events_that_are_no_longer_wanted_go() {
    let all = hooks(&["SessionStart", "Stop", "SessionEnd"]);
    let merged = all.add(Some(FULL)).unwrap().unwrap();
    let file = SettingsFile::read(&merged).unwrap();
    assert_eq!(file.hooks(all.format).len(), 3, "{merged}");
    assert_eq!(merge(&merged), Ok(Some(FULL.to_owned())));
    assert_eq!(remove(&merged).unwrap().unwrap().trim(), "{}");
}

#[test]
fn a_flat_file_has_a_version_and_no_groups() {
    let flat = of("cursor", &["stop"]);
    let text = flat.add(None).unwrap().unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let wanted = serde_json::json!({"version": 1, "hooks": {"stop": [{"command": COMMAND}]}});
    assert_eq!(value, wanted);
    assert_eq!(flat.add(Some(&text)), Ok(None));
    let rest = flat.remove(&text).unwrap().unwrap();
    let Rest::Text(rest) = rest else {
        panic!("{rest:?}")
    };
    assert!(same(&rest, ""), "{rest}");
    let theirs = "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"theirs\" }\n    ]\n  }\n}\n";
    let merged = flat.add(Some(theirs)).unwrap().unwrap();
    assert!(
        merged.contains("theirs") && merged.contains(COMMAND),
        "{merged}"
    );
    assert_eq!(
        flat.remove(&merged),
        Ok(Some(Rest::Text(theirs.to_owned())))
    );
}

#[test]
fn what_to_add_by_hand_is_one_line_that_works() {
    let line = hooks(&["SessionStart", "SessionEnd"]).by_hand(Direction::SetUp);
    assert_eq!(line.lines().count(), 1);
    assert_eq!(merge(line.strip_prefix("add ").unwrap()), Ok(None));
}
