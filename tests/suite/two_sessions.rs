//! Two sessions in one folder: every view names the one whose activity it shows.

use crate::env::{TestEnv, wait_until};
use serde_json::json;
use std::io::{BufRead, BufReader};

/// An hour ago: the sessions have no process here, so they live until silence ends them.
fn at(second: usize) -> String {
    crate::env::time(second)
}

fn hook(env: &TestEnv, second: usize, name: &str, session: &str, branch: &str) {
    let repo = env.git_repo("app");
    let head = format!("ref: refs/heads/{branch}\n");
    std::fs::write(repo.join(".git/HEAD"), head).unwrap();
    let event = json!({
        "hook_event_name": name, "session_id": session, "cwd": repo,
        "session_title": format!("Title of {session}"),
        "notification_type": "permission_prompt",
    });
    let mut command = env.command(&["hook"]);
    command.env("BOARDSYNC_NOW", at(second));
    env.feed(&mut command, event.to_string().as_bytes())
        .quietly();
}

/// The older session waits, the newer one works.
fn one_of_two_waits() -> TestEnv {
    let env = TestEnv::new();
    hook(&env, 0, "UserPromptSubmit", "older", "fix");
    hook(&env, 1, "UserPromptSubmit", "newer", "main");
    hook(&env, 2, "Notification", "older", "fix");
    hook(&env, 3, "PostToolUse", "newer", "main");
    env
}

fn said(env: &TestEnv, args: &[&str]) -> crate::env::Said {
    let mut command = env.command(args);
    command.env("BOARDSYNC_NOW", at(60));
    Into::<crate::env::Said>::into(command.output().unwrap()).quietly()
}

fn assert_names_who_waits(env: &TestEnv, what: &str) {
    let older = "Title of older (older)";
    let piped = said(env, &["show"]).out;
    let cells: Vec<&str> = piped.lines().nth(1).unwrap().split('\t').collect();
    assert_eq!((cells[2], cells[4]), (older, "waiting"), "{what}");
    assert_eq!((cells[3], cells[8]), ("fix", "waiting"), "{what}");
    let row = said(env, &["show", "--json"]).json()["rows"][0].take();
    for (key, value) in [("session", older), ("mode", "waiting"), ("branch", "fix")] {
        assert_eq!(row[key], value, "{what}");
    }
    assert_eq!(row["state"], "waiting", "{what}");
    assert_eq!(row["sessions"][0]["session_id"], "older", "{what}");
    assert_eq!(row["sessions"][1]["state"], "working", "{what}");
    assert_eq!(said(env, &["status"]).out, "1 waiting · 1 working\n");
    let filtered = said(env, &["show", "--filter", &format!("session={older}")]);
    assert_eq!(filtered.out, piped, "{what}");

    let mut watch = env.command(&["watch"]);
    watch.env("BOARDSYNC_NOW", at(60));
    let mut watch = watch.spawn().unwrap();
    let lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let watched: Vec<String> = lines.skip(1).take(2).map(Result::unwrap).collect();
    assert_eq!(watched.join("\n") + "\n", piped, "{what}");
    watch.kill().unwrap();
    wait_until("it has ended", || watch.try_wait().unwrap().is_some());
}

#[test]
fn every_view_names_the_session_that_waits() {
    let env = one_of_two_waits();
    let note = env.cells(&[2, 3, 4]);
    assert_eq!(note, ["Title of older (older) fix waiting"]);
    assert_names_who_waits(&env, "as the hooks wrote it");
    // The board may not have been written since: it names the other one.
    let stale = env.read_board().replace(
        "Title of older (older) | fix | waiting",
        "newer | main | idle",
    );
    env.write_board(&stale);
    assert_eq!(env.cells(&[2, 3, 4]), ["newer main idle"]);
    assert_names_who_waits(&env, "before the board is written");
}

#[cfg(unix)]
#[test]
fn a_terminal_shows_each_session_once_who_waits_first() {
    let env = one_of_two_waits();
    let mut command = env.command(&["show"]);
    command.env("BOARDSYNC_NOW", at(60)).env("NO_COLOR", "1");
    let (status, shown) = env.on_terminal(command, (160, 24)).end();
    assert!(status.success(), "{shown}");
    let table: Vec<&str> = shown
        .lines()
        .skip_while(|line| !line.starts_with("Repo"))
        .collect();
    assert_eq!(table.len(), 3, "{shown}");
    for (line, cells) in [
        (
            table[1],
            ["app", "waiting", "Title of older (older)", "fix"],
        ),
        (table[2], ["└", "working", "Title of newer (newer)", "main"]),
    ] {
        assert!(line.starts_with(cells[0]), "{line}");
        assert!(cells.iter().all(|cell| line.contains(cell)), "{line}");
    }
}
