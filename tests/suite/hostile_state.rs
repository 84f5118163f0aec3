//! Whatever a session is called, and whatever lies in the folder for state: the
//! files there have names of our own, nothing is followed, nothing hangs.

use crate::env::{Said, TestEnv, board_of};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

fn hook(env: &TestEnv, session: &str, event: &str) -> Said {
    let event = serde_json::json!({
        "session_id": session, "hook_event_name": event, "cwd": env.git_repo("app"),
        "session_title": session,
    });
    let started = Instant::now();
    let mut command = env.command_of("prlimit");
    command.arg(format!("--data={}", 64 << 20));
    command.args([env!("CARGO_BIN_EXE_boardsync"), "hook"]);
    // A busy machine needs longer for a megabyte than the end of a session has.
    command.env("BOARDSYNC_HOOK_END_TIMEOUT_MS", "4000");
    let said = env.feed(&mut command, event.to_string().as_bytes());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.lines().count() <= 1, "{said:?}");
    assert!(started.elapsed() < Duration::from_secs(5), "{said:?}");
    said
}

/// Lists all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.symlink_metadata().unwrap().is_dir() {
            true => all.extend(files(&path)),
            false => all.push(path),
        }
    }
    all.sort();
    all
}

#[test]
fn a_sessions_id_names_no_file_and_takes_one_line_of_the_board() {
    let long = "x".repeat(1_000_000);
    for id in [
        "../../../../evil",
        "/etc/passwd",
        "a\0b",
        "a\nb | c",
        "con",
        "..",
        " . ",
        "-x",
        "\u{202e}\u{1b}]0;t\u{7}",
        "<img src=x onerror=alert(1)>",
        "![[Secret]] [x](obsidian://open) `$= dv` <% tp %> %%",
        &long,
    ] {
        let env = TestEnv::new();
        env.write_board(&board_of(""));
        let lines = env.read_board().lines().count();
        let before: Vec<_> = files(&env.path("")).into_iter().collect();
        hook(&env, id, "SessionStart");
        let shown = &id[..id.len().min(60)];
        let board = env.read_board();
        assert_eq!(board.lines().count(), lines + 1, "{shown:?}: {board}");
        let row = board.lines().find(|line| line.contains("| app |")).unwrap();
        assert!(row.chars().count() < 1_000, "{shown:?}: {row}");
        assert!(
            !row.chars().any(|c| c.is_control() || c == '\u{202e}'),
            "{row:?}"
        );
        for acted_on in ["<img", "![[", "](", "<%", "`$="] {
            assert!(!row.contains(acted_on), "{row}");
        }
        for path in files(&env.path("")) {
            let is_ours = path.starts_with(env.path("state/boardsync")) || before.contains(&path);
            let is_ours =
                is_ours || path.starts_with(env.vault()) || path.starts_with(env.path("src"));
            assert!(is_ours, "{shown:?}: {}", path.display());
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let is_hex = || stem.bytes().all(|b| b.is_ascii_hexdigit());
            let is_lease = path.extension().is_some_and(|it| it == "json");
            assert!(!is_lease || is_hex(), "{shown:?}: {}", path.display());
        }
        hook(&env, id, "SessionEnd");
        assert!(env.read_board().contains("| app | closed |"), "{shown:?}");
        for args in [&["show"][..], &["status"]] {
            let said = env.run(args);
            let printed = format!("{}{}", said.out, said.err);
            assert!(
                !printed.contains(['\u{1b}', '\u{7}', '\u{202e}', '\0']),
                "{printed:?}"
            );
        }
    }
}

#[test]
fn whatever_lies_at_the_names_in_the_folder_for_state_is_not_followed() {
    // What one start makes there tells the names.
    let names = |env: &TestEnv| -> Vec<PathBuf> {
        hook(env, "s1", "SessionStart");
        let root = env.path("state");
        let mut all = files(&root);
        for file in all.clone() {
            let above = file.ancestors().skip(1).take_while(|it| *it != root);
            all.extend(above.map(Path::to_owned));
        }
        all.sort();
        all.dedup();
        let relative = |path: PathBuf| path.strip_prefix(&root).unwrap().to_owned();
        all.into_iter().map(relative).collect()
    };
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    let all = names(&env);
    assert!(all.len() >= 6, "{all:?}");
    for name in &all {
        for kind in [
            "link", "dangling", "fifo", "folder", "huge", "empty", "text",
        ] {
            // The same folder, since its path is in some names.
            let _ = fs::remove_dir_all(env.path("state"));
            let _ = fs::remove_dir_all(env.path("outside"));
            env.write_board(&board_of(""));
            let outside = env.path("outside");
            fs::create_dir(&outside).unwrap();
            fs::write(outside.join("note"), "a note").unwrap();
            let path = env.path("state").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match kind {
                "link" => symlink(outside.join("note"), &path).unwrap(),
                "dangling" => symlink(outside.join("missing"), &path).unwrap(),
                "fifo" => assert!(
                    Command::new("mkfifo")
                        .arg(&path)
                        .status()
                        .unwrap()
                        .success()
                ),
                "folder" => fs::create_dir(&path).unwrap(),
                "huge" => fs::File::create(&path).unwrap().set_len(1 << 32).unwrap(),
                "empty" => fs::write(&path, "").unwrap(),
                _ => fs::write(&path, "text").unwrap(),
            }
            hook(&env, "s1", "SessionStart");
            hook(&env, "s1", "SessionEnd");
            let what = format!("{kind} at {}", name.display());
            assert_eq!(
                fs::read_to_string(outside.join("note")).unwrap(),
                "a note",
                "{what}"
            );
            assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "{what}");
            for args in [&["show"][..], &["doctor"], &["status"]] {
                let said = env.run(args);
                assert!(matches!(said.code, Some(0 | 1)), "{what}: {said:?}");
            }
        }
    }
}
