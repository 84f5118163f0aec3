//! What the command says of itself: help, completions, manual pages.
//!
//! The commands are read off the help, so that a new one is held to this too.

use crate::env::{TestEnv, skipped};
use std::process::{Command, Stdio};

/// Gives the names below `Commands:`.
fn commands(help: &str) -> Vec<String> {
    let after = help.split("Commands:\n").nth(1).unwrap_or_default();
    after
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Gives the words of all commands, the main one first.
fn all_commands(env: &TestEnv) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut at = 0;
    while at < all.len() {
        let words: Vec<String> = all[at].clone();
        all.extend(commands(&help(env, &words)).into_iter().map(|name| {
            let mut below = words.clone();
            below.push(name);
            below
        }));
        at += 1;
    }
    all
}

fn help(env: &TestEnv, words: &[String]) -> String {
    let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
    args.push("--help");
    env.run(&args).quietly().out
}

#[test]
fn every_command_has_the_help_that_was_agreed_on() {
    let env = TestEnv::new();
    for words in all_commands(&env) {
        let name = [&["help".to_owned()], &words[..]].concat().join("_");
        insta::assert_snapshot!(name, help(&env, &words));
    }
}

#[test]
fn short_help_begins_with_the_commands_own_options_and_leaves_out_rarities() {
    let env = TestEnv::new();
    for words in all_commands(&env) {
        let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
        args.push("-h");
        let short = env.run(&args).quietly().out;
        let own = short.find("\nOptions:\n").unwrap();
        let of_all = short.find("\nOptions of all commands:\n").unwrap();
        assert!(own < of_all, "{short}");
        for rarity in ["--holder", "--verbose", "PID-RANDOM"] {
            assert!(!short.contains(rarity), "{rarity} in {short}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let env = TestEnv::new();
    let folder = env.path("man1");
    env.run(&["man", "--out", folder.to_str().unwrap()])
        .quietly();
    let mut written: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    written.sort();
    let mut wanted = Vec::new();
    for words in all_commands(&env) {
        let file = format!(
            "{}.1",
            [&["boardsync".to_owned()], &words[..]].concat().join("-")
        );
        let args: Vec<&str> = words.iter().map(String::as_str).collect();
        let page = env.run(&[&["man"], &args[..]].concat()).quietly().out;
        let on_disk = std::fs::read_to_string(folder.join(&file)).unwrap();
        assert_eq!(page, on_disk, "{file}");
        for section in ["SYNOPSIS", "ENVIRONMENT", "FILES", "EXIT STATUS"] {
            assert!(page.contains(&format!(".SH {section}\n")), "{page}");
        }
        wanted.push(file);
    }
    wanted.sort();
    assert_eq!(written, wanted);
    let said = env.run(&["man", "nonsense"]);
    assert_eq!(said.code, Some(2));
    assert_eq!(
        said.err,
        "boardsync: unknown command `nonsense`; see `boardsync help`\n"
    );
}

#[test]
fn completions_are_valid_and_know_every_command() {
    let env = TestEnv::new();
    for (shell, check) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let script = env.run(&["completions", shell]).quietly().out;
        for name in commands(&help(&env, &[])) {
            assert!(script.contains(&name), "{shell} does not know `{name}`");
        }
        let file = env.path(shell);
        std::fs::write(&file, script).unwrap();
        let checked = Command::new(shell)
            .arg(check)
            .arg(&file)
            .env("HOME", env.home())
            .stdin(Stdio::null())
            .output();
        match checked {
            Ok(checked) => assert!(checked.status.success(), "{shell}: {checked:?}"),
            Err(error) => skipped(&format!("the syntax of {shell} completions: {error}")),
        }
    }
}

#[test]
fn every_shell_completes_the_same_values() {
    let env = TestEnv::new();
    let values = ["claude-code codex gemini", "state=waiting state=silent"];
    for shell in ["bash", "zsh", "fish"] {
        let script = env.run(&["completions", shell]).quietly().out;
        // fish has a value a line, each with an empty description.
        let script = script.replace("\\t''\n", " ");
        for values in values {
            assert!(script.contains(values), "{shell}: no {values}");
        }
    }
}

#[test]
fn wrong_calls_exit_with_2_and_say_what_is_right() {
    let env = TestEnv::new();
    let wrong: [(&str, &[&str]); 8] = [
        ("list", &["list"]),
        ("unknown_agent", &["init", "--agent", "codx"]),
        ("update_folder", &["update", "."]),
        ("quiet_json", &["show", "-q", "--json"]),
        ("unknown_command", &["sho"]),
        ("unknown_option", &["show", "--filtr", "a"]),
        ("no_repo", &["update"]),
        (
            "wrong_status",
            &["update", "--repo", ".", "--status", "done"],
        ),
    ];
    for (name, args) in wrong {
        let said = env.run(args);
        let out = if name == "quiet_json" {
            "{\"error\":"
        } else {
            ""
        };
        assert!(said.out.starts_with(out), "{said:?}");
        assert_eq!(said.code, Some(2), "{name}");
        insta::assert_snapshot!(format!("usage_{name}"), said.err);
    }
}

#[test]
fn bash_completes_the_values_of_filters_statuses_and_agents() {
    let env = TestEnv::new();
    let script = env.path("completions.bash");
    std::fs::write(&script, env.run(&["completions", "bash"]).quietly().out).unwrap();
    for (words, expected) in [
        ("boardsync show --filter state = wa", "waiting"),
        (
            "boardsync show --filter state = ''",
            "waiting silent working",
        ),
        ("boardsync show --filter state =", "waiting silent working"),
        ("boardsync watch --filter status = in", "in-progress"),
        ("boardsync show --filter st", "state=waiting state=silent"),
        ("boardsync init --agent ''", "claude-code codex gemini"),
        ("boardsync init --agent co", "codex copilot"),
        ("boardsync init --agent codex --agent g", "gemini goose"),
        ("boardsync init --agent codex --un", "--undo"),
        ("boardsync update --status in", "in-progress"),
        ("boardsync sta", "status"),
    ] {
        let program = format!(
            "source '{}'; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             complete -p boardsync | grep -q _boardsync_values && _boardsync_values boardsync \"${{COMP_WORDS[COMP_CWORD]}}\" \
             \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; echo \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        let mut bash = env.command_of("bash");
        let output = match bash.args(["-c", &program]).output() {
            Ok(output) => output,
            Err(error) => return skipped(&format!("completions of bash: {error}")),
        };
        let completed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(completed.starts_with(expected), "{words}: {output:?}");
    }
}
