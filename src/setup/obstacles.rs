//! What keeps hooks that stand in an agent's settings from running.

use super::hook_command::calls_us;
use super::settings::{Shape, command_of, entries};
use serde_json::Value;
use std::path::Path;

/// Something that keeps hooks from running, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// What is wrong.
    pub text: String,
    /// What to do.
    pub advice: String,
}

impl Obstacle {
    fn new(text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            advice: advice.into(),
        }
    }
}

/// Looks for switches that hold for all hooks of a file and those below it.
///
/// `managed` tells that the file is the administrator's.
pub fn switches(settings: &Value, file: &Path, managed: bool) -> Vec<Obstacle> {
    let shown = file.display();
    let is_set = |key: &str| settings[key] == true;
    let mut found = Vec::new();
    if is_set("disableAllHooks") {
        found.push(Obstacle::new(
            format!("`disableAllHooks` in `{shown}` switches all hooks off"),
            "remove it",
        ));
    }
    if managed && is_set("allowManagedHooksOnly") {
        found.push(Obstacle::new(
            format!("`allowManagedHooksOnly` in `{shown}` lets only the administrator's hooks run"),
            "have the administrator add the hooks",
        ));
    }
    found
}

/// Looks at each of our hooks in a file: whether it can run when it should.
pub fn of_hooks(settings: &Value, shape: &Shape, file: &Path) -> Vec<Obstacle> {
    let shown = file.display();
    let advice = format!("correct it in `{shown}`, or remove the hook and run `boardsync init`");
    let mut found = Vec::new();
    let events = settings["hooks"].as_object();
    for (event, all) in events.into_iter().flatten() {
        for group in all.as_array().into_iter().flatten() {
            let is_ours = |hook: &&Value| command_of(hook, shape).is_some_and(calls_us);
            for hook in entries(group, shape).into_iter().filter(is_ours) {
                let faults = [
                    never_matches(event, group),
                    is_conditional(group, hook),
                    is_short(hook, shape),
                    runs_apart(hook),
                ];
                found.extend(
                    faults.into_iter().flatten().map(|fault| {
                        Obstacle::new(format!("the hook at {event} {fault}"), &*advice)
                    }),
                );
            }
        }
    }
    found
}

/// Matchers are lists of words, or regular expressions, which are believed.
fn never_matches(event: &str, group: &Value) -> Option<String> {
    let matcher = group["matcher"].as_str()?;
    let is_list = |c: char| c.is_alphanumeric() || "_|, ".contains(c);
    let all = matcher.is_empty() || matcher == "*";
    let kinds: &[&str] = match event {
        "SessionStart" => &["startup"],
        "SessionEnd" => &["prompt_input_exit", "other", "exit"],
        "Notification" => &[
            "permission_prompt",
            "idle_prompt",
            "elicitation_dialog",
            "ToolPermission",
        ],
        _ => return None,
    };
    let fits = matcher
        .split(['|', ','])
        .any(|word| kinds.contains(&word.trim()));
    (!all && matcher.chars().all(is_list) && !fits).then(|| {
        format!(
            "has the matcher `{matcher}`, which leaves out `{}`",
            kinds[0]
        )
    })
}

fn is_conditional(group: &Value, hook: &Value) -> Option<String> {
    let condition = [group, hook].into_iter().find_map(|it| it["if"].as_str());
    condition.map(|condition| format!("runs only if `{condition}`"))
}

/// A second is what a hook may have to wait for the lock.
fn is_short(hook: &Value, shape: &Shape) -> Option<String> {
    let (timeout, per_second) = match shape {
        Shape::Nested { per_second } => (&hook["timeout"], *per_second),
        Shape::Flat { timeout, .. } => (&hook[(*timeout)?], 1),
    };
    let timeout = timeout.as_f64()?;
    (timeout < f64::from(per_second)).then(|| match per_second {
        1 => format!("has a timeout of {timeout} s, which is too short"),
        _ => format!("has a timeout of {timeout} ms, which is too short (is it meant in seconds?)"),
    })
}

fn runs_apart(hook: &Value) -> Option<String> {
    (hook["async"] == true)
        .then(|| "is `async`, and is lost at the end of a `-p` session".to_owned())
}

