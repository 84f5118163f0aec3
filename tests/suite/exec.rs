//! A command under the lock: how long it is held, and what comes back.

use crate::env::{Said, TestEnv, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

/// A shell command that says that it runs, then waits until it is told to end,
/// or until the test is over.
fn waiting(env: &TestEnv, name: &str) -> String {
    let (up, go) = (
        env.path(&format!("{name}.up")),
        env.path(&format!("{name}.go")),
    );
    format!(
        "touch '{0}'; while [ -e '{0}' ] && [ ! -e '{1}' ]; do sleep 0.01; done",
        up.display(),
        go.display()
    )
}

fn is_up(env: &TestEnv, name: &str) {
    let up = env.path(&format!("{name}.up"));
    wait_until("the command runs", || up.exists());
}

fn let_go(env: &TestEnv, name: &str) {
    std::fs::write(env.path(&format!("{name}.go")), "").unwrap();
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Prepares a command that ignores no signal, whatever this test was started to ignore.
fn attentive(env: &TestEnv, args: &[&str]) -> Command {
    let mut command = env.command_of("env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_boardsync")]);
    command.args(args);
    command
}

fn code_of(env: &TestEnv, script: &str) -> Option<i32> {
    env.run(&["exec", "--", "sh", "-c", script]).code
}

#[test]
fn the_commands_exit_code_and_output_come_back() {
    let env = TestEnv::new();
    let said = env.run(&["exec", "--", "sh", "-c", "echo out; echo err >&2; exit 7"]);
    assert_eq!(
        (said.code, &*said.out, &*said.err),
        (Some(7), "out\n", "err\n")
    );
    assert_eq!(code_of(&env, "exit 0"), Some(0));
    assert_eq!(code_of(&env, "exit 255"), Some(255));
    assert_eq!(code_of(&env, "kill -KILL $$"), Some(137));
    assert_eq!(code_of(&env, "kill -TERM $$"), Some(143));
    let mut cat = env.command(&["exec", "--", "cat"]);
    assert_eq!(env.feed(&mut cat, b"in").out, "in", "stdin is inherited");
    env.assert_no_litter();
}

#[test]
fn a_command_that_cannot_be_run_is_one_line() {
    let env = TestEnv::new();
    let plain = env.path("plain.txt");
    std::fs::write(&plain, "").unwrap();
    std::fs::set_permissions(&plain, std::fs::Permissions::from_mode(0o644)).unwrap();
    for (command, code, what) in [
        ("no-such-command", 127, "`no-such-command` is not found"),
        (plain.to_str().unwrap(), 126, "cannot be run"),
    ] {
        let said = env.run(&["exec", "--", command]);
        assert_eq!(
            (said.code, said.err.lines().count()),
            (Some(code), 1),
            "{said:?}"
        );
        assert!(said.err.contains(what), "{said:?}");
    }
    for usage in [
        &["exec"][..],
        &["exec", "--"],
        &["exec", "true"],
        &["exec", "--timeout", "5x", "--", "true"],
    ] {
        assert_eq!(env.run(usage).code, Some(2), "{usage:?}");
    }
    env.assert_no_litter();
}

