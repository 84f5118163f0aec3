//! Whatever a hook is given, it exits 0, says at most one line, and ends.

use crate::env::{Said, TestEnv};
use std::io::Write;
use std::process::{Child, Stdio};

const STOP: &str = r#"{"hook_event_name":"Stop","session_id":"s","cwd":"/nowhere/at/all"}"#;

/// Asserts the promise, and gives the one line.
fn line(said: &Said, what: &str) -> String {
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), ""),
        "{what}: {said:?}"
    );
    assert!(said.err.lines().count() <= 1, "{what}: {}", said.err);
    said.err.clone()
}

/// Starts the hook with a stdin that this test keeps open.
fn start_open(env: &TestEnv) -> Child {
    let mut command = env.command(&["hook"]);
    command.stdin(Stdio::piped()).spawn().unwrap()
}

#[test]
fn what_is_no_event_is_named_in_one_line() {
    let env = TestEnv::new();
    let deep = "[".repeat(100_000);
    let deep_cwd = format!(r#"{{"cwd":{deep}"#);
    let huge = format!(r#"{{"prompt":"{}"}}"#, "x".repeat(50_000_000));
    let long = format!(r#"{{"hook_event_name":5,"{}":1}}"#, "k".repeat(100_000));
    for (input, said) in [
        ("", "empty"),
        ("\n", "cut off"),
        ("{", "cut off"),
        ("{}", "no `hook_event_name`"),
        ("null", "invalid hook event"),
        ("hello\nworld", "invalid hook event"),
        (r#"{"hook_event_name":"Stop","session_id":"#, "cut off"),
        (
            r#"{"hook_event_name":"Stop","session_id":7}"#,
            "no `session_id`",
        ),
        ("{\"a\":\u{1}}", "invalid hook event"),
        (&deep, "invalid hook event"),
        (&deep_cwd, "invalid hook event"),
        (&long, "no `hook_event_name`"),
        (&huge, "larger than"),
    ] {
        let shown = &input[..input.len().min(40)];
        let mut command = env.command(&["hook"]);
        // A debug build is slow.
        command
            .env("BOARDSYNC_HOOK_END_TIMEOUT_MS", "60000")
            .env("BOARDSYNC_HOOK_TIMEOUT_MS", "60000");
        let got = env.feed(&mut command, input.as_bytes());
        assert!(line(&got, shown).contains(said), "{shown}: {}", got.err);
    }
    let got = env.feed(&mut env.command(&["hook"]), b"\xff\xfe{\0}\0");
    assert!(
        line(&got, "UTF-16").contains("invalid hook event"),
        "{got:?}"
    );
    assert!(!env.board().exists(), "nothing was written");
}

#[test]
fn a_usage_error_is_one_line_and_no_error() {
    let env = TestEnv::new();
    for args in [
        &["hook", "--nonsense"][..],
        &["hook", "extra"],
        &["--nonsense", "hook"],
        &["hook", "--vault"],
        &["--vault", "/nowhere", "hook", "--timeout", "5"],
        &["hook", "--json", "-q", "-x"],
    ] {
        let said = env.feed(&mut env.command(args), STOP.as_bytes());
        let shown = args.join(" ");
        assert!(
            line(&said, &shown).contains("nothing was done"),
            "{shown}: {said:?}"
        );
    }
    assert!(!env.board().exists());
}

#[test]
fn options_of_all_commands_are_taken_on_either_side() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let event = format!(
        r#"{{"hook_event_name":"SessionStart","session_id":"s","cwd":"{}"}}"#,
        repo.display()
    );
    let other = env.home().join("other");
    std::fs::create_dir(&other).unwrap();
    for args in [
        &["--vault", other.to_str().unwrap(), "--json", "hook"][..],
        &[
            "hook",
            "-q",
            "--board",
            "notes/sessions.md",
            "--holder",
            "me",
        ],
    ] {
        let said = env.feed(&mut env.command(args), event.as_bytes());
        assert_eq!(line(&said, &args.join(" ")), "");
    }
    assert!(other.join("01-projects/_active-sessions.md").exists());
    assert!(env.vault().join("notes/sessions.md").exists());
    assert!(!env.board().exists());
}

#[test]
fn wrong_variables_are_named_and_the_defaults_used() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let event = format!(
        r#"{{"hook_event_name":"SessionStart","session_id":"s","cwd":"{}"}}"#,
        repo.display()
    );
    for name in [
        "BOARDSYNC_NOW",
        "BOARDSYNC_SYNC",
        "BOARDSYNC_SKIP_LOCK",
        "BOARDSYNC_TIMEOUT_MS",
        "BOARDSYNC_POLL_MS",
        "BOARDSYNC_STALE_MS",
        "BOARDSYNC_HOOK_TIMEOUT_MS",
        "BOARDSYNC_HOOK_END_TIMEOUT_MS",
    ] {
        let _ = std::fs::remove_file(env.board());
        let mut command = env.command(&["hook"]);
        command.env(name, "soon");
        let said = env.feed(&mut command, event.as_bytes());
        assert!(line(&said, name).contains(name), "{said:?}");
        assert!(
            env.read_board().contains("| app | in-progress | s |"),
            "{name}"
        );
    }
}

#[test]
fn a_vault_that_is_not_there_is_one_line() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let event = STOP.replace("/nowhere/at/all", repo.to_str().unwrap());
    let mut command = env.command(&["hook"]);
    command.env("BOARDSYNC_VAULT", env.path("home/none"));
    let said = env.feed(&mut command, event.as_bytes());
    assert!(
        line(&said, "no vault").contains("no vault folder"),
        "{said:?}"
    );
}

#[test]
fn a_whole_event_is_acted_on_while_stdin_stays_open() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let mut child = start_open(&env);
    let event = STOP.replace("/nowhere/at/all", repo.to_str().unwrap());
    let stdin = child.stdin.as_mut().unwrap();
    for byte in event.as_bytes() {
        stdin.write_all(&[*byte]).unwrap();
    }
    let status = child.wait().unwrap();
    assert!(status.success());
    assert!(env.read_board().contains("| app | in-progress | s |"));
}

