//! What becomes of a `settings.json`, case by case.

use super::*;

const COMMAND: &str = "/bin/boardsync hook";

fn merged(text: &str) -> String {
    merge(text, COMMAND, &EVENTS)
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
        assert_eq!(merge(&merged, COMMAND, &EVENTS), Ok(None), "{merged}");
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
    assert_eq!(merge(&own, COMMAND, &EVENTS), Ok(None));
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
        ("[]", "is no JSON object"),
        ("{\"hooks\": []}", "has `hooks` that are no object"),
        (
            "{\"hooks\": {\"Stop\": {}}}",
            "has `hooks.Stop` that is no array",
        ),
        ("{\"hooks\": {}, \"hooks\": {}}", "has a key twice"),
    ] {
        let said = merge(text, COMMAND, &EVENTS).unwrap_err();
        assert!(said.contains(fault), "{text}: {said}");
    }
}

#[test]
fn heartbeats_are_entries_of_their_own() {
    let all = [&EVENTS[..], &HEARTBEATS[..]].concat();
    let merged = merge(FULL, COMMAND, &all).unwrap().unwrap();
    assert_eq!(commands(&merged).unwrap().len(), 5, "{merged}");
    assert_eq!(merge(&merged, COMMAND, &EVENTS), Ok(None), "they stay");
    assert_eq!(remove(&merged).unwrap().unwrap().trim(), "{}");
}

#[test]
fn what_to_add_by_hand_is_one_line_that_works() {
    let line = by_hand(COMMAND, &EVENTS);
    assert_eq!(line.lines().count(), 1);
    assert_eq!(merge(&line, COMMAND, &EVENTS), Ok(None));
}
