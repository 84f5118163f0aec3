//! What leases hold against: a lock that somebody holds, an old board that comes
//! back, a session.lock that outlives its session.

use crate::env::{TestEnv, wait_until};
use crate::recorded::Agent;
use serde_json::json;
use std::path::Path;
use std::process::{Child, Stdio};

fn event(name: &str, session: &str, cwd: &Path) -> String {
    json!({"hook_event_name": name, "session_id": session, "cwd": cwd}).to_string()
}

/// A process that holds the board's lock until it is dropped.
struct Holder(Child);

impl Holder {
    fn start(env: &TestEnv) -> Self {
        let mut command = env.command(&["exec", "--", "cat"]);
        let child = command.stdin(Stdio::piped()).spawn().unwrap();
        wait_until("the lock is held", || env.lock().exists());
        Self(child)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // `cat` ends with its stdin.
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

/// Gives the repository's name, status and session of each row.
fn rows(env: &TestEnv) -> Vec<String> {
    env.cells(&[0, 1, 2])
}

/// Reports an event of a session of `agent`, with the usual deadlines.
fn hook(env: &TestEnv, agent: &mut Agent, name: &str, id: &str, cwd: &Path) {
    let (_, said) = agent.hook(env, &[], &[], &event(name, id, cwd));
    assert!(!said.contains("gave up"), "{said}");
}

/// An update of a repository that no session is in.
fn anybody(env: &TestEnv) {
    let said = env.update("other", "closed");
    assert_eq!(said.code, Some(0), "{said:?}");
}

#[test]
fn events_of_hooks_that_were_killed_behind_a_held_lock_come_with_another_repositorys_hook() {
    let env = TestEnv::new();
    let events = [
        ("SessionStart", "in-progress"),
        ("SessionEnd", "closed"),
        ("SessionStart", "in-progress"),
        ("SessionEnd", "closed"),
    ];
    let mut agents: Vec<Agent> = events
        .iter()
        .map(|_| Agent::start(&env, "claude"))
        .collect();
    let folders: Vec<_> = (0..events.len())
        .map(|at| env.git_repo(&format!("app{at}")))
        .collect();
    let ids: Vec<String> = (0..events.len()).map(|at| format!("s{at}")).collect();
    for at in 0..events.len() {
        if events[at].1 == "closed" {
            hook(
                &env,
                &mut agents[at],
                "SessionStart",
                &ids[at],
                &folders[at],
            );
        }
    }
    anybody(&env);
    let before = env.read_board();
    let holder = Holder::start(&env);
    for at in 0..events.len() {
        let payload = event(events[at].0, &ids[at], &folders[at]);
        let mut command = env.command(&["hook", "--agent", "claude-code"]);
        for name in ["", "HOOK_", "HOOK_END_"] {
            command.env(format!("BOARDSYNC_{name}TIMEOUT_MS"), "60000");
        }
        let mut child = command
            .env("CLAUDE_PID", agents[at].pid().to_string())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, payload.as_bytes()).unwrap();
        drop(stdin);
        // It waits behind the lock with the record of who it is complete.
        let is_waiting = || {
            let beside = env.beside_the_lock();
            beside.iter().any(|name| name.ends_with(".pending"))
        };
        wait_until("the hook waits for the lock", is_waiting);
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None, "killed");
        for name in env.beside_the_lock() {
            if name.ends_with(".pending") {
                std::fs::remove_file(env.orchestrator().join(name)).unwrap();
            }
        }
    }
    assert_eq!(env.read_board(), before, "none of them reached the board");
    // The lock is held still: the other hook goes on without it.
    let web = env.git_repo("web");
    let mut other = Agent::start(&env, "claude");
    hook(&env, &mut other, "SessionStart", "w", &web);
    drop(holder);
    let mut expected: Vec<String> = (0..events.len())
        .map(|at| format!("app{at} {} {}", events[at].1, ids[at]))
        .collect();
    expected.push("web in-progress w".to_owned());
    let mut shown = rows(&env);
    shown.retain(|row| !row.starts_with("other"));
    assert_eq!(shown, expected);
}

/// Writes a live session.lock of the session `id`.
fn session_lock(repo: &Path, id: &str) {
    let now = boardsync::Timestamp::now().to_string();
    let lock = json!({"pid": 1, "session_id": id, "started_at": now, "last_heartbeat": now,
        "mode": "deep", "host": "here", "ttl_hours": 4});
    let folder = repo.join(".orchestrator");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("session.lock"), lock.to_string()).unwrap();
}

#[test]
fn a_session_that_is_over_does_not_come_back_through_its_session_lock_or_an_old_board() {
    for (end, status) in [("SessionEnd", "closed"), ("kill", "force-closed")] {
        let env = TestEnv::new();
        let app = env.git_repo("app");
        session_lock(&app, "a");
        let mut agent = Agent::start(&env, "claude");
        hook(&env, &mut agent, "SessionStart", "a", &app);
        assert_eq!(rows(&env), ["app in-progress a"]);
        let running = env.read_board();
        match end {
            "kill" => {
                // Its lock beats on without its hook, up to its death.
                session_lock(&app, "a");
                agent.kill();
            }
            end => hook(&env, &mut agent, end, "a", &app),
        }
        anybody(&env);
        let over = format!("app {status} a");
        assert_eq!(rows(&env)[0], over, "{end}");
        anybody(&env);
        assert_eq!(rows(&env)[0], over, "{end}: settled");
        env.write_board(&running);
        anybody(&env);
        assert_eq!(rows(&env)[0], over, "{end}: an old board came back");
        let root = env.path("src");
        env.run(&["sweep", "--root", root.to_str().unwrap()])
            .quietly();
        assert_eq!(rows(&env)[0], over, "{end}: swept");
    }
}