#[test]
fn the_lock_is_held_as_long_as_the_command_runs() {
    let env = TestEnv::new();
    let script = waiting(&env, "one");
    let child = env.start(&["exec", "--", "sh", "-c", &script, "secret"]);
    is_up(&env, "one");
    let record = std::fs::read_to_string(env.lock()).unwrap();
    assert!(
        record.contains(r#""cmd": "boardsync exec -- sh""#),
        "{record}"
    );
    assert!(
        !record.contains("secret"),
        "arguments may be secrets: {record}"
    );
    let_go(&env, "one");
    let said = Said::from(child.wait_with_output().unwrap()).quietly();
    assert_eq!(said.out, "");
    env.assert_no_litter();
}

#[test]
fn without_the_lock_it_runs_or_fails_as_asked() {
    let env = TestEnv::new();
    let script = waiting(&env, "one");
    let holder = env.start(&["exec", "--", "sh", "-c", &script]);
    is_up(&env, "one");
    let pid = format!("pid {}", holder.id());
    for (what, code, out, end) in [
        ("run", 0, "ran\n", "the command is run without the lock"),
        ("fail", 75, "", "nothing was run"),
    ] {
        let said = env.run(&[
            "exec",
            "--timeout",
            "50ms",
            "--on-timeout",
            what,
            "--",
            "echo",
            "ran",
        ]);
        assert_eq!((said.code, &*said.out), (Some(code), out), "{said:?}");
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
        for part in [
            "timeout",
            &pid,
            " since 20",
            "`boardsync exec -- sh`",
            ", running",
            end,
        ] {
            assert!(said.err.contains(part), "{part} is not in {}", said.err);
        }
    }
    let_go(&env, "one");
    assert!(holder.wait_with_output().unwrap().status.success());
    // What is no lock at all is no lock either.
    std::os::unix::fs::symlink("/nowhere", env.lock()).unwrap();
    let said = env.run(&["exec", "--on-timeout", "fail", "--", "echo", "ran"]);
    assert_eq!((said.code, &*said.out), (Some(75), ""), "{said:?}");
}

#[test]
fn a_waiting_command_starts_when_the_holder_ends() {
    let env = TestEnv::new();
    let script = waiting(&env, "one");
    let holder = env.start(&["exec", "--", "sh", "-c", &script]);
    is_up(&env, "one");
    let show = format!("ls '{}'", env.path("one.go").display());
    let next = env.start(&["exec", "--timeout", "1m", "--", "sh", "-c", &show]);
    let_go(&env, "one");
    let said = Said::from(next.wait_with_output().unwrap()).quietly();
    assert!(said.out.contains("one.go"));
    assert!(holder.wait_with_output().unwrap().status.success());
    env.assert_no_litter();
}

#[test]
fn signals_are_passed_on_and_the_lock_stays_until_the_command_ends() {
    for (signal, name) in [
        (Signal::INT, "INT"),
        (Signal::TERM, "TERM"),
        (Signal::HUP, "HUP"),
        (Signal::QUIT, "QUIT"),
        (Signal::USR1, "USR1"),
        (Signal::USR2, "USR2"),
        (Signal::WINCH, "WINCH"),
    ] {
        let env = TestEnv::new();
        let script = format!(
            "trap 'touch {name}; ' {name}; {}; exit 9",
            waiting(&env, "one")
        );
        // Not in the group that a terminal tells of the keys typed at it.
        let mut command = attentive(&env, &["exec", "--", "sh", "-c", &script]);
        let child = command.process_group(0).spawn().unwrap();
        is_up(&env, "one");
        // Twice: a second signal must not end exec, and free the lock, alone.
        for _ in 0..2 {
            send(&child, signal);
            let got = env.path(name);
            wait_until("the command has the signal", || got.exists());
            std::fs::remove_file(&got).unwrap();
            assert!(env.lock().exists(), "{name}: the command still runs");
        }
        let_go(&env, "one");
        let said = Said::from(child.wait_with_output().unwrap());
        assert_eq!(said.code, Some(9), "{name}: {said:?}");
        env.assert_no_litter();
    }
}

#[test]
fn a_terminated_command_gives_its_signals_code() {
    let env = TestEnv::new();
    let mut command = attentive(&env, &["exec", "--", "sh", "-c", &waiting(&env, "one")]);
    let child = command.spawn().unwrap();
    is_up(&env, "one");
    send(&child, Signal::TERM);
    assert_eq!(
        Said::from(child.wait_with_output().unwrap()).code,
        Some(143)
    );
    env.assert_no_litter();
}

#[test]
fn a_signal_ends_the_wait_for_the_lock() {
    let env = TestEnv::new();
    env.plant_lock(r#"{"pid": 1, "host": "laptop"}"#, Duration::ZERO);
    let ran = env.path("ran");
    let ran_name = ran.to_str().unwrap();
    let args = ["exec", "--timeout", "1m", "--", "touch", ran_name];
    let next = attentive(&env, &args).spawn().unwrap();
    let is_waiting = || {
        let pending = |name: &String| name.ends_with(".pending");
        env.beside_the_lock().iter().any(pending)
    };
    wait_until("it waits for the lock", is_waiting);
    send(&next, Signal::TERM);
    let output = next.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(15), "{output:?}");
    assert!(!ran.exists(), "nothing was run");
}

#[cfg(target_os = "linux")]
#[test]
fn a_stopped_command_goes_on_with_exec() {
    let state = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(") ")
            .next()
            .and_then(|rest| rest.chars().next())
    };
    let env = TestEnv::new();
    let pid_file = env.path("pid");
    let script = format!(
        "echo $$ > '{}'; {}",
        pid_file.display(),
        waiting(&env, "one")
    );
    // In a process group of its own, for the kernel does not let SIGTSTP stop
    // an orphaned one.
    let mut command = attentive(&env, &["exec", "--", "sh", "-c", &script]);
    let exec = command.process_group(0).spawn().unwrap();
    is_up(&env, "one");
    let child = std::fs::read_to_string(&pid_file)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    send(&exec, Signal::TSTP);
    wait_until("both are stopped", || {
        state(exec.id()) == Some('T') && state(child) == Some('T')
    });
    send(&exec, Signal::CONT);
    wait_until("both go on", || {
        state(exec.id()) != Some('T') && state(child) != Some('T')
    });
    let_go(&env, "one");
    Said::from(exec.wait_with_output().unwrap()).quietly();
}

