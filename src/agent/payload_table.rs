//! What is read of a payload, case by case.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

fn read(text: &str) -> Result<Payload, String> {
    Payload::read(text.as_bytes(), None).map_err(|error| error.to_string())
}

#[test]
fn every_spelling_of_a_field_is_the_field() {
    let app = Some(PathBuf::from("/src/app"));
    for (text, event, folder) in [
        (
            r#"{"session_id":"s","cwd":"/src/app","hook_event_name":"Stop"}"#,
            "Stop",
            &app,
        ),
        (
            r#"{"sessionId":"s","cwd":"/src/app","hookEventName":"Stop"}"#,
            "Stop",
            &app,
        ),
        (
            r#"{"event":"Stop","session_id":"s","working_dir":"/src/app"}"#,
            "Stop",
            &app,
        ),
        (
            r#"{"hookName":"agent_end","taskId":"s","workspaceRoots":["/src/app","/b"]}"#,
            "agent_end",
            &app,
        ),
        (
            r#"{"conversation_id":"s","workspace_roots":["/src/app"]}"#,
            "given",
            &app,
        ),
        (
            r#"{"conversationId":"s","workspacePaths":["/src/app"]}"#,
            "given",
            &app,
        ),
        (
            r#"{"SESSION_ID":"s","Workspace_Root":"/src/app"}"#,
            "given",
            &app,
        ),
        (
            r#"{"cwd":[],"workspace_roots":[{"a":1}],"session_id":"s"}"#,
            "given",
            &None,
        ),
    ] {
        let payload = Payload::read(text.as_bytes(), Some("given")).unwrap();
        assert_eq!(
            (payload.event.as_str(), &payload.folder),
            (event, folder),
            "{text}"
        );
        assert_eq!(
            (payload.session_id.as_str(), payload.voice),
            ("s", Voice::Session)
        );
    }
}

#[test]
fn a_sub_agent_is_told_from_its_session() {
    for (field, voice) in [
        (r#""agent_id":"a1""#, Voice::SubAgent),
        (r#""agent_id":null"#, Voice::Session),
        (r#""agent_id":"a1","parent_agent_id":null"#, Voice::Session),
        (r#""agent_id":"a1","parent_agent_id":"a0""#, Voice::SubAgent),
        (r#""parentID":"s0""#, Voice::SubAgent),
        (r#""agent_type":"x""#, Voice::Session),
    ] {
        let text = format!(r#"{{{field},"event":"Stop","session_id":"s"}}"#);
        assert_eq!(read(&text).unwrap().voice, voice, "{field}");
    }
}

#[test]
fn names_are_cut_and_made_printable() {
    let long = "x".repeat(10_000);
    let text =
        format!(r#"{{"event":"Stop","session_id":"{long}","session_title":"a\u001b[31m{long}"}}"#);
    let payload = read(&text).unwrap();
    assert!(payload.session_id.len() <= MAX_ID_CHARS);
    let title = payload.title.unwrap();
    assert!(
        title.chars().count() <= MAX_TITLE_CHARS + 1 && !title.contains('\u{1b}'),
        "{title}"
    );
}

#[test]
fn what_surrounds_an_event_does_not_matter() {
    let event = r#"{"hook_event_name":"Stop","session_id":"s"}"#;
    for text in [
        format!("\u{feff}{event}"),
        format!(" \r\n\t{event}"),
        format!("{event}}}}} garbage"),
        format!("{event}{event}"),
    ] {
        assert_eq!(read(&text).unwrap().session_id, "s", "{text:?}");
    }
}

#[test]
fn fields_of_any_type_and_depth_are_taken_or_skipped() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for other in [
        r#""cwd":5"#,
        r#""cwd":null"#,
        r#""cwd":"  ""#,
        r#""cwd":{"a":[]}"#,
        &format!(r#""tool_response":{deep}"#),
    ] {
        let text = format!(r#"{{{other},"hook_event_name":"Stop","session_id":"s"}}"#);
        let event = read(&text).unwrap();
        assert_eq!(event.folder, None);
    }
}

#[test]
fn what_is_no_event_is_named() {
    for (text, fault) in [
        ("", "empty"),
        ("  ", "cut off"),
        ("{\"hook_event_name\":\"Sto", "cut off"),
        ("\u{feff}", "cut off"),
        ("hello", "invalid hook event"),
        ("5", "not a JSON object"),
        ("{}", "no `hook_event_name`"),
        (" [\"Stop\",\"s\",\"/src\"]", "not a JSON object"),
        ("null", "not a JSON object"),
        (r#"{"hook_event_name":"Stop"}"#, "no `session_id`"),
        (
            r#"{"hook_event_name":"Stop","session_id":""}"#,
            "no `session_id`",
        ),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(fault), "{text:?}: {error}");
    }
}

#[test]
fn nothing_is_read_after_the_object() {
    struct Never;
    impl Read for Never {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("read after the object")
        }
    }
    let event: &[u8] = br#"{"hook_event_name":"Stop","session_id":"s"}"#;
    assert!(Payload::read(event.chain(Never), None).is_ok());
}

#[test]
fn an_endless_event_is_too_large() {
    let endless = (&b"{\"a\":\""[..]).chain(io::repeat(b'x'));
    let error = Payload::read(endless, None).unwrap_err();
    assert!(matches!(error, PayloadError::TooLarge), "{error}");
}
