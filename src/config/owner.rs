//! `paths.vault-dir` of the peer's `owner.yaml`, which may be any YAML.

use serde_json::Value;
use serde_saphyr::{alias_limits, budget, options};

/// How many events of the file are read, aliases followed; a real one has a
/// hundred.
const MAX_EVENTS: usize = 20_000;

/// Finds the vault in the text of `owner.yaml`; blank, `null` or a number is
/// `None`, as with the peer.
///
/// A file whose aliases multiply (a *billion laughs*) is an error after a
/// limited number of them.
///
/// # Errors
///
/// What the loader says of text that is not YAML, in one line.
pub fn vault_dir(text: &str) -> Result<Option<String>, String> {
    let options = options! {
        budget: budget! { max_events: MAX_EVENTS },
        alias_limits: alias_limits! { max_total_replayed_events: MAX_EVENTS },
        with_snippet: false,
    };
    let owner: Value = serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| error.to_string().replace('\n', " "))?;
    let dir = owner.get("paths").and_then(|paths| paths.get("vault-dir"));
    let dir = dir.and_then(Value::as_str).map(str::trim);
    Ok(dir.filter(|dir| !dir.is_empty()).map(str::to_owned))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
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
            ("other:\n  vault-dir: ~/o\n", None),
            ("deep:\n  paths:\n    vault-dir: ~/o\n", None),
            ("- paths:\n    vault-dir: ~/o\n", None),
            ("paths:\n  vault-dir: null\n", None),
            ("paths:\n  vault-dir: ~\n", None),
            ("paths:\n  vault-dir: \"\"\n", None),
            ("paths:\n  vault-dir: 5\n", None),
            ("paths:\n  vault-dir:\n", None),
            ("", None),
        ] {
            assert_eq!(vault_dir(yaml), Ok(expected.map(str::to_owned)), "{yaml:?}");
        }
    }

    #[test]
    fn reports_what_is_not_yaml() {
        for text in ["paths: [\n", "paths:\n  vault-dir: ~/1\n---\na: b\n"] {
            let error = vault_dir(text).unwrap_err();
            assert!(!error.contains('\n'), "one line: {error}");
        }
    }

    #[test]
    fn gives_up_on_aliases_that_multiply() {
        let mut yaml = String::from("a0: &a0 [x]\n");
        for n in 1..40 {
            let before = format!("*a{}", n - 1);
            yaml += &format!("a{n}: &a{n} [{}]\n", [before.as_str(); 9].join(", "));
        }
        yaml += "paths:\n  vault-dir: ~/o\n";
        let error = vault_dir(&yaml).unwrap_err();
        assert!(error.contains("budget"), "{error}");
    }
}
