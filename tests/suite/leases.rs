//! Sessions that end in every way, or do not: the board tells the truth, with
//! the real binary and real processes.

use crate::env::TestEnv;
use crate::recorded::Agent;
use serde_json::json;
use std::path::Path;

const HOUR: i64 = 3_600;

fn event(name: &str, session: &str, cwd: &Path) -> String {
    json!({"hook_event_name": name, "session_id": session, "cwd": cwd}).to_string()
}

fn time(seconds: i64) -> String {
    let base = boardsync::Timestamp::parse("2026-11-30T06:00:00Z").unwrap();
    boardsync::Timestamp::from_millis(base.as_millis() + seconds * 1000).to_string()
}

/// Plays an event from the agent's process; gives its stdout.
fn play(
    env: &TestEnv,
    agent: &mut Agent,
    seconds: i64,
    name: &str,
    id: &str,
    cwd: &Path,
) -> String {
    let now = time(seconds);
    let variables = [
        ("BOARDSYNC_NOW", &*now),
        ("BOARDSYNC_HOOK_TIMEOUT_MS", "60000"),
        ("BOARDSYNC_HOOK_END_TIMEOUT_MS", "60000"),
    ];
    let (out, err) = agent.hook(env, &variables, &[], &event(name, id, cwd));
    assert_eq!(err, "", "{name}");
    out
}

/// Runs `boardsync`, so many seconds after the fixed time.
fn run(env: &TestEnv, seconds: i64, args: &[&str]) {
    let mut command = env.command(args);
    let said = command
        .env("BOARDSYNC_NOW", time(seconds))
        .output()
        .unwrap();
    assert!(said.status.success(), "{said:?}");
}

/// Gives name, status, session and heartbeat of the rows.
fn rows(env: &TestEnv) -> Vec<String> {
    env.cells(&[0, 1, 2, 5])
}

/// An update of another repository by anybody.
fn anybody(env: &TestEnv, seconds: i64) {
    let other = env.repo("other");
    let other = other.to_str().unwrap();
    run(
        env,
        seconds,
        &[
            "update",
            "--status",
            "closed",
            "--session",
            "x",
            "--repo",
            other,
        ],
    );
}

#[test]
fn a_killed_session_is_force_closed_by_the_next_update_of_anybody() {
    let env = TestEnv::new();
    let app = env.git_repo("app");
    let mut agent = Agent::start(&env, "claude");
    play(&env, &mut agent, 0, "SessionStart", "a", &app);
    anybody(&env, 10);
    assert_eq!(rows(&env)[0], format!("app in-progress a {}", time(0)));
    agent.kill();
    anybody(&env, 20);
    assert_eq!(rows(&env)[0], format!("app force-closed a {}", time(0)));
}

#[test]
fn five_hours_of_silence_do_not_close_a_session_that_lives() {
    let env = TestEnv::new();
    let app = env.git_repo("app");
    let mut agent = Agent::start(&env, "claude");
    play(&env, &mut agent, 0, "SessionStart", "a", &app);
    anybody(&env, 5 * HOUR);
    assert_eq!(
        rows(&env)[0],
        format!("app in-progress a {}", time(5 * HOUR))
    );
    agent.kill();
    // Where no process is known, silence decides.
    let web = env.git_repo("web");
    let mut hook = env.command(&["hook"]);
    hook.env("BOARDSYNC_NOW", time(0));
    env.feed(&mut hook, event("SessionStart", "b", &web).as_bytes());
    anybody(&env, 5 * HOUR);
    assert!(
        rows(&env)[2].starts_with("web force-closed b"),
        "{:?}",
        rows(&env)
    );
}

#[test]
fn clear_leaves_no_second_session_behind_with_events_or_without() {
    let ends_and_starts = &[("SessionEnd", "a"), ("SessionStart", "b")][..];
    for events in [
        ends_and_starts,
        &[("SessionStart", "b")],
        &[("UserPromptSubmit", "b")],
    ] {
        let env = TestEnv::new();
        let app = env.git_repo("app");
        let mut agent = Agent::start(&env, "claude");
        play(&env, &mut agent, 0, "SessionStart", "a", &app);
        for (name, id) in events {
            play(&env, &mut agent, 10, name, id, &app);
        }
        assert_eq!(rows(&env), [format!("app in-progress b {}", time(10))]);
        play(&env, &mut agent, 20, "SessionEnd", "b", &app);
        assert_eq!(rows(&env), [format!("app closed b {}", time(20))]);
    }
    // Not even the end says the new id before.
    let env = TestEnv::new();
    let app = env.git_repo("app");
    let mut agent = Agent::start(&env, "claude");
    play(&env, &mut agent, 0, "SessionStart", "a", &app);
    play(&env, &mut agent, 20, "SessionEnd", "b", &app);
    assert_eq!(rows(&env), [format!("app closed a {}", time(20))]);
}

#[test]
fn no_update_closes_or_blanks_the_row_of_a_living_session() {
    let env = TestEnv::new();
    let app = env.git_repo("app");
    let mut agent = Agent::start(&env, "claude");
    play(&env, &mut agent, 0, "SessionStart", "a", &app);
    let path = app.to_str().unwrap();
    let root = env.path("src");
    for args in [
        &["update", "--repo", path][..],
        &["sweep", "--root", root.to_str().unwrap()],
        &["update", "--status", "in-progress", "--repo", path],
    ] {
        run(&env, 10, args);
        let row = &rows(&env)[0];
        assert!(row.starts_with("app in-progress a "), "{args:?}: {row}");
    }
}