#[test]
fn a_stdin_that_never_says_it_all_is_given_up() {
    let env = TestEnv::new();
    for start in ["", "{", &STOP[..STOP.len() - 1]] {
        let mut child = start_open(&env);
        // Kept open until the hook has ended by itself.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(start.as_bytes()).unwrap();
        let said = Said::from(child.wait_with_output().unwrap());
        drop(stdin);
        assert!(line(&said, start).contains("within 700 ms"), "{said:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_stdin_that_never_ends_is_given_up_though_there_is_always_more_to_read() {
    let env = TestEnv::new();
    for start in ["", r#"{"prompt":""#, r#"{"cwd":""#] {
        let mut command = env.command(&["hook"]);
        // Less than what it takes to read as much as is ever read.
        command.env("BOARDSYNC_HOOK_END_TIMEOUT_MS", "20");
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || {
            let _ = stdin.write_all(start.as_bytes());
            while stdin.write_all(&[b' '; 64 * 1024]).is_ok() {}
        });
        let said = Said::from(child.wait_with_output().unwrap());
        writer.join().unwrap();
        assert!(line(&said, start).contains("within 20 ms"), "{said:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn no_field_takes_more_memory_than_the_payload() {
    let env = TestEnv::new();
    let text = "x".repeat(15_000_000);
    for field in [
        "cwd",
        "session_id",
        "message",
        "hook_event_name",
        "session_title",
    ] {
        let mut event = serde_json::json!({
            "session_id": "s", "hook_event_name": "SessionStart", "cwd": env.git_repo("app"),
        });
        event[field] = text.as_str().into();
        let mut command = env.command_of("prlimit");
        command.arg(format!("--data={}", 64 << 20));
        command.args([env!("CARGO_BIN_EXE_boardsync"), "hook"]);
        command.env("BOARDSYNC_HOOK_END_TIMEOUT_MS", "60000");
        command.env("BOARDSYNC_HOOK_TIMEOUT_MS", "60000");
        let said = env.feed(&mut command, event.to_string().as_bytes());
        line(&said, field);
        assert!(!said.err.contains("memory"), "{field}: {said:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_closed_stdin_and_a_deleted_working_directory_are_no_error() {
    let env = TestEnv::new();
    let folder = env.repo("gone");
    let mut command = std::process::Command::new("sh");
    let hook = env!("CARGO_BIN_EXE_boardsync");
    command
        .args(["-c", &format!("rmdir \"$PWD\"; exec '{hook}' hook <&-")])
        .current_dir(&folder)
        .env("HOME", env.home())
        .env("BOARDSYNC_VAULT", env.vault());
    let said = Said::from(command.output().unwrap());
    assert!(line(&said, "closed").contains("empty"), "{said:?}");
}

#[cfg(feature = "failpoints")]
#[test]
fn a_panic_is_one_line_and_no_error() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let event = STOP.replace("/nowhere/at/all", repo.to_str().unwrap());
    for point in [
        "gate.open.before",
        "latch.lock.after",
        "board.publish.after",
    ] {
        let mut command = env.command(&["hook"]);
        command.env("FAILPOINTS", format!("{point}=panic"));
        let said = env.feed(&mut command, event.as_bytes());
        assert!(
            line(&said, point).contains("internal error"),
            "{point}: {said:?}"
        );
        assert!(!env.lock().exists(), "the lock is released");
    }
}

#[cfg(feature = "failpoints")]
#[test]
fn a_hanging_file_system_is_given_up_and_the_board_is_whole() {
    let env = TestEnv::new();
    let repo = env.git_repo("app");
    let event = STOP.replace("/nowhere/at/all", repo.to_str().unwrap());
    for point in [
        "latch.lock.before",
        "board.exchange.before",
        "board.exchange.after",
    ] {
        env.write_board(&crate::env::board_of(""));
        let signal = env.path(point);
        let mut command = env.command(&["hook"]);
        command
            .env(
                "FAILPOINTS",
                format!("{point}=return(park:{})", signal.display()),
            )
            .env("BOARDSYNC_HOOK_TIMEOUT_MS", "500");
        let said = env.feed(&mut command, event.as_bytes());
        assert!(
            signal.with_extension("before.reached").exists()
                || signal.with_extension("after.reached").exists()
        );
        assert!(
            line(&said, point).contains("gave up after 500 ms"),
            "{said:?}"
        );
        assert!(env.read_board().starts_with("---\n_generator"));
    }
    // The next one finds a dead holder, and goes on at once.
    let start = event.replace("Stop", "SessionStart");
    let said = env.feed(&mut env.command(&["hook"]), start.as_bytes());
    assert_eq!(line(&said, "next"), "");
    assert!(env.read_board().contains("| app | in-progress | s |"));
    env.assert_no_litter();
}
