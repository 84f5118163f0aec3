//! `--filter KEY=VALUE`: which rows are shown.

use super::item::Item;
use super::state::State;
use crate::board::{ABSENT, Field, Status};
use crate::lock::normalise;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use std::ffi::OsStr;

/// What rows are filtered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    /// The state that is shown.
    State,
    /// A cell of the board; `--since` is for the heartbeat.
    Cell(Field),
}

impl Key {
    fn all() -> impl Iterator<Item = Self> {
        let cells = Field::ALL.into_iter().filter(|it| *it != Field::Heartbeat);
        [Self::State].into_iter().chain(cells.map(Self::Cell))
    }

    fn word(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Cell(field) => field.word(),
        }
    }

    /// Returns all values that there are, if only some words are.
    fn values(self) -> Option<Vec<&'static str>> {
        match self {
            Self::State => Some(State::NAMED.map(State::word).to_vec()),
            Self::Cell(Field::Status) => Some(Status::ALL.map(Status::word).to_vec()),
            Self::Cell(_) => None,
        }
    }
}

/// A key and the text that a row must have there, whether in upper or lower case.
#[derive(Clone, Debug)]
pub struct Filter {
    key: Key,
    value: String,
}

/// Reads filters, and lists what a shell completes.
#[derive(Clone, Debug)]
pub struct Parser;

impl TypedValueParser for Parser {
    type Value = Filter;

    fn parse_ref(
        &self,
        command: &clap::Command,
        _arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Filter, clap::Error> {
        let value = value.to_string_lossy();
        Filter::parse(&value).map_err(|why| {
            let message = format!("invalid value '{value}' for '--filter <KEY=VALUE>': {why}\n");
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = Key::all().flat_map(|key| {
            let values = key.values().unwrap_or_else(|| vec![""]);
            values
                .into_iter()
                .map(move |value| PossibleValue::new(format!("{}={value}", key.word())))
        });
        Some(Box::new(values))
    }
}

impl Filter {
    /// Reads `KEY=VALUE`; no value, or a dash, means an absent cell.
    fn parse(text: &str) -> Result<Self, String> {
        let names = Key::all().map(Key::word).collect::<Vec<_>>().join(", ");
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| format!("expected KEY=VALUE, with KEY one of {names}"))?;
        let key = Key::all()
            .find(|known| key.trim().eq_ignore_ascii_case(known.word()))
            .ok_or_else(|| format!("unknown key `{}`; use one of {names}", key.trim()))?;
        let value = comparable(key, value.trim());
        match key.values() {
            Some(words) if !words.contains(&&*value) => {
                let of = match (key, Key::State.values()) {
                    (Key::Cell(_), Some(states)) if states.contains(&&*value) => {
                        format!("; for `{value}`, use state={value}")
                    }
                    _ => String::new(),
                };
                let (word, words) = (key.word(), words.join(", "));
                Err(format!("unknown {word}; use one of {words}{of}"))
            }
            _ => Ok(Self { key, value }),
        }
    }

    fn matches(&self, item: &Item) -> bool {
        match self.key {
            Key::State => item.state.word() == self.value,
            Key::Cell(field) => {
                let cell = item.cell(field);
                comparable(self.key, cell.as_deref().unwrap_or(ABSENT)) == self.value
            }
        }
    }
}

fn comparable(key: Key, text: &str) -> String {
    match key {
        _ if text == ABSENT => String::new(),
        Key::Cell(Field::Host) => normalise(text),
        _ => text.to_lowercase(),
    }
}

/// Returns whether all keys match `item`, each with one of its values.
pub fn picks(filters: &[Filter], item: &Item) -> bool {
    filters.iter().all(|wanted| {
        filters
            .iter()
            .any(|filter| filter.key == wanted.key && filter.matches(item))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;
    use crate::board::{Row, Status};

    #[test]
    fn values_are_alternatives_and_keys_are_not() {
        let row = Row::new("App", Status::InProgress)
            .with(Field::Host, "studio")
            .with(Field::Mode, "waiting");
        let item = Item::new(row, Vec::new(), None, Timestamp::from_millis(0));
        let picked = |texts: &[&str]| {
            let filters: Vec<_> = texts
                .iter()
                .map(|text| Filter::parse(text).unwrap())
                .collect();
            picks(&filters, &item)
        };
        assert!(picked(&[]));
        assert!(picked(&["repo=app", "repo=lib", "status=in-progress"]));
        assert!(picked(&["state=Waiting", "status=in-progress"]));
        assert!(!picked(&["state=in-progress"]));
        assert!(!picked(&["repo=app", "status=frei"]));
        assert!(picked(&["host=Studio.local", "branch=", "session=—"]));
        assert!(!picked(&["branch=main"]));
    }

    #[test]
    fn an_unknown_key_or_status_is_told_the_known_ones() {
        for (wrong, named) in [
            ("owner=me", "`owner`"),
            ("owner=me", "status"),
            ("status", "KEY=VALUE"),
            ("status=done", "closed"),
            ("status=waiting", "state=waiting"),
            ("state=done", "silent"),
        ] {
            let error = Filter::parse(wrong).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }
}
