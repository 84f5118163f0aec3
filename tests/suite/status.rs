//! `status`: one line for prompts, tmux and Claude Code.

use crate::env::{TestEnv, board_of};
use boardsync::internals::session::lease::Activity::{Idle, Waiting};

fn env_of_four() -> TestEnv {
    let env = TestEnv::new();
    env.write_board(&board_of(
        "| remote | in-progress | s9 | main | — | 2026-11-30T06:58:00.000Z | 1f2e3d4c |\n\
         | done | closed | s8 | main | — | 2026-11-30T06:58:00.000Z | 2f2e3d4c |\n",
    ));
    for (name, id, activity) in [
        ("app", "s1", Waiting),
        ("lib", "s2", Waiting),
        ("web", "s3", Idle),
    ] {
        env.session(name, id)
            .activity(activity)
            .at("2026-11-30T06:59:00Z")
            .plant();
    }
    env
}

fn status(env: &TestEnv, args: &[&str], input: &str) -> String {
    let mut command = env.command(&[&["status"], args].concat());
    command.env("BOARDSYNC_NOW", "2026-11-30T07:00:00Z");
    env.feed(&mut command, input.as_bytes()).quietly().out
}

#[test]
fn it_counts_who_waits_first() {
    let env = env_of_four();
    assert_eq!(status(&env, &[], ""), "2 waiting · 1 working · 1 idle\n");
    assert_eq!(
        status(&env, &["--format", "tmux"], ""),
        "#[fg=yellow,bold]2 waiting#[default] · 1 working · 1 idle\n"
    );
    let json: serde_json::Value = serde_json::from_str(&status(&env, &["--json"], "")).unwrap();
    assert_eq!(
        json,
        serde_json::json!({"waiting": 2, "silent": 0, "working": 1, "idle": 1})
    );
}

#[test]
fn claude_is_told_of_the_others_by_name() {
    let env = env_of_four();
    let input =
        r#"{"hook_event_name": "Status", "session_id": "s1", "cwd": "/", "model": {"id": "m"}}"#;
    assert_eq!(
        status(&env, &[], input),
        "1 waiting: lib · 1 working · 1 idle\n"
    );
    assert_eq!(status(&env, &[], "{"), "2 waiting · 1 working · 1 idle\n");
}

#[test]
fn without_a_board_it_is_an_empty_line_and_a_pipe_that_stays_open_is_not_waited_for() {
    let env = TestEnv::new();
    let mut command = env.command(&["status"]);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(
        (output.status.code(), &*output.stdout),
        (Some(0), &b"\n"[..])
    );
}
