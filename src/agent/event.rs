//! A hook event, from the JSON on stdin.

use super::kind::Kind;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::io::{self, Read};
use std::path::PathBuf;

/// The greatest size of an event, in bytes; a tool's whole output may be in it.
pub const LIMIT: u64 = 16 * 1024 * 1024;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Is what a session reports of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: Kind,
    /// The session's machine id.
    pub session_id: String,
    /// The folder that the session is in, which may be gone.
    pub cwd: Option<PathBuf>,
}

/// Says why stdin holds no event.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// There was nothing.
    #[error("stdin is empty: a hook's JSON object is wanted")]
    Empty,
    /// It ended too early.
    #[error("the JSON on stdin is cut off")]
    Cut,
    /// It is larger than [`LIMIT`].
    #[error("the JSON on stdin is larger than {LIMIT} bytes")]
    TooLarge,
    /// It is something else.
    #[error("stdin holds no hook event: {0}")]
    NotJson(serde_json::Error),
    /// It is JSON, but no object.
    #[error("the JSON on stdin is no object: it is no hook event")]
    NoObject,
    /// It is an object of something else.
    #[error("the JSON on stdin has no `{0}`: it is no hook event")]
    Lacks(&'static str),
    /// It could not be read.
    #[error("cannot read stdin: {0}")]
    Io(#[source] io::Error),
}

/// Is as much of an event as is looked at; a field may be of any type.
#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    hook_event_name: Field,
    #[serde(default)]
    session_id: Field,
    #[serde(default)]
    cwd: Field,
}

#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Field {
    Text(String),
    Other(IgnoredAny),
    #[default]
    Absent,
}

impl Field {
    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text).filter(|text| !text.trim().is_empty()),
            Self::Other(_) | Self::Absent => None,
        }
    }
}

impl Event {
    /// Reads the first JSON object, and nothing that comes after it: an agent
    /// may keep the other end open. Small reads must be cheap.
    ///
    /// Fields that do not matter are skipped as they stream by, however large
    /// or deep they are.
    ///
    /// # Errors
    ///
    /// [`EventError`], for anything that is no event.
    pub fn read(from: impl Read) -> Result<Self, EventError> {
        let mut input = from.take(LIMIT);
        let mut start = Vec::with_capacity(BOM.len());
        read_into(&mut start, &mut input, 1)?;
        if start.is_empty() {
            return Err(EventError::Empty);
        }
        if start == BOM[..1] {
            read_into(&mut start, &mut input, 2)?;
        }
        while start == BOM || start.first().is_some_and(u8::is_ascii_whitespace) {
            start.clear();
            read_into(&mut start, &mut input, 1)?;
        }
        if start == b"[" {
            // `Raw` would take the items of an array for its fields, in order.
            return Err(EventError::NoObject);
        }
        let read = {
            let mut json = serde_json::Deserializer::from_reader((&*start).chain(&mut input));
            Raw::deserialize(&mut json)
        };
        let raw = read.map_err(|error| match error.classify() {
            _ if input.limit() == 0 => EventError::TooLarge,
            serde_json::error::Category::Io => EventError::Io(error.into()),
            serde_json::error::Category::Eof => EventError::Cut,
            serde_json::error::Category::Data => EventError::NoObject,
            _ => EventError::NotJson(error),
        })?;
        let name = raw.hook_event_name.text();
        Ok(Self {
            kind: Kind::of(&name.ok_or(EventError::Lacks("hook_event_name"))?),
            session_id: raw
                .session_id
                .text()
                .ok_or(EventError::Lacks("session_id"))?,
            cwd: raw.cwd.text().map(PathBuf::from),
        })
    }
}

fn read_into(to: &mut Vec<u8>, from: &mut impl Read, count: u64) -> Result<(), EventError> {
    let read = from.by_ref().take(count).read_to_end(to);
    read.map(drop).map_err(EventError::Io)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Event, String> {
        Event::read(text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn every_event_has_its_kind() {
        for (name, kind) in [
            ("SessionStart", Kind::Start),
            ("sessionStart", Kind::Start),
            ("SessionEnd", Kind::End),
            ("Stop", Kind::Beat),
            ("UserPromptSubmit", Kind::Beat),
            ("PreToolUse", Kind::Beat),
            ("PostToolUse", Kind::Beat),
            ("SomethingOf2030", Kind::Beat),
        ] {
            let text = format!(
                r#"{{"session_id":"s","cwd":"/src/app","hook_event_name":"{name}","source":"x"}}"#
            );
            let event = Event {
                kind,
                session_id: "s".to_owned(),
                cwd: Some(PathBuf::from("/src/app")),
            };
            assert_eq!(read(&text), Ok(event), "{name}");
        }
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
            assert_eq!((event.kind, event.cwd), (Kind::Beat, None));
        }
    }

    #[test]
    fn what_is_no_event_is_named() {
        for (text, fault) in [
            ("", "empty"),
            ("  ", "cut off"),
            ("{\"hook_event_name\":\"Sto", "cut off"),
            ("\u{feff}", "cut off"),
            ("hello", "no hook event"),
            ("5", "no object"),
            ("{}", "no `hook_event_name`"),
            (" [\"Stop\",\"s\",\"/src\"]", "no object"),
            ("null", "no object"),
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
        assert!(Event::read(event.chain(Never)).is_ok());
    }

    #[test]
    fn an_endless_event_is_too_large() {
        let endless = (&b"{\"a\":\""[..]).chain(io::repeat(b'x'));
        let error = Event::read(endless).unwrap_err();
        assert!(matches!(error, EventError::TooLarge), "{error}");
    }
}