#[test]
fn a_row_that_a_person_removed_stays_removed_once_its_session_is_over() {
    let env = TestEnv::new();
    let app = env.git_repo("app");
    let mut agent = Agent::start(&env, "claude");
    hook(&env, &mut agent, "SessionStart", "a", &app);
    hook(&env, &mut agent, "SessionEnd", "a", &app);
    anybody(&env);
    let board = env.read_board();
    let lines = board.lines().filter(|line| !line.starts_with("| app "));
    let removed: String = lines.map(|line| format!("{line}\n")).collect();
    env.write_board(&removed);
    anybody(&env);
    assert_eq!(rows(&env).len(), 1, "{:?}", rows(&env));
    assert!(rows(&env)[0].starts_with("other"), "{:?}", rows(&env));
}

#[test]
fn a_heartbeat_of_another_hosts_clock_that_is_ahead_becomes_silent_by_the_time_since_it_was_seen() {
    let env = TestEnv::new();
    let row = |beat: &str| {
        crate::env::board_of(&format!(
            "| far | in-progress | f | main | deep | {beat} | 0fa20fa2 |\n"
        ))
    };
    let state = |now: &str| {
        let mut command = env.command(&["show", "--json"]);
        let shown = command.env("BOARDSYNC_NOW", now).output().unwrap();
        let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
        shown["rows"][0]["state"].as_str().unwrap().to_owned()
    };
    env.write_board(&row("2031-11-30T06:00:00.000Z"));
    for (now, expected) in [
        ("2026-11-30T06:00:00Z", "in-progress"),
        ("2026-11-30T09:59:00Z", "in-progress"),
        ("2026-11-30T10:00:00Z", "silent"),
    ] {
        assert_eq!(state(now), expected, "{now}");
    }
    // Another heartbeat is a sign of life.
    env.write_board(&row("2031-11-30T10:01:00.000Z"));
    assert_eq!(state("2026-11-30T10:01:00Z"), "in-progress");
    assert_eq!(state("2026-11-30T14:01:00Z"), "silent");
    // This host's clock may have been ahead when it saw it.
    env.write_board(&row("2031-11-30T10:02:00.000Z"));
    assert_eq!(state("2029-11-30T10:00:00Z"), "in-progress");
    assert_eq!(state("2026-11-30T10:00:00Z"), "in-progress");
    assert_eq!(state("2026-11-30T14:00:00Z"), "silent");
    assert_eq!(
        env.read_board(),
        row("2031-11-30T10:02:00.000Z"),
        "only shown"
    );
}

#[test]
fn a_folder_is_one_row_though_its_first_session_came_by_a_link() {
    let env = TestEnv::new();
    let app = env.git_repo("app");
    let link = env.path("src/link");
    std::os::unix::fs::symlink(&app, &link).unwrap();
    let (mut one, mut two) = (Agent::start(&env, "claude"), Agent::start(&env, "claude"));
    hook(&env, &mut one, "SessionStart", "a", &link);
    assert_eq!(rows(&env), ["app in-progress a"]);
    hook(&env, &mut two, "SessionStart", "b", &app);
    assert_eq!(rows(&env), ["app in-progress b"]);
    hook(&env, &mut two, "SessionEnd", "b", &app);
    assert_eq!(rows(&env), ["app in-progress a"]);
}

#[test]
fn folders_of_one_name_stay_told_apart_when_one_of_them_is_over() {
    let env = TestEnv::new();
    let [a, b, c] = ["a/web", "b/web", "c/web"].map(|name| env.git_repo(name));
    let (mut one, mut two) = (Agent::start(&env, "claude"), Agent::start(&env, "claude"));
    hook(&env, &mut one, "SessionStart", "one", &a);
    assert_eq!(rows(&env), ["web in-progress one"]);
    hook(&env, &mut two, "SessionStart", "two", &b);
    hook(&env, &mut one, "SessionEnd", "one", &a);
    let both = ["a/web closed one", "b/web in-progress two"];
    assert_eq!(rows(&env), both);
    hook(&env, &mut two, "Stop", "two", &b);
    anybody(&env);
    assert_eq!(rows(&env)[..2], both);
    // One that begins later is not called as one that was there before.
    let mut three = Agent::start(&env, "claude");
    hook(&env, &mut three, "SessionStart", "three", &c);
    assert_eq!(rows(&env)[2], "c/web in-progress three");
}

#[test]
fn a_hook_with_nothing_new_does_not_wait_for_the_lock() {
    let env = TestEnv::new();
    let app = env.git_repo("app");
    let mut agent = Agent::start(&env, "claude");
    hook(&env, &mut agent, "SessionStart", "a", &app);
    let _holder = Holder::start(&env);
    // One that waited would report that it went on without the lock.
    let start = event("SessionStart", "a", &app);
    let (_, said) = agent.hook(&env, &[], &[], &start);
    assert_eq!(said, "");
}

#[test]
fn the_end_of_a_session_leaves_a_row_to_the_live_session_lock_of_another() {
    let env = TestEnv::new();
    let app = env.git_repo("app");
    session_lock(&app, "peer");
    let mut agent = Agent::start(&env, "claude");
    hook(&env, &mut agent, "SessionStart", "a", &app);
    assert_eq!(rows(&env), ["app in-progress peer"], "it speaks first");
    hook(&env, &mut agent, "SessionEnd", "a", &app);
    anybody(&env);
    assert_eq!(rows(&env)[0], "app in-progress peer");
}
