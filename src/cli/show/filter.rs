//! `--filter KEY=VALUE`: which rows are shown.

use super::snapshot::Item;
use super::state::State;
use crate::board::{ABSENT, Field};
use crate::lock::normalise;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use std::ffi::OsStr;

/// The columns by which rows are filtered; `--since` is for the heartbeat.
fn keys() -> impl Iterator<Item = Field> {
    let is_key = |field: &Field| *field != Field::Heartbeat;
    Field::ALL.into_iter().filter(is_key)
}

/// A cell and the text that it must have, whether in upper or lower case.
#[derive(Clone, Debug)]
pub struct Filter {
    field: Field,
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
        let statuses = State::NAMED.map(|state| format!("status={}", state.word()));
        let others = keys().filter(|field| *field != Field::Status);
        let others = others.map(|field| format!("{}=", field.word()));
        Some(Box::new(
            statuses.into_iter().chain(others).map(PossibleValue::new),
        ))
    }
}

impl Filter {
    /// Reads `KEY=VALUE`; no value, or a dash, means an absent cell.
    fn parse(text: &str) -> Result<Self, String> {
        let names = keys().map(Field::word).collect::<Vec<_>>().join(", ");
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| format!("expected KEY=VALUE, with KEY one of {names}"))?;
        let field = keys()
            .find(|field| key.trim().eq_ignore_ascii_case(field.word()))
            .ok_or_else(|| format!("unknown key `{}`; use one of {names}", key.trim()))?;
        let value = comparable(field, value.trim());
        if field == Field::Status && !State::NAMED.iter().any(|state| state.word() == value) {
            let words = State::NAMED.map(State::word).join(", ");
            return Err(format!("unknown status; use one of {words}"));
        }
        Ok(Self { field, value })
    }

    fn matches(&self, item: &Item) -> bool {
        let cell = item.cell(self.field);
        comparable(self.field, cell.as_deref().unwrap_or(ABSENT)) == self.value
            || self.field == Field::Status && item.state.word() == self.value
    }
}

fn comparable(field: Field, text: &str) -> String {
    match field {
        _ if text == ABSENT => String::new(),
        Field::Host => normalise(text),
        _ => text.to_lowercase(),
    }
}

/// Returns whether all keys match `item`, each with one of its values.
pub fn picks(filters: &[Filter], item: &Item) -> bool {
    filters.iter().all(|wanted| {
        filters
            .iter()
            .any(|filter| filter.field == wanted.field && filter.matches(item))
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
        assert!(picked(&["status=Waiting"]), "what is shown counts as well");
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
        ] {
            let error = Filter::parse(wrong).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }
}