#[test]
fn a_start_in_a_busy_folder_is_told_who_is_there() {
    let env = TestEnv::new();
    let app = env.git_repo("app");
    let (mut first, mut second) = (Agent::start(&env, "claude"), Agent::start(&env, "claude"));
    let named = json!({"hook_event_name": "SessionStart", "session_id": "a", "cwd": app,
        "session_title": "Fix login"});
    let (out, _) = first.hook(
        &env,
        &[("BOARDSYNC_NOW", &time(0))],
        &[],
        &named.to_string(),
    );
    assert_eq!(out, "", "nobody else is there");
    let out = play(&env, &mut second, 180, "SessionStart", "b", &app);
    let said: serde_json::Value = serde_json::from_str(&out).unwrap();
    let message = said["systemMessage"].as_str().unwrap();
    assert_eq!(
        message,
        "boardsync: `app` is in use by ‘Fix login’, 3 min ago"
    );
    assert_eq!(
        play(&env, &mut second, 190, "SessionStart", "b", &app),
        "",
        "said once"
    );
    // An agent that would give it to its model is told nothing.
    let mut other = Agent::start(&env, "gemini");
    assert_eq!(play(&env, &mut other, 200, "SessionStart", "c", &app), "");
}

#[test]
fn what_a_hook_met_is_told_at_the_next_start() {
    let env = TestEnv::new();
    let (app, web) = (env.git_repo("app"), env.git_repo("web"));
    let mut agent = Agent::start(&env, "claude");
    env.write_board("# Mine\n");
    let start = event("SessionStart", "a", &app);
    let (_, err) = agent.hook(&env, &[], &[], &start);
    assert!(err.contains("not a board of ours"), "{err}");
    std::fs::remove_file(env.board()).unwrap();
    let mut other = Agent::start(&env, "claude");
    let out = play(&env, &mut other, 0, "SessionStart", "b", &web);
    assert!(
        out.contains("the hook of ‘a’ reported") && out.contains("not a board of ours"),
        "{out}"
    );
    let mut third = Agent::start(&env, "claude");
    assert_eq!(
        play(
            &env,
            &mut third,
            0,
            "SessionStart",
            "c",
            &env.git_repo("api")
        ),
        ""
    );
}

#[test]
fn an_end_behind_a_lock_that_is_held_is_on_the_board_with_the_next_hook() {
    let env = TestEnv::new();
    let (app, web) = (env.git_repo("app"), env.git_repo("web"));
    let mut agent = Agent::start(&env, "claude");
    play(&env, &mut agent, 0, "SessionStart", "a", &app);
    // The board itself cannot be reached until the hook's deadline.
    let mut hook = env.command(&["hook"]);
    let park = env.path("park");
    hook.env("BOARDSYNC_NOW", time(10))
        .env("BOARDSYNC_HOOK_END_TIMEOUT_MS", "700")
        .env(
            "FAILPOINTS",
            format!("latch.lock.before=return(park:{})", park.display()),
        );
    let said = env.feed(&mut hook, event("SessionEnd", "a", &app).as_bytes());
    assert!(said.err.contains("gave up"), "{said:?}");
    assert!(rows(&env)[0].starts_with("app in-progress"));
    let mut other = Agent::start(&env, "claude");
    play(&env, &mut other, 20, "SessionStart", "b", &web);
    assert_eq!(
        rows(&env),
        [
            format!("app closed a {}", time(10)),
            format!("web in-progress b {}", time(20))
        ]
    );
}

#[test]
fn hooks_that_are_killed_at_any_step_lose_no_event() {
    let mut killed = 0;
    for point in boardsync::internals::disk::failpoint::OF_AN_UPDATE {
        for (name, status) in [("SessionStart", "in-progress"), ("SessionEnd", "closed")] {
            let env = TestEnv::new();
            let (app, web) = (env.git_repo("app"), env.git_repo("web"));
            let mut agent = Agent::start(&env, "claude");
            if name == "SessionEnd" {
                play(&env, &mut agent, 0, "SessionStart", "a", &app);
            }
            let kill = format!("{point}.before=return(kill)");
            let mut hook = env.command(&["hook"]);
            hook.env("BOARDSYNC_NOW", time(10)).env("FAILPOINTS", kill);
            let said = env.feed(&mut hook, event(name, "a", &app).as_bytes());
            killed += usize::from(said.code.is_none());
            play(&env, &mut agent, 20, "SessionStart", "b", &web);
            let row = &rows(&env)[0];
            assert!(
                row.starts_with(&format!("app {status} a")),
                "{name}, {point}: {row}"
            );
        }
    }
    assert!(killed > 20, "only {killed} were killed");
}

#[test]
fn a_signal_does_not_cut_a_hook_off() {
    let env = TestEnv::new();
    let app = env.git_repo("app");
    for signal in [rustix::process::Signal::HUP, rustix::process::Signal::TERM] {
        let park = env.path("park");
        let _ = std::fs::remove_file(park.with_extension("go"));
        let _ = std::fs::remove_file(park.with_extension("reached"));
        let mut hook = env.command(&["hook"]);
        hook.env(
            "FAILPOINTS",
            format!("latch.lock.before=1*return(park:{})", park.display()),
        )
        .env("BOARDSYNC_HOOK_TIMEOUT_MS", "60000")
        .stdin(std::process::Stdio::piped());
        let mut child = hook.spawn().unwrap();
        let start = event("SessionStart", &format!("{signal:?}"), &app);
        let mut stdin = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, start.as_bytes()).unwrap();
        crate::env::wait_until("it is at work", || park.with_extension("reached").exists());
        rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
        std::fs::write(park.with_extension("go"), "").unwrap();
        let said = child.wait_with_output().unwrap();
        assert_eq!(said.status.code(), Some(0), "{signal:?}");
        assert!(rows(&env)[0].starts_with("app in-progress"), "{signal:?}");
    }
}
