//! A vault full of traps: nothing outside changes, nothing hangs, memory stays small.

use crate::env::{Said, TestEnv, board_of};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What a command may allocate, in bytes; a deployed hook has about 5 MiB.
const MEMORY: u64 = 64 << 20;
/// What a command may take here; a hook gives up by itself after 2 s.
const TIME: Duration = Duration::from_secs(20);
const ROUNDS: u64 = 10;

const TOKEN: &str = "000000007fffffff0000000000000000";
const HASH: &str = "0123456789abcdef";

/// Every name that boardsync uses in a vault.
fn names() -> Vec<String> {
    let mut names: Vec<String> = [
        ".gitignore",
        ".stignore",
        ".gitattributes",
        ".git",
        ".orchestrator",
        ".orchestrator/merged",
        ".orchestrator/backups",
        ".orchestrator/backups/board.2026-01-01T000000.000Z.md",
        ".orchestrator/board.lock",
        ".orchestrator/board.lock.acquire",
        ".orchestrator/board.gate.lock",
        ".orchestrator/board.latch.lock",
        "01-projects",
        "01-projects/_active-sessions.md",
        "01-projects/_active-sessions.sync-conflict-20261130-101010-ABCDEFG.md",
        "01-projects/_active-sessions (1).md",
        "01-projects/._active-sessions.md.icloud",
    ]
    .map(str::to_owned)
    .into();
    for folder in [".orchestrator", "01-projects"] {
        names.push(format!("{folder}/.board.{TOKEN}.pending"));
        names.push(format!("{folder}/.board.{TOKEN}.{HASH}.{HASH}.tmp"));
        names.push(format!("{folder}/board.{TOKEN}.{HASH}.{HASH}.tmp"));
        names.push(format!("{folder}/board.{TOKEN}.{HASH}.{HASH}.journal.tmp"));
    }
    names
}

/// Numbers that the same seed gives again (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Plants something of a random kind at every name.
fn plant(vault: &Path, outside: &Path, numbers: &mut Numbers) {
    for name in names() {
        let path = vault.join(&name);
        let is_folder = ["merged", "backups", ".orchestrator", "01-projects", ".git"]
            .iter()
            .any(|folder| name.ends_with(folder));
        // Mostly a folder where one belongs, else nothing below it is reached.
        let kind = match is_folder && numbers.below(4) > 0 {
            true => 5,
            false => numbers.below(10),
        };
        // What lies below a file, or in a folder outside, is not planted.
        let parent = path.parent().unwrap();
        if !parent.is_dir() || parent.canonicalize().ok() != Some(parent.to_owned()) {
            continue;
        }
        match kind {
            0 => {}
            1 => symlink(outside.join("note.md"), &path).unwrap(),
            2 => symlink(outside, &path).unwrap(),
            3 => symlink(outside.join("missing"), &path).unwrap(),
            4 => {
                let made = Command::new("mkfifo").arg(&path).status().unwrap();
                assert!(made.success());
            }
            5 => fs::create_dir_all(&path).unwrap(),
            6 => fs::File::create(&path).unwrap().set_len(1 << 30).unwrap(),
            7 => fs::write(&path, "").unwrap(),
            8 => fs::write(&path, "what a person wrote\n").unwrap(),
            _ => fs::write(&path, board_of("")).unwrap(),
        }
    }
}

/// Tells all of a tree: names, kinds, permissions, contents.
pub fn state_of(folder: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let meta = path.symlink_metadata().unwrap();
        if meta.is_dir() {
            all.extend(state_of(&path));
        }
        let content = match meta.is_file() {
            true => fs::read(&path).unwrap(),
            false => Vec::new(),
        };
        all.insert(path, (meta.mode(), content));
    }
    all
}

fn limited(env: &TestEnv, args: &[impl AsRef<OsStr>]) -> Command {
    let mut command = env.command_of("prlimit");
    command
        .arg(format!("--data={MEMORY}"))
        .arg(env!("CARGO_BIN_EXE_boardsync"))
        .args(args)
        .env("BOARDSYNC_TIMEOUT_MS", "20");
    command
}

/// Returns the command line that starts a session in `app`.
fn update_of(env: &TestEnv) -> [String; 5] {
    let repo = env.repo("app").display().to_string();
    ["update", "--status", "in-progress", "--repo", &repo].map(String::from)
}

