//! A hook's payload: the JSON on stdin, whichever agent wrote it.
//!
//! It is believed to name a session and a folder, and nothing else: whoever
//! writes it is not trusted (names are cut, ids never name a file).

use super::table::AGENTS;
use super::words::plain;
use crate::session::lease::Voice;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;

/// The greatest size of a payload, in bytes; a tool's whole output may be in it.
pub const LIMIT: u64 = 16 * 1024 * 1024;

/// How many bytes of a text are kept: more than any path may have.
const LONGEST_TEXT: usize = 4 * 1024;
/// The longest id and title, in characters.
const LONGEST_ID: usize = 256;
const LONGEST_TITLE: usize = 80;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// What an agent tells its hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The name of the event.
    pub event: String,
    /// The session's id.
    pub session_id: String,
    /// The folder that the session is in, which may be gone.
    pub folder: Option<PathBuf>,
    /// What the session is called.
    pub title: Option<String>,
    /// What kind of notification it is.
    pub notification: Option<String>,
    /// What a notification says.
    pub message: Option<String>,
    /// Who speaks.
    pub voice: Voice,
    /// The agent that alone has such a payload.
    pub agent: Option<&'static str>,
}

/// Why stdin holds no payload.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    /// There was nothing.
    #[error("stdin is empty; expected one JSON object")]
    Empty,
    /// It ended too early.
    #[error("the JSON on stdin is cut off")]
    Cut,
    /// It is larger than [`LIMIT`].
    #[error("the JSON on stdin is larger than {LIMIT} bytes")]
    TooLarge,
    /// It is something else.
    #[error("invalid hook event on stdin: {0}")]
    NotJson(serde_json::Error),
    /// It is JSON, but no object.
    #[error("invalid hook event on stdin: not a JSON object")]
    NoObject,
    /// It is an object of something else.
    #[error("invalid hook event on stdin: no `{0}`")]
    Lacks(&'static str),
    /// It could not be read.
    #[error("cannot read stdin: {0}")]
    Io(#[source] io::Error),
}

/// The fields in which agents say these things, the first that is there counts.
const EVENT: &[&str] = &["hookeventname", "event", "hookname"];
const SESSION: &[&str] = &["sessionid", "conversationid", "taskid"];
const FOLDER: &[&str] = &[
    "cwd",
    "workingdir",
    "workspaceroot",
    "workspaceroots",
    "workspacepaths",
];
const TITLE: &[&str] = &["sessiontitle"];
const NOTIFICATION: &[&str] = &["notificationtype"];
const MESSAGE: &[&str] = &["message"];
/// Not null where a sub-agent speaks.
const PARENT: &[&str] = &["parentagentid", "parentsessionid", "parentid"];
/// Where there is none of these, it is this one.
const OWN: &[&str] = &["agentid"];

const ALL: [&[&str]; 8] = [
    EVENT,
    SESSION,
    FOLDER,
    TITLE,
    NOTIFICATION,
    MESSAGE,
    PARENT,
    OWN,
];

/// A value, as far as it is looked at.
#[derive(Default)]
enum Value {
    #[default]
    Absent,
    Null,
    Text(String),
    Other,
}

/// The values of [`ALL`] fields.
#[derive(Default)]
struct Fields {
    values: Vec<(&'static str, Value)>,
    agent: Option<&'static str>,
}

impl Fields {
    fn text(&mut self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| {
            let (_, value) = self.values.iter_mut().find(|(known, _)| known == name)?;
            match std::mem::take(value) {
                Value::Text(text) if !text.trim().is_empty() => Some(text),
                _ => None,
            }
        })
    }

    fn voice(&self) -> Voice {
        let of = |names: &[&str]| {
            let mut values = self.values.iter();
            values
                .find(|(name, _)| names.contains(name))
                .map(|it| &it.1)
        };
        let is_sub = match of(PARENT) {
            Some(parent) => !matches!(parent, Value::Null),
            None => of(OWN).is_some_and(|own| !matches!(own, Value::Null)),
        };
        if is_sub {
            Voice::SubAgent
        } else {
            Voice::Session
        }
    }
}

impl Payload {
    /// Reads the first JSON object, and nothing that comes after it: an agent
    /// may keep the other end open. Small reads must be cheap. `event` names
    /// the event where the object does not.
    ///
    /// Fields that do not matter are skipped as they stream by, however large
    /// they are.
    ///
    /// # Errors
    ///
    /// [`PayloadError`], for anything that is no event.
    pub fn read(from: impl Read, event: Option<&str>) -> Result<Self, PayloadError> {
        let mut input = from.take(LIMIT);
        let mut start = Vec::with_capacity(BOM.len());
        read_into(&mut start, &mut input, 1)?;
        if start.is_empty() {
            return Err(PayloadError::Empty);
        }
        if start == BOM[..1] {
            read_into(&mut start, &mut input, 2)?;
        }
        while start == BOM || start.first().is_some_and(u8::is_ascii_whitespace) {
            start.clear();
            read_into(&mut start, &mut input, 1)?;
        }
        let read = {
            let mut json = serde_json::Deserializer::from_reader((&*start).chain(&mut input));
            Fields::deserialize(&mut json)
        };
        let mut fields = read.map_err(|error| match error.classify() {
            _ if input.limit() == 0 => PayloadError::TooLarge,
            serde_json::error::Category::Io => PayloadError::Io(error.into()),
            serde_json::error::Category::Eof => PayloadError::Cut,
            serde_json::error::Category::Data => PayloadError::NoObject,
            serde_json::error::Category::Syntax => PayloadError::NotJson(error),
        })?;
        let name = fields.text(EVENT).or_else(|| event.map(str::to_owned));
        Ok(Self {
            event: name.ok_or(PayloadError::Lacks("hook_event_name"))?,
            session_id: fields
                .text(SESSION)
                .map(|id| id.chars().take(LONGEST_ID).collect())
                .ok_or(PayloadError::Lacks("session_id"))?,
            folder: fields.text(FOLDER).map(PathBuf::from),
            title: fields.text(TITLE).map(|title| {
                let title = crate::printable::printable(title.trim(), LONGEST_TITLE);
                title.to_string()
            }),
            notification: fields.text(NOTIFICATION),
            message: fields.text(MESSAGE),
            voice: fields.voice(),
            agent: fields.agent,
        })
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Fields::default();
                while let Some(key) = map.next_key::<String>()? {
                    let agent = AGENTS.iter().find(|agent| agent.field == Some(&key));
                    fields.agent = fields.agent.or(agent.map(|agent| agent.name));
                    // No name of ours is as long.
                    let key = plain(kept(&key, LONGEST_ID));
                    let known = ALL.iter().flat_map(|names| names.iter());
                    match known.copied().find(|name| *name == key) {
                        Some(name) => fields.values.push((name, map.next_value()?)),
                        None => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(fields)
            }
        }
        from.deserialize_map(Object)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct First;
        impl<'de> Visitor<'de> for First {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                Ok(Value::Text(kept(text, LONGEST_TEXT).to_owned()))
            }

            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
                Ok(Value::Other)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
                Ok(Value::Other)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
                Ok(Value::Other)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
                Ok(Value::Other)
            }

            /// The first of several folders is the session's.
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
                let first = items.next_element::<Value>()?;
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(first.unwrap_or(Value::Other))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Value::Other)
            }
        }
        from.deserialize_any(First)
    }
}

/// Cuts a text to at most `limit` bytes.
fn kept(text: &str, limit: usize) -> &str {
    let mut ends = (0..=text.len().min(limit)).rev();
    let end = ends.find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

fn read_into(to: &mut Vec<u8>, from: &mut impl Read, count: u64) -> Result<(), PayloadError> {
    let read = from.by_ref().take(count).read_to_end(to);
    read.map(drop).map_err(PayloadError::Io)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
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
        let text = format!(
            r#"{{"event":"Stop","session_id":"{long}","session_title":"a\u001b[31m{long}"}}"#
        );
        let payload = read(&text).unwrap();
        assert!(payload.session_id.len() <= LONGEST_ID);
        let title = payload.title.unwrap();
        assert!(
            title.chars().count() <= LONGEST_TITLE + 1 && !title.contains('\u{1b}'),
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
}