#[cfg(target_os = "linux")]
#[test]
fn what_nohup_ignores_stays_ignored() {
    let env = TestEnv::new();
    let script = "trap '' HUP; exec \"$0\" exec -- sh -c \"$1\"";
    let mut command = std::process::Command::new("sh");
    command
        .args([
            "-c",
            script,
            env!("CARGO_BIN_EXE_boardsync"),
            &waiting(&env, "one"),
        ])
        .env("HOME", env.home())
        .env("BOARDSYNC_VAULT", env.vault());
    let mut child = command.spawn().unwrap();
    is_up(&env, "one");
    send(&child, Signal::HUP);
    let_go(&env, "one");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_killed_holder_is_taken_over_at_once() {
    let env = TestEnv::new();
    let mut holder = env.start(&["exec", "--", "sh", "-c", &waiting(&env, "one")]);
    is_up(&env, "one");
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(env.lock().exists(), "it could not clear up");
    let said = env.run(&[
        "exec",
        "--on-timeout",
        "fail",
        "--timeout",
        "30s",
        "--json",
        "--",
        "true",
    ]);
    let lines: Vec<&str> = said.err.lines().collect();
    let [told, json] = lines[..] else {
        panic!("a line and the outcome: {said:?}");
    };
    let reason = format!("dead holder pid {}", holder.id());
    assert!(
        told.contains("took over the lock") && told.ends_with(&reason),
        "{told}"
    );
    let outcome: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(outcome["locked"], true, "{outcome}");
    assert_eq!(outcome["staleOverride"], reason, "{outcome}");
    assert_eq!(outcome["release"], "released", "{outcome}");
    assert!(outcome["waitedMs"].is_u64(), "{outcome}");
    env.assert_no_litter();
    let_go(&env, "one");
}

#[test]
fn commands_inside_use_the_lock_that_is_held() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    let script = format!(
        "'{0}' exec --json -- sh -c 'test -f \"$0\"' '{1}' && '{0}' update --json --status closed --repo '{2}' \
         && test -f '{1}'",
        env!("CARGO_BIN_EXE_boardsync"),
        env.lock().display(),
        repo.display()
    );
    let said = env.run(&["exec", "--on-timeout", "fail", "--", "sh", "-c", &script]);
    assert_eq!(said.code, Some(0), "{said:?}");
    for outcome in [
        &serde_json::from_str::<serde_json::Value>(&said.err).unwrap(),
        &said.json()["lock"],
    ] {
        assert_eq!(outcome["locked"], true, "{outcome}");
        assert_eq!(outcome["release"], "kept", "{outcome}");
        assert_eq!(outcome["waitedMs"], 0, "{outcome}");
    }
    env.assert_no_litter();
}

#[test]
fn a_token_of_another_lock_opens_nothing() {
    let env = TestEnv::new();
    env.plant_lock(
        r#"{"pid": 1, "host": "laptop", "token": "aaaa"}"#,
        Duration::ZERO,
    );
    let mut command = env.command(&[
        "exec",
        "--timeout",
        "0",
        "--on-timeout",
        "fail",
        "--",
        "true",
    ]);
    command.env("BOARDSYNC_INHERITED_LOCK", "bbbb");
    assert_eq!(command.output().unwrap().status.code(), Some(75));
}

