//! One uncontended update as a whole process, against the unavoidable.
//!
//! The floor is a program that makes only the system calls no safe writer can
//! do without: open, read, create, write, fsync, rename, fsync of the folder.
//! Both run in turn, so that a noisy machine is noisy to both, and are
//! compared as a ratio of medians. `cargo bench --bench update [ROUNDS]`

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROWS: usize = 50;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, board] = args.as_slice()
        && let Some(sync) = mode.strip_prefix("floor:")
    {
        return floor(Path::new(board), sync == "sync");
    }
    let rounds = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(300);
    println!("{rounds} rounds of a {ROWS}-row board, medians");
    for (sync, floor, limit) in [
        ("full", "floor:sync", 1.5),
        ("board", "floor:sync", 1.25),
        ("none", "floor:none", f64::NAN),
    ] {
        compare(sync, floor, limit, rounds);
    }
}

/// Makes the unavoidable system calls, and nothing else.
fn floor(board: &Path, sync: bool) {
    let folder = board.parent().expect("a board lies in a folder");
    let mut text = Vec::new();
    File::open(board)
        .and_then(|mut file| file.read_to_end(&mut text))
        .expect("readable");
    let temporary = folder.join(".floor.tmp");
    let mut file = File::create_new(&temporary).expect("creatable");
    file.write_all(&text).expect("writable");
    if sync {
        file.sync_all().expect("syncable");
    }
    std::fs::rename(&temporary, board).expect("renamable");
    if sync {
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .expect("syncable");
    }
}

fn compare(sync: &str, floor: &str, limit: f64, rounds: usize) {
    let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let (vault, repo) = (root.path().join("vault"), root.path().join("app"));
    std::fs::create_dir_all(&repo).expect("creatable");
    std::fs::create_dir_all(&vault).expect("creatable");
    let update = |repo: &Path, second: usize| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_boardsync"));
        command
            .env_clear()
            .env("HOME", root.path())
            .env("BOARDSYNC_SYNC", sync);
        command
            .arg("--vault")
            .arg(&vault)
            .args(["update", "--status", "in-progress"]);
        command.args([
            "--heartbeat",
            &format!("2026-11-30T07:{:02}:{:02}Z", second / 60, second % 60),
        ]);
        command
            .env("BOARDSYNC_NOW", "2026-11-30T08:00:00Z")
            .arg("--repo")
            .arg(repo);
        command
    };
    for row in 0..ROWS - 1 {
        run(&mut update(&root.path().join(format!("repo-{row}")), 0));
    }
    let board = vault.join("01-projects/_active-sessions.md");
    let floor_board = root.path().join("floor/board.md");
    std::fs::create_dir_all(root.path().join("floor")).expect("creatable");
    std::fs::copy(&board, &floor_board).expect("copied");
    let this = std::env::current_exe().expect("this program has a path");
    let (mut floors, mut updates) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let mut bare = Command::new(&this);
        bare.env_clear().arg(floor).arg(&floor_board);
        floors.push(run(&mut bare));
        updates.push(run(&mut update(&repo, round % 3_600)));
    }
    let (floor, update) = (median(floors), median(updates));
    let ratio = update.as_secs_f64() / floor.as_secs_f64();
    println!(
        "BOARDSYNC_SYNC={sync:<6} floor {floor:>10.1?}  update {update:>10.1?}  ratio {ratio:.2} (limit {limit})"
    );
}

fn run(command: &mut Command) -> Duration {
    command.stdout(Stdio::null());
    let started = Instant::now();
    let status = command.status().expect("it starts");
    let took = started.elapsed();
    assert!(status.success(), "{command:?}");
    took
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
