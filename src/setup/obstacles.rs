//! What keeps hooks that are in an agent's settings from running.

use super::hook_command::calls_us;
use super::settings_file::SettingsFile;
use crate::agent::HookFormat;
use serde_json::Value;
use std::path::Path;

/// The owner of a file of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The user's, for all repositories.
    User,
    /// A repository's.
    Project,
    /// The administrator's, for all users.
    Administrator,
}

/// An obstacle that keeps a hook from running, and what to do about it.
pub type Obstacle = (String, String);

/// Looks for switches that hold for all hooks of a file and those below it.
pub fn switches(settings: &Value, path: &Path, owner: Owner) -> Vec<Obstacle> {
    let shown = path.display();
    let mut found = Vec::new();
    if settings["disableAllHooks"] == true {
        found.push((
            format!("`disableAllHooks` in `{shown}` switches all hooks off"),
            "remove it".to_owned(),
        ));
    }
    if owner == Owner::Administrator && settings["allowManagedHooksOnly"] == true {
        found.push((
            format!("`allowManagedHooksOnly` in `{shown}` lets only the administrator's hooks run"),
            "have the administrator add the hooks".to_owned(),
        ));
    }
    found
}

/// Looks at each of our hooks in a file: whether it can run when it should.
pub fn of_hooks(file: &SettingsFile, format: HookFormat, path: &Path) -> Vec<Obstacle> {
    let shown = path.display();
    let advice = format!("correct it in `{shown}`, or remove the hook and run `boardsync init`");
    let mut found = Vec::new();
    let hooks = file.hooks(format).into_iter();
    for hook in hooks.filter(|hook| calls_us(&hook.command())) {
        let (event, value, group) = (&hook.event, hook.value(), hook.group());
        let faults = [
            never_matches(event, &group),
            is_conditional(&group, &value),
            is_short(&value, format),
            runs_apart(&value),
        ];
        let faults = faults.into_iter().flatten();
        found.extend(faults.map(|fault| (format!("the hook at {event} {fault}"), advice.clone())));
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

/// A hook may have to wait a second for the lock.
fn is_short(hook: &Value, format: HookFormat) -> Option<String> {
    let (timeout, per_second) = match format {
        HookFormat::Grouped { per_second } => (&hook["timeout"], per_second),
        HookFormat::Flat { timeout, .. } => (&hook[timeout?], 1),
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

/// Looks for the agent's record that the user trusts the hooks of a file: for
/// each an entry `[hooks.state."FILE:event:group:hook"]` (Codex 0.171).
pub fn is_trusted(config: &str, file: &Path) -> bool {
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

    const CLAUDE: HookFormat = HookFormat::Grouped { per_second: 1 };
    const GEMINI: HookFormat = HookFormat::Grouped { per_second: 1000 };

    /// Finds the obstacles to a hook with these fields, in a group with those.
    fn of(format: HookFormat, event: &str, group: &str, hook: &str) -> String {
        let hook = format!(r#"{{ "command": "/bin/boardsync hook" {hook} }}"#);
        let group = format!(r#"{{ "hooks": [{hook}] {group} }}"#);
        let text = format!(r#"{{ "hooks": {{ "{event}": [{group}] }} }}"#);
        let file = SettingsFile::read(&text).unwrap();
        let found = of_hooks(&file, format, Path::new("/s.json"));
        found.into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn hooks_that_never_run_are_found() {
        let of_claude = |event: &str, group: &str, hook: &str| of(CLAUDE, event, group, hook);
        let matcher = |word: &str| format!(r#", "matcher": "{word}""#);
        for (text, part) in [
            (
                of_claude("SessionStart", &matcher("resume"), ""),
                "`startup`",
            ),
            (of_claude("SessionEnd", &matcher("clear"), ""), "matcher"),
            (
                of_claude("Notification", &matcher("auth_success"), ""),
                "matcher",
            ),
            (of_claude("Stop", "", r#", "if": "Bash(x)""#), "`Bash(x)`"),
            (of_claude("Stop", "", r#", "timeout": 0.1"#), "0.1 s"),
            (of_claude("Stop", "", r#", "async": true"#), "async"),
            (of(GEMINI, "SessionEnd", "", r#", "timeout": 10"#), "10 ms"),
            (
                of_claude("SessionStart", &matcher("startup|resume"), ""),
                "",
            ),
            (of_claude("SessionStart", &matcher("*"), ""), ""),
            (of_claude("SessionStart", &matcher("^st.*"), ""), ""),
            (of_claude("SessionStart", "", r#", "timeout": 10"#), ""),
            (of(GEMINI, "SessionEnd", "", r#", "timeout": 10000"#), ""),
        ] {
            assert_eq!(text.is_empty(), part.is_empty(), "{part}: {text}");
            assert!(text.contains(part), "{part}: {text}");
            assert!(text.matches("the hook at").count() <= 1, "{text}");
        }
    }

    #[test]
    fn switches_are_found() {
        let both = serde_json::json!({"disableAllHooks": true, "allowManagedHooksOnly": true});
        let count = |settings, owner| switches(settings, Path::new("/m"), owner).len();
        assert_eq!(count(&both, Owner::Administrator), 2);
        assert_eq!(count(&both, Owner::User), 1);
        let off = serde_json::json!({"disableAllHooks": false});
        assert_eq!(count(&off, Owner::Administrator), 0);
    }

    #[test]
    fn hooks_are_trusted_as_the_config_says() {
        let file = Path::new("/home/me/.codex/hooks.json");
        let trusted = "[hooks.state.\"/home/me/.codex/hooks.json:session_start:0:0\"]\ntrusted_hash = \"sha256:x\"\n";
        assert!(is_trusted(trusted, file));
        assert!(!is_trusted(trusted, Path::new("/other/hooks.json")));
        for not in ["", "[hooks]\n", "not toml"] {
            assert!(!is_trusted(not, file), "{not}");
        }
    }
}