#[test]
fn the_record_says_no_values_and_is_read_by_nobody_who_may_not_read_the_board() {
    let env = TestEnv::new();
    env.update("app", "closed").quietly();
    std::fs::set_permissions(env.board(), std::fs::Permissions::from_mode(0o600)).unwrap();
    let child = env.start(&["exec", "--", "sh", "-c", &waiting(&env, "one"), "secret"]);
    is_up(&env, "one");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&env.lock()), 0o600);
    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(env.lock()).unwrap()).unwrap();
    assert_eq!(record["cmd"], "boardsync exec -- sh");
    assert!(record["writer"].as_str().unwrap().starts_with("boardsync "));
    let_go(&env, "one");
    assert!(child.wait_with_output().unwrap().status.success());
}

#[test]
fn any_file_can_be_the_lock_without_a_vault() {
    let env = TestEnv::new();
    let held = |path: &Path| format!("test -f '{}'", path.display());
    let (by_flag, by_variable) = (env.path("a/import.lock"), env.path("b/import.lock"));
    let mut command = env.command(&["exec", "--lock-file", "a/import.lock", "--", "sh", "-c"]);
    command
        .arg(held(&by_flag))
        .env("BOARDSYNC_LOCK_FILE", &by_variable);
    command.env("BOARDSYNC_VAULT", env.path("no-vault"));
    Said::from(command.output().unwrap()).quietly();
    let mut command = env.command(&["exec", "--", "sh", "-c"]);
    command
        .arg(held(&by_variable))
        .env("BOARDSYNC_LOCK_FILE", &by_variable);
    command.env("BOARDSYNC_VAULT", env.path("no-vault"));
    Said::from(command.output().unwrap()).quietly();
    assert!(!by_flag.exists() && !by_variable.exists(), "released");
}

#[test]
fn what_was_named_as_the_lock_by_mistake_is_left_alone() {
    let env = TestEnv::new();
    let (note, folder) = (env.path("notes.md"), env.path("project"));
    std::fs::write(&note, "precious").unwrap();
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("thesis.txt"), "x").unwrap();
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(3_600);
    for path in [&note, &folder] {
        let file = std::fs::File::open(path).unwrap();
        file.set_modified(long_ago).unwrap();
        let path = path.to_str().unwrap();
        let said = env.run(&["exec", "--lock-file", path, "--", "echo", "ran"]);
        assert_eq!((said.code, &*said.out), (Some(0), "ran\n"));
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
        assert!(said.err.contains("holds something else"), "{}", said.err);
        let reclaim = env
            .command(&["lock", "reclaim", "--force"])
            .env("BOARDSYNC_LOCK_FILE", path)
            .output()
            .unwrap();
        assert_eq!(reclaim.status.code(), Some(1));
    }
    assert_eq!(std::fs::read_to_string(note).unwrap(), "precious");
    assert!(folder.join("thesis.txt").exists());
}

#[test]
fn an_update_that_nohup_protects_outlives_a_hangup() {
    let env = TestEnv::new();
    env.plant_lock(r#"{"pid": 1, "host": "laptop"}"#, Duration::ZERO);
    let script = "trap '' HUP; exec \"$@\"";
    let mut command = env.command_of("sh");
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_boardsync")]);
    command.args(["update", "--status", "closed", "--repo"]);
    command.arg(env.repo("app"));
    let child = command.spawn().unwrap();
    let is_waiting = || {
        let pending = |name: &String| name.ends_with(".pending");
        env.beside_the_lock().iter().any(pending)
    };
    wait_until("it waits for the lock", is_waiting);
    send(&child, Signal::HUP);
    std::fs::remove_file(env.lock()).unwrap();
    let said = Said::from(child.wait_with_output().unwrap()).quietly();
    assert!(said.out.starts_with("written"), "{said:?}");
}

#[test]
fn a_limit_of_file_sizes_fails_a_write_and_kills_nobody() {
    let env = TestEnv::new();
    let mut command = env.command_of("sh");
    command.args([
        "-c",
        "ulimit -f 0; exec \"$@\"",
        "sh",
        env!("CARGO_BIN_EXE_boardsync"),
    ]);
    command.args(["update", "--status", "closed", "--repo"]);
    command.arg(env.repo("app"));
    let said = Said::from(command.output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.starts_with("skipped-write-failed"), "{said:?}");
    assert!(said.err.contains("File too large"), "{said:?}");
    env.assert_no_litter();
}
