//! The fields of a hook's payload that matter, in each agent's spelling.

use super::table::AGENTS;
use super::words::plain;
use crate::session::lease::Voice;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// The greatest length of a text that is kept, in bytes: no path is longer.
const MAX_TEXT_BYTES: usize = 4 * 1024;
/// The greatest length of a name that is looked at, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// The meaning of a payload's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The name of the event.
    Event,
    /// The session's id.
    Session,
    /// The folder that the session is in.
    Folder,
    /// The session's title.
    Title,
    /// The kind of a notification.
    Notification,
    /// The text of a notification.
    Message,
    /// The agent or session above, not null where a sub-agent speaks.
    Parent,
    /// The agent that speaks: a sub-agent, if no field names a parent.
    Speaker,
}

/// Names that mean the same in every payload, in lower case and without
/// separators; agents have others of their own ([`super::Agent::fields`]).
/// The first that a payload has counts.
const SHARED: &[(Field, &str)] = &[
    (Field::Event, "hookeventname"),
    (Field::Event, "event"),
    (Field::Session, "sessionid"),
    (Field::Folder, "cwd"),
    (Field::Title, "sessiontitle"),
    (Field::Notification, "notificationtype"),
    (Field::Message, "message"),
    (Field::Parent, "parentagentid"),
    (Field::Parent, "parentsessionid"),
    (Field::Parent, "parentid"),
    (Field::Speaker, "agentid"),
];

fn names() -> impl Iterator<Item = (Field, &'static str)> {
    let own = AGENTS.iter().flat_map(|agent| agent.fields);
    SHARED.iter().chain(own).copied()
}

/// A value, as far as it is looked at.
#[derive(Default)]
enum Value {
    #[default]
    Absent,
    Null,
    Text(String),
    Other,
}

/// The values of the fields that matter.
#[derive(Default)]
pub struct Fields {
    values: Vec<(&'static str, Value)>,
    /// The name of the agent that alone has such fields.
    pub agent: Option<&'static str>,
}

impl Fields {
    /// Takes the text of a field.
    pub fn text(&mut self, field: Field) -> Option<String> {
        let mut names = names().filter(|(known, _)| *known == field);
        names.find_map(|(_, name)| {
            let (_, value) = self.values.iter_mut().find(|(known, _)| *known == name)?;
            match std::mem::take(value) {
                Value::Text(text) if !text.trim().is_empty() => Some(text),
                _ => None,
            }
        })
    }

    /// Reads who speaks.
    pub fn voice(&self) -> Voice {
        let is_null = |field: Field| {
            let mut values = self.values.iter();
            let value = values.find(|(name, _)| names().any(|it| it == (field, *name)));
            value.map(|(_, value)| matches!(value, Value::Null))
        };
        match is_null(Field::Parent).or_else(|| is_null(Field::Speaker)) {
            Some(false) => Voice::SubAgent,
            Some(true) | None => Voice::Session,
        }
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
                    let agent = AGENTS.iter().find(|agent| agent.own_field == Some(&key));
                    fields.agent = fields.agent.or(agent.map(|agent| agent.name));
                    // No name of ours is as long.
                    let key = plain(kept(&key, MAX_NAME_BYTES));
                    match names().find(|(_, name)| *name == key) {
                        Some((_, name)) => fields.values.push((name, map.next_value()?)),
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
                Ok(Value::Text(kept(text, MAX_TEXT_BYTES).to_owned()))
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
