//! `watch`: the board, live, on a terminal and into a pipe.

use crate::env::pty::OnTerminal;
use crate::env::{TestEnv, board_of, wait_until};
use rustix::process::Signal;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;

const ENTER: &str = "\x1b[?1049h";
const LEAVE: &str = "\x1b[?1049l";

fn row(repo: &str) -> String {
    format!("| {repo} | in-progress | s1 | main | deep | 2026-11-30T06:58:00.000Z | 1f2e3d4c |\n")
}

/// Puts a board in place at once: half of one would be a change too.
fn put_board(env: &TestEnv, text: &str) {
    let next = env.path("next.md");
    std::fs::create_dir_all(env.board().parent().unwrap()).unwrap();
    std::fs::write(&next, text).unwrap();
    std::fs::rename(next, env.board()).unwrap();
}

fn watch_on_terminal(env: &TestEnv) -> OnTerminal {
    let mut command = env.command(&["watch"]);
    command.env("BOARDSYNC_NOW", "2026-11-30T07:00:00Z");
    let watch = env.on_terminal(command, (80, 10));
    watch.expect(ENTER);
    watch
}

/// Asserts that the terminal is as it was.
fn assert_restored(watch: &OnTerminal) {
    watch.expect(LEAVE);
    wait_until("keys are as before", || watch.is_at_ease());
}

#[test]
fn a_change_is_shown_and_q_ends_it() {
    let env = TestEnv::new();
    put_board(&env, &board_of(&row("first")));
    let mut watch = watch_on_terminal(&env);
    watch.expect("first");
    assert!(!watch.is_at_ease(), "a key needs no Return");
    let repo = env.repo("second");
    let update = ["update", "--status", "in-progress", "--repo"];
    env.run(&[&update[..], &[repo.to_str().unwrap()]].concat())
        .quietly();
    watch.expect("second");
    watch.press("xq");
    assert_restored(&watch);
    let (status, after) = watch.end();
    assert!(status.success(), "{status}");
    assert_eq!(after, "", "nothing after the first screen is back");
}

#[test]
fn a_signal_ends_it_and_brings_the_terminal_back() {
    let env = TestEnv::new();
    put_board(&env, &board_of(&row("app")));
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        let watch = watch_on_terminal(&env);
        watch.expect("app");
        watch.signal(signal);
        assert_restored(&watch);
        let (status, _) = watch.end();
        assert_eq!(status.signal(), Some(signal.as_raw()), "dies of it");
    }
}

#[test]
fn a_stopped_watch_gives_the_terminal_back_for_a_while() {
    let env = TestEnv::new();
    put_board(&env, &board_of(&row("app")));
    let mut watch = watch_on_terminal(&env);
    watch.expect("app");
    watch.signal(Signal::TSTP);
    assert_restored(&watch);
    watch.wait_until_stopped();
    watch.signal(Signal::CONT);
    watch.expect(ENTER);
    watch.expect("app");
    watch.press("q");
    assert!(watch.end().0.success());
}

#[test]
fn what_does_not_fit_is_counted_and_scrolled_to() {
    let env = TestEnv::new();
    let rows: String = (0..20)
        .map(|index| row(&format!("repo-{index:02}")))
        .collect();
    put_board(&env, &board_of(&rows));
    let mut watch = watch_on_terminal(&env);
    watch.expect("0 above · 14 below");
    watch.press("jj");
    watch.expect("2 above · 12 below");
    watch.press("\x1b[6~");
    watch.expect("8 above · 6 below");
    watch.press("G");
    watch.expect("repo-19");
    watch.expect("14 above · 0 below");
    watch.press("g");
    watch.expect("0 above · 14 below");
    watch.resize((120, 40));
    watch.expect("repo-19");
    watch.expect("1f2e3d4c");
    watch.resize((30, 5));
    watch.expect("0 above · 19 below");
    watch.press("q");
    assert!(watch.end().0.success());
}

