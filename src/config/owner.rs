//! `paths.vault-dir` of the peer's `owner.yaml`, which may be any YAML.

use saphyr_parser::{Event, Parser};
use std::collections::HashMap;

/// Finds the vault in the text of `owner.yaml`; blank, `null` or a number is
/// `None`, as with the peer.
///
/// The events of the parser are followed instead of building the document: an
/// alias costs nothing until it is the value that is asked for, so a file of
/// aliases that multiply (a *billion laughs*) is read in no time.
///
/// # Errors
///
/// What the parser says of text that is not YAML.
pub fn vault_dir(text: &str) -> Result<Option<String>, String> {
    let mut anchors: HashMap<usize, String> = HashMap::new();
    // For each open collection, the key under which the next value stands.
    let mut open: Vec<Level> = Vec::new();
    let mut found = None;
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        match event {
            Event::MappingStart(..) => open.push(Level::Mapping { key: None }),
            Event::SequenceStart(..) => open.push(Level::Sequence),
            Event::MappingEnd | Event::SequenceEnd => {
                open.pop();
                if let Some(level) = open.last_mut() {
                    level.value_ended();
                }
            }
            Event::Scalar(value, style, anchor, _) => {
                let is_plain = matches!(style, saphyr_parser::ScalarStyle::Plain);
                let is_text = !is_plain || !is_other_type(&value);
                if is_text && anchor != 0 {
                    anchors.insert(anchor, value.to_string());
                }
                if is_at_vault_dir(&open) {
                    found = Some(value.to_string()).filter(|_| is_text);
                }
                scalar(&mut open, &value);
            }
            Event::Alias(anchor) => {
                if is_at_vault_dir(&open) {
                    found = anchors.get(&anchor).cloned();
                }
                scalar(&mut open, "");
            }
            // A second document is none of ours.
            Event::DocumentEnd => break,
            _ => {}
        }
    }
    Ok(found
        .map(|dir| dir.trim().to_owned())
        .filter(|dir| !dir.is_empty()))
}

enum Level {
    Mapping { key: Option<String> },
    Sequence,
}

impl Level {
    fn value_ended(&mut self) {
        if let Self::Mapping { key } = self {
            // A collection may be a key too; then its value comes next.
            *key = match key.take() {
                Some(_) => None,
                None => Some(String::new()),
            };
        }
    }
}

fn scalar(open: &mut [Level], value: &str) {
    if let Some(Level::Mapping { key }) = open.last_mut() {
        *key = match key.take() {
            Some(_) => None,
            None => Some(value.to_owned()),
        };
    }
}

fn is_at_vault_dir(open: &[Level]) -> bool {
    matches!(
        open,
        [Level::Mapping { key: Some(outer) }, Level::Mapping { key: Some(inner) }]
            if outer == "paths" && inner == "vault-dir"
    )
}

/// Tells a plain scalar that YAML takes for null, a boolean or a number.
fn is_other_type(plain: &str) -> bool {
    matches!(plain, "~" | "null" | "Null" | "NULL" | "true" | "false")
        || plain.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::vault_dir;

    #[test]
    fn finds_the_vault_in_every_style() {
        for (yaml, expected) in [
            ("paths:\n  vault-dir: ~/o\n", Some("~/o")),
            ("paths: {vault-dir: \"~/o\"}\n", Some("~/o")),
            ("x: &a ~/anch\npaths:\n  vault-dir: *a\n", Some("~/anch")),
            ("paths:\n  vault-dir: >-\n    ~/o\n", Some("~/o")),
            ("paths:\n  vault-dir: ~/a # note\n", Some("~/a")),
            (
                "paths:\n  more: [a, {vault-dir: x}]\n  vault-dir: ~/o\n",
                Some("~/o"),
            ),
            ("? [a, b]\n: c\npaths:\n  vault-dir: ~/o\n", Some("~/o")),
            ("other:\n  vault-dir: ~/o\n", None),
            ("deep:\n  paths:\n    vault-dir: ~/o\n", None),
            ("- paths:\n    vault-dir: ~/o\n", None),
            ("paths:\n  vault-dir: null\n", None),
            ("paths:\n  vault-dir: ~\n", None),
            ("paths:\n  vault-dir: \"\"\n", None),
            ("paths:\n  vault-dir: 5\n", None),
            ("paths:\n  vault-dir:\n", None),
            (
                "paths:\n  vault-dir: ~/1\n---\npaths:\n  vault-dir: ~/2\n",
                Some("~/1"),
            ),
            ("", None),
        ] {
            assert_eq!(vault_dir(yaml), Ok(expected.map(str::to_owned)), "{yaml:?}");
        }
    }

    #[test]
    fn reports_what_is_not_yaml() {
        assert!(vault_dir("paths: [\n").is_err());
    }

    #[test]
    fn is_not_impressed_by_aliases_that_multiply() {
        let mut yaml = String::from("a0: &a0 [x]\n");
        for n in 1..40 {
            let before = format!("*a{}", n - 1);
            yaml += &format!("a{n}: &a{n} [{}]\n", [before.as_str(); 9].join(", "));
        }
        yaml += "paths:\n  vault-dir: ~/o\n";
        assert_eq!(vault_dir(&yaml), Ok(Some("~/o".to_owned())));
    }
}
