//! `--filter KEY=VALUE`: which rows are shown.

use crate::board::{ABSENT, Entry, Field};
use crate::lock::normalise;

const KEYS: [(&str, Field); 7] = [
    ("repo", Field::Repo),
    ("status", Field::Status),
    ("session", Field::Session),
    ("branch", Field::Branch),
    ("mode", Field::Mode),
    ("key", Field::Key),
    ("host", Field::Host),
];

/// Wants one cell to be one text, in upper or lower case.
#[derive(Clone, Debug)]
pub struct Filter {
    field: Field,
    value: String,
}

impl Filter {
    /// Reads `KEY=VALUE`; no value, or a dash, means an absent cell.
    pub fn parse(text: &str) -> Result<Self, String> {
        let names = KEYS.map(|(name, _)| name).join(", ");
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| format!("write KEY=VALUE, with KEY one of {names}"))?;
        let (_, field) = KEYS
            .into_iter()
            .find(|(name, _)| key.trim().eq_ignore_ascii_case(name))
            .ok_or_else(|| format!("there is no key `{}`: use one of {names}", key.trim()))?;
        let value = comparable(field, value.trim());
        Ok(Self { field, value })
    }

    fn matches(&self, row: &Entry) -> bool {
        let cell = row.get(self.field).unwrap_or(ABSENT);
        comparable(self.field, cell) == self.value
    }
}

fn comparable(field: Field, text: &str) -> String {
    match field {
        _ if text == ABSENT => String::new(),
        Field::Host => normalise(text),
        _ => text.to_lowercase(),
    }
}

/// Says whether all keys match `row`, each with one of its values.
pub fn picks(filters: &[Filter], row: &Entry) -> bool {
    filters.iter().all(|wanted| {
        filters
            .iter()
            .any(|filter| filter.field == wanted.field && filter.matches(row))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Row, Status};

    #[test]
    fn values_are_alternatives_and_keys_are_not() {
        let row = Row::new("App", Status::Closed).with(Field::Host, "studio");
        let picked = |texts: &[&str]| {
            let filters: Vec<_> = texts
                .iter()
                .map(|text| Filter::parse(text).unwrap())
                .collect();
            picks(&filters, &row)
        };
        assert!(picked(&[]));
        assert!(picked(&["repo=app", "repo=lib", "status=closed"]));
        assert!(!picked(&["repo=app", "status=frei"]));
        assert!(picked(&["host=Studio.local", "branch=", "mode=—"]));
        assert!(!picked(&["branch=main"]));
    }

    #[test]
    fn an_unknown_key_is_told_the_known_ones() {
        let error = Filter::parse("owner=me").unwrap_err();
        assert!(
            error.contains("`owner`") && error.contains("status"),
            "{error}"
        );
        assert!(Filter::parse("status").unwrap_err().contains("KEY=VALUE"));
    }
}
