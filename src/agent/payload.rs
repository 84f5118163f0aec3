//! A hook's payload: the JSON on stdin, whichever agent wrote it.
//!
//! It is believed to name a session and a folder, and nothing else: whoever
//! writes it is not trusted (names are cut, ids never name a file).

use super::fields::{Field, Fields};
use crate::printable::printable;
use crate::session::lease::Voice;
use serde::de::Deserialize;
use std::io::{self, Read};
use std::path::PathBuf;

/// The greatest size of a payload, in bytes; a tool's whole output may be in it.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The longest id and title, in characters.
const MAX_ID_CHARS: usize = 256;
const MAX_TITLE_CHARS: usize = 80;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The event that an agent gives its hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The name of the event.
    pub event: String,
    /// The session's id.
    pub session_id: String,
    /// The folder that the session is in, which may be gone.
    pub folder: Option<PathBuf>,
    /// The session's title.
    pub title: Option<String>,
    /// The kind of a notification.
    pub notification: Option<String>,
    /// The text of a notification.
    pub message: Option<String>,
    /// The speaker: the session or a sub-agent.
    pub voice: Voice,
    /// The agent that alone has such a payload.
    pub agent: Option<&'static str>,
}

/// The reason why stdin holds no payload.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    /// Stdin is empty.
    #[error("stdin is empty; expected one JSON object")]
    Empty,
    /// The JSON ends too early.
    #[error("the JSON on stdin is cut off")]
    Cut,
    /// The JSON is larger than [`MAX_BYTES`].
    #[error("the JSON on stdin is larger than {MAX_BYTES} bytes")]
    TooLarge,
    /// Stdin holds something else.
    #[error("invalid hook event on stdin: {0}")]
    NotJson(serde_json::Error),
    /// The JSON is not an object.
    #[error("invalid hook event on stdin: not a JSON object")]
    NoObject,
    /// The object lacks a field that every event has.
    #[error("invalid hook event on stdin: no `{0}`")]
    Lacks(&'static str),
    /// Stdin cannot be read.
    #[error("cannot read stdin: {0}")]
    Io(#[source] io::Error),
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
        let mut input = from.take(MAX_BYTES);
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
        let name = fields
            .text(Field::Event)
            .or_else(|| event.map(str::to_owned));
        Ok(Self {
            event: name.ok_or(PayloadError::Lacks("hook_event_name"))?,
            session_id: fields
                .text(Field::Session)
                .map(|id| id.chars().take(MAX_ID_CHARS).collect())
                .ok_or(PayloadError::Lacks("session_id"))?,
            folder: fields.text(Field::Folder).map(PathBuf::from),
            title: fields.text(Field::Title).map(|title| {
                let title = printable(title.trim(), MAX_TITLE_CHARS);
                title.to_string()
            }),
            notification: fields.text(Field::Notification),
            message: fields.text(Field::Message),
            voice: fields.voice(),
            agent: fields.agent,
        })
    }
}

fn read_into(to: &mut Vec<u8>, from: &mut impl Read, count: u64) -> Result<(), PayloadError> {
    let read = from.by_ref().take(count).read_to_end(to);
    read.map(drop).map_err(PayloadError::Io)
}

#[cfg(test)]
#[path = "payload_table.rs"]
mod table;