/// Runs a command that must end in time, by itself, and within the memory.
fn ends(env: &TestEnv, mut command: Command, what: &str) -> Said {
    let input = env.path("input");
    let event = serde_json::json!({
        "session_id": "s1", "hook_event_name": "SessionStart", "cwd": env.repo("app"),
    });
    fs::write(&input, event.to_string()).unwrap();
    let output = |name: &str| fs::File::create(env.path(name)).unwrap();
    let started = Instant::now();
    let mut child = command
        .stdin(fs::File::open(input).unwrap())
        .stdout(output("stdout"))
        .stderr(output("stderr"))
        .spawn()
        .expect("prlimit of util-linux is installed");
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > TIME {
            child.kill().unwrap();
            panic!("{what}: it hangs");
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let text = |name: &str| String::from_utf8_lossy(&fs::read(env.path(name)).unwrap()).into();
    let said = Said {
        code: status.code(),
        out: text("stdout"),
        err: text("stderr"),
    };
    assert!(matches!(said.code, Some(0 | 1)), "{what}: {said:?}");
    assert!(!said.err.contains("panicked"), "{what}: {said:?}");
    said
}

#[test]
fn whatever_lies_at_our_names_nothing_outside_changes_and_nothing_hangs() {
    for seed in 1..=ROUNDS {
        let env = TestEnv::new();
        // The user's own home may be reached by links of a vault of theirs.
        let outside = env.path("outside");
        fs::create_dir_all(outside.join("folder")).unwrap();
        fs::write(outside.join("note.md"), board_of("")).unwrap();
        fs::write(outside.join("settings.json"), "{}").unwrap();
        for second in 10..40 {
            let name = format!("board.2026-01-01T0000{second}.000Z.md");
            fs::write(outside.join(name), "a backup?").unwrap();
        }
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let vault = env.vault().canonicalize().unwrap();
        plant(&vault, &outside, &mut numbers);
        let before = state_of(&outside);
        let repo = env.repo("app");
        let repo = repo.to_str().unwrap();
        for args in [
            &["hook"][..],
            &["update", "--status", "in-progress", "--repo", repo],
            &["close", "--repo", repo],
            &["prune", "--closed-older-than", "1d"],
            &["prune", "--undo"],
            &["merge", "--resolve"],
            &["show"],
            &["lock", "status"],
            &["doctor"],
            &["status"],
            &["init", "--yes", "--git"],
            &["init", "--undo", "--yes"],
        ] {
            let what = format!("seed {seed}, {}", args.join(" "));
            let said = ends(&env, limited(&env, args), &what);
            assert_eq!(state_of(&outside), before, "{what}: {said:?}");
        }
    }
}

#[test]
fn copies_that_are_too_much_wait_and_stop_no_update() {
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    let rows = |count: usize| -> String {
        (0..count)
            .map(|at| {
                format!(
                    "| r{at} | closed | s | — | — | 2026-11-30T06:00:00.000Z | {:08x} |\n",
                    at + 1
                )
            })
            .collect()
    };
    let copy = |number: usize| {
        let name = format!("_active-sessions.sync-conflict-20261130-1010{number}-ABCDEFG.md");
        env.board().with_file_name(name)
    };
    for number in 10..50 {
        fs::write(copy(number), board_of(&rows(30_000))).unwrap();
    }
    fs::write(
        copy(59),
        board_of("| mine | closed | s | — | — | 2026-11-30T06:00:00.000Z | 00ffffff |\n"),
    )
    .unwrap();
    let args = update_of(&env);
    let said = ends(&env, limited(&env, &args), "update");
    let board = env.read_board();
    assert!(board.contains("| app |"), "{said:?}");
    assert!(board.contains("| mine |"), "{said:?}");
    assert!(!board.contains("| r1 |"), "{said:?}");
    assert!(copy(10).exists(), "it waits for a person");
}

#[test]
fn what_is_named_like_a_copy_and_is_none_keeps_no_copy_waiting() {
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    let note = "a line of a note\n".repeat(60_000);
    for number in 10..40 {
        let name = format!("_active-sessions.sync-conflict-20261130-1010{number}-ABCDEFG.md");
        fs::write(env.board().with_file_name(name), &note).unwrap();
    }
    let name = "_active-sessions.sync-conflict-20261130-101059-ABCDEFG.md";
    let row = "| mine | closed | s | — | — | 2026-11-30T06:00:00.000Z | 00ffffff |\n";
    fs::write(env.board().with_file_name(name), board_of(row)).unwrap();
    env.update("app", "in-progress").quietly();
    assert!(env.read_board().contains("| mine |"));
}

#[test]
fn many_copies_are_joined_a_few_at_a_time() {
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    for number in 10..40 {
        let name = format!("_active-sessions.sync-conflict-20261130-1010{number}-ABCDEFG.md");
        let row = format!(
            "| r{number} | closed | s | — | — | 2026-11-30T06:00:00.000Z | {number:08} |\n"
        );
        fs::write(env.board().with_file_name(name), board_of(&row)).unwrap();
    }
    let joined = || env.read_board().matches("| r").count();
    env.update("app", "in-progress").quietly();
    assert_eq!(joined(), 16);
    for _ in 0..2 {
        env.update("app", "in-progress").quietly();
    }
    assert_eq!(joined(), 30);
}

/// A board of about this many bytes, whose rows no other number has.
fn large_board(number: usize, size: usize) -> String {
    let mut rows = String::new();
    let session = "s".repeat(240);
    while rows.len() < size {
        let key = (number << 20) | (rows.len() / 300);
        rows.push_str(&format!(
            "| r | closed | {session} | — | — | 2026-11-30T06:00:00.000Z | {key:08x} |\n"
        ));
    }
    board_of(&rows)
}

/// Plants what a process that is gone would have left.
fn leftover(env: &TestEnv, number: usize, content: &str) -> PathBuf {
    fs::create_dir_all(env.orchestrator()).unwrap();
    let token = format!("000000007fffffff{number:016x}");
    let name = format!("board.{token}.{HASH}.{HASH}.tmp");
    let path = env.orchestrator().join(name);
    fs::write(&path, content).unwrap();
    path
}

#[test]
fn leftovers_that_are_too_much_for_one_update_wait_for_the_next() {
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    let repo = env.repo("app");
    let repo = repo.to_str().unwrap();
    for number in 0..12 {
        leftover(&env, number, &large_board(number, 250 << 10));
    }
    let left = || {
        let mut names = env.beside_the_lock();
        names.retain(|name| name.ends_with(".tmp"));
        names.len()
    };
    let mut before = left();
    for status in ["in-progress", "closed"] {
        let args = ["update", "--status", status, "--repo", repo];
        let mut command = limited(&env, &args);
        command.env("BOARDSYNC_STALE_MS", "1");
        std::thread::sleep(Duration::from_millis(5));
        let said = ends(&env, command, status);
        assert!(
            env.read_board().contains(&format!("| app | {status} |")),
            "{said:?}"
        );
        assert!(left() < before, "each joins one at least: {said:?}");
        assert!(
            left() + 6 > before,
            "and none joins many: {} {before}",
            left()
        );
        before = left();
    }
}

#[test]
fn a_leftover_that_is_too_much_beside_the_board_is_kept_for_a_person() {
    let env = TestEnv::new();
    env.write_board(&large_board(1, 2 << 20));
    let planted = leftover(&env, 2, &large_board(1, 7 << 19));
    let args = update_of(&env);
    let mut command = limited(&env, &args);
    command.env("BOARDSYNC_STALE_MS", "1");
    std::thread::sleep(Duration::from_millis(5));
    let said = ends(&env, command, "update");
    assert!(env.read_board().contains("| app |"), "{said:?}");
    assert!(!planted.exists());
    let kept = env.beside_the_lock();
    assert!(
        kept.iter().any(|name| name.ends_with(".kept.md")),
        "{kept:?}"
    );
    let doctor = env.run(&["doctor"]).out;
    assert!(doctor.contains("too large to be joined"), "{doctor}");
}

#[test]
fn cells_without_end_are_no_board() {
    let pipes = board_of("") + &"|".repeat(3 << 20) + "\n";
    for place in ["board", "copy", "leftover"] {
        let env = TestEnv::new();
        let start = board_of("");
        env.write_board(if place == "board" { &pipes } else { &start });
        match place {
            "copy" => {
                let name = "_active-sessions (1).md";
                fs::write(env.board().with_file_name(name), &pipes[..1_000_000]).unwrap();
            }
            "leftover" => drop(leftover(&env, 1, &pipes)),
            _ => {}
        }
        std::thread::sleep(Duration::from_millis(5));
        let repo = env.repo("app");
        let update = ["update", "--json", "--status", "in-progress", "--repo"];
        for args in [
            &["hook"][..],
            &[&update[..], &[repo.to_str().unwrap()]].concat(),
        ] {
            let mut command = limited(&env, args);
            command.env("BOARDSYNC_STALE_MS", "1");
            let said = ends(&env, command, place);
            if place == "board" {
                assert_eq!(env.read_board(), pipes, "{said:?}");
            } else {
                assert!(env.read_board().contains("| app |"), "{place}: {said:?}");
            }
        }
    }
}