/// Looks for Codex's record that the user trusts the hooks of a file.
///
/// Each has an entry `[hooks.state."FILE:event:group:hook"]` in `config.toml`;
/// a hook without one is skipped (seen in 0.171).
pub fn is_trusted_by_codex(config: &str, file: &Path) -> bool {
    let prefix = format!("{}:", file.display());
    let Ok(config) = config.parse::<toml_edit::DocumentMut>() else {
        return false;
    };
    let states = config
        .get("hooks")
        .and_then(|hooks| hooks.get("state")?.as_table_like());
    states.is_some_and(|states| {
        states.iter().any(|(key, state)| {
            let hash = state.get("trusted_hash").and_then(|hash| hash.as_str());
            key.starts_with(&prefix) && hash.is_some()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const CLAUDE: Shape = Shape::Nested { per_second: 1 };
    const GEMINI: Shape = Shape::Nested { per_second: 1000 };

    fn of(shape: &Shape, event: &str, group: Value) -> Vec<String> {
        let settings = json!({ "hooks": { event: [group] } });
        let found = of_hooks(&settings, shape, Path::new("/s.json"));
        found.into_iter().map(|obstacle| obstacle.text).collect()
    }

    fn hook(extra: Value) -> Value {
        let mut hook = json!({ "type": "command", "command": "/bin/boardsync hook" });
        for (key, value) in extra.as_object().unwrap() {
            hook[key] = value.clone();
        }
        hook
    }

    #[test]
    fn hooks_that_never_run_are_found() {
        let plain = || hook(json!({}));
        let cases = [
            (
                CLAUDE,
                "SessionStart",
                json!({"matcher": "resume", "hooks": [plain()]}),
                "`startup`",
            ),
            (
                CLAUDE,
                "SessionEnd",
                json!({"matcher": "clear", "hooks": [plain()]}),
                "matcher",
            ),
            (
                CLAUDE,
                "Notification",
                json!({"matcher": "auth_success", "hooks": [plain()]}),
                "matcher",
            ),
            (
                CLAUDE,
                "Stop",
                json!({"hooks": [hook(json!({"if": "Bash(x)"}))]}),
                "`Bash(x)`",
            ),
            (
                CLAUDE,
                "Stop",
                json!({"hooks": [hook(json!({"timeout": 0.1}))]}),
                "0.1 s",
            ),
            (
                GEMINI,
                "SessionEnd",
                json!({"hooks": [hook(json!({"timeout": 10}))]}),
                "10 ms",
            ),
            (
                CLAUDE,
                "Stop",
                json!({"hooks": [hook(json!({"async": true}))]}),
                "async",
            ),
        ];
        for (shape, event, group, part) in cases {
            let found = of(&shape, event, group);
            assert_eq!(found.len(), 1, "{part}: {found:?}");
            assert!(found[0].contains(part), "{part}: {found:?}");
        }
    }

    #[test]
    fn hooks_that_run_are_well() {
        let plain = || hook(json!({"timeout": 10}));
        for (shape, event, group) in [
            (
                CLAUDE,
                "SessionStart",
                json!({"matcher": "startup|resume", "hooks": [plain()]}),
            ),
            (
                CLAUDE,
                "SessionStart",
                json!({"matcher": "*", "hooks": [plain()]}),
            ),
            (
                CLAUDE,
                "SessionStart",
                json!({"matcher": "^st.*", "hooks": [plain()]}),
            ),
            (CLAUDE, "SessionStart", json!({"hooks": [plain()]})),
            (
                GEMINI,
                "SessionEnd",
                json!({"hooks": [hook(json!({"timeout": 10_000}))]}),
            ),
            (
                CLAUDE,
                "Stop",
                json!({"hooks": [{"command": "theirs", "timeout": 0.1}]}),
            ),
        ] {
            assert_eq!(of(&shape, event, group), [""; 0]);
        }
    }

    #[test]
    fn switches_are_found() {
        let both = json!({"disableAllHooks": true, "allowManagedHooksOnly": true});
        assert_eq!(switches(&both, Path::new("/m"), true).len(), 2);
        assert_eq!(switches(&both, Path::new("/m"), false).len(), 1);
        assert_eq!(
            switches(&json!({"disableAllHooks": false}), Path::new("/m"), true),
            []
        );
    }

    #[test]
    fn codex_trusts_what_its_config_says() {
        let file = Path::new("/home/me/.codex/hooks.json");
        let trusted = "[hooks.state.\"/home/me/.codex/hooks.json:session_start:0:0\"]\ntrusted_hash = \"sha256:x\"\n";
        assert!(is_trusted_by_codex(trusted, file));
        assert!(!is_trusted_by_codex(
            trusted,
            Path::new("/other/hooks.json")
        ));
        for not in ["", "[hooks]\n", "not toml"] {
            assert!(!is_trusted_by_codex(not, file), "{not}");
        }
    }
}
