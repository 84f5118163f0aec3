//! Who calls a hook, and which process proves it: by example.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::session::lease::{Process, tests::lease};

/// This process below a shell below `command`, process 10. Only what is called a
/// server has no terminal.
fn below(command: &[&str]) -> Processes {
    let process = |pid, parent, command: &[&str]| {
        let process = Process {
            parent,
            started: 1,
            has_terminal: !command.iter().any(|word| word.contains("server")),
        };
        let command = command.iter().map(|word| (*word).to_owned());
        (pid, process, command.collect())
    };
    Processes::fixed(
        "b1",
        vec![
            process(std::process::id(), 20, &["boardsync", "hook"]),
            process(20, 10, &["/bin/sh", "-c", "boardsync hook"]),
            process(10, 5, command),
            process(5, 1, &["-zsh"]),
            process(7, 1, &["claude"]),
        ],
    )
}

#[test]
fn the_agent_and_its_process_are_found_and_a_wrapper_proves_nothing() {
    let claude = &[("CLAUDE_PID", "7"), ("CLAUDE_CODE_SESSION_ID", "s")][..];
    let outer = &[("CLAUDE_PID", "7"), ("CLAUDE_CODE_SESSION_ID", "outer")][..];
    let (session, daemon, once) = (
        ProcessScope::Session,
        ProcessScope::Daemon,
        ProcessScope::Once,
    );
    for (command, env, named, agent, proof) in [
        (
            &["claude"][..],
            &[][..],
            None,
            "claude-code",
            Some((10, session)),
        ),
        (&["claude"], claude, None, "claude-code", Some((7, session))),
        (&["bwrap"], claude, None, "claude-code", Some((7, session))),
        // Codex, run by Claude Code.
        (&["/opt/codex"], outer, None, "codex", Some((10, daemon))),
        (
            &["codex"],
            outer,
            Some("codex"),
            "codex",
            Some((10, daemon)),
        ),
        (
            &["node", "/x/@google/gemini-cli/dist/index.js"],
            &[],
            None,
            "gemini",
            Some((10, session)),
        ),
        (
            &["/usr/bin/node", "/usr/bin/qwen"],
            &[],
            None,
            "qwen",
            Some((10, session)),
        ),
        (&["node", "/srv/app.js"], &[], None, "", Some((10, once))),
        (
            &["node", "/srv/app.js"],
            &[],
            Some("pi"),
            "pi",
            Some((10, once)),
        ),
        (&["wrapper"], &[], Some("cline"), "cline", None),
        (&["node", "/opt/server-main.js"], &[], None, "", None),
        (&["ide-server"], &[], Some("pi"), "pi", None),
        (&["-zsh"], &[], None, "", None),
        (&[], &[], None, "", None),
    ] {
        let env: Env = env.iter().copied().collect();
        let caller = caller(named, None, "s", None, &env, &below(command));
        let found = caller.agent.map_or("", |agent| agent.name);
        let proven = caller.proof.map(|proof| (proof.pid, proof.scope));
        assert_eq!(
            (found, proven),
            (agent, proof),
            "{command:?} {env:?} {named:?}"
        );
    }
}

#[test]
fn a_session_whose_process_runs_is_called_by_it() {
    let (env, below) = (Env::default(), below(&["claude"]));
    let called = |proof: Option<Proof>| {
        let known = Lease {
            proof,
            ..lease("s", 0)
        };
        let caller = caller(None, None, "s", Some(&known), &env, &below);
        (
            caller.agent.map(|it| it.name),
            caller.proof.map(|it| it.pid),
        )
    };
    let of = |pid, scope| Proof::of(pid, scope, &below);
    assert_eq!(
        called(of(7, ProcessScope::Session)),
        (Some("claude-code"), Some(7))
    );
    // Its process is gone: it was resumed in another one.
    let gone = Proof {
        started: 2,
        ..of(7, ProcessScope::Session).unwrap()
    };
    assert_eq!(called(Some(gone)), (Some("claude-code"), Some(10)));
    assert_eq!(called(None), (Some("claude-code"), Some(10)));
}