#[test]
fn a_board_is_waited_for_and_what_is_none_is_said() {
    let env = TestEnv::new();
    let mut watch = watch_on_terminal(&env);
    watch.expect("no board at");
    put_board(&env, &board_of(&row("app")));
    watch.expect("app");
    put_board(&env, "# Notes\n");
    watch.expect("`_generator:");
    watch.press("q");
    assert!(watch.end().0.success());
}

#[test]
fn a_pipe_gets_the_table_again_after_each_change() {
    let env = TestEnv::new();
    let mut command = env.command(&["watch"]);
    command.env("BOARDSYNC_NOW", "2026-11-30T07:00:00Z");
    let mut watch = command.spawn().unwrap();
    let mut out = BufReader::new(watch.stdout.take().unwrap());
    let mut next = || {
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        line
    };
    // It says so on stderr that there is no board yet.
    put_board(&env, &board_of(&row("first")));
    assert_eq!(next(), "--- 2026-11-30T07:00:00.000Z, 1 row\n");
    assert!(next().starts_with("Repo\t"));
    assert!(next().starts_with("first\t"));
    // The same rows are no change, the lock's coming and going is none either.
    put_board(&env, &board_of(&row("first")));
    put_board(&env, &board_of(&(row("first") + &row("second"))));
    assert_eq!(next(), "--- 2026-11-30T07:00:00.000Z, 2 rows\n");
    assert!(next().starts_with("Repo\t"));
    assert!(next().starts_with("first\t"));
    assert!(next().starts_with("second\t"));
    drop(out);
    let mut ended = None;
    wait_until("it ends with its reader", || {
        ended = watch.try_wait().unwrap();
        ended.is_some()
    });
    let mut err = String::new();
    watch.stderr.unwrap().read_to_string(&mut err).unwrap();
    assert!(ended.unwrap().success(), "{err}");
    assert!(
        err.lines().all(|line| line.contains("no board at")),
        "quietly: {err}"
    );
}

#[test]
fn a_program_gets_one_object_a_change() {
    let env = TestEnv::new();
    put_board(&env, &board_of(&row("first")));
    let mut watch = env.start(&["watch", "--json", "--filter", "repo=second"]);
    let mut out = BufReader::new(watch.stdout.take().unwrap());
    let mut next = || {
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        serde_json::from_str::<serde_json::Value>(&line).unwrap()
    };
    assert_eq!(next()["rows"], serde_json::json!([]));
    put_board(&env, &board_of(&(row("first") + &row("second"))));
    assert_eq!(next()["rows"][0]["repo"], "second");
    watch.kill().unwrap();
    watch.wait().unwrap();
}

#[test]
fn a_command_runs_for_who_begins_to_wait_or_dies() {
    use boardsync::internals::session::lease::Activity;
    let env = TestEnv::new();
    put_board(&env, &board_of(&row("app")));
    env.session("app", "s1").activity(Activity::Working).plant();
    let mut child = std::process::Command::new("sleep")
        .arg("1000")
        .spawn()
        .unwrap();
    env.session("lib", "s2").process(child.id()).plant();
    let log = env.path("log");
    let exec = format!(
        "echo \"$BOARDSYNC_REPO $BOARDSYNC_PATH $BOARDSYNC_TITLE $BOARDSYNC_ACTIVITY\" >> '{}'",
        log.display()
    );
    let command = env.command(&["watch", "--exec", &exec]);
    let mut watch = env.on_terminal(command, (100, 20));
    watch.expect("working");
    let read = || std::fs::read_to_string(&log).unwrap_or_default();
    let path = |name: &str| env.path("src").join(name).display().to_string();
    env.session("app", "s1")
        .activity(Activity::Waiting)
        .title("Fix\u{1b}[2J login")
        .plant();
    watch.expect("waiting");
    let waits = format!("app {} Fix·[2J login waiting\n", path("app"));
    wait_until("it is called", || read() == waits);
    child.kill().unwrap();
    child.wait().unwrap();
    watch.expect("died");
    let died = format!("{waits}lib {} s2 died\n", path("lib"));
    wait_until("it is called again", || read() == died);
    watch.press("q");
    assert!(watch.end().0.success());
    assert_eq!(read(), died, "once each");
}
