//! What runs on every session event, as a whole process, against the unavoidable.
//!
//! The floor of an update is a program that makes only the system calls no safe
//! writer can do without: open, read, create, write, fsync, rename, fsync of the
//! folder. That of a hook's heartbeat reads stdin and writes one small file. Both
//! sides run in turn, so that a noisy machine is noisy to both, and are compared
//! as a ratio of medians. `cargo bench --bench update [ROUNDS]`

mod timing;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use timing::{median, program, run};

const ROWS: usize = 50;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, board] = args.as_slice()
        && let Some(mode) = mode.strip_prefix("floor:")
    {
        return match mode {
            "hook" => hook_floor(Path::new(board)),
            sync => update_floor(Path::new(board), sync == "sync"),
        };
    }
    let rounds = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(300);
    println!("{rounds} rounds of a {ROWS}-row board, medians");
    for (sync, floor, limit) in [
        ("full", "floor:sync", "1.5"),
        ("board", "floor:sync", "1.3"),
        ("none", "floor:none", "none"),
    ] {
        let bench = Bench::new(sync);
        let repo = bench.root.path().join("app");
        let update = |round| bench.update(&repo, round);
        bench.compare(
            &format!("update, synced: {sync}"),
            floor,
            limit,
            rounds,
            update,
        );
    }
    let bench = Bench::new("full");
    bench.start_session();
    // The first one shows on the board that the session works.
    run(&mut bench.hook("PostToolUse"));
    let before = std::fs::read(bench.board()).expect("readable");
    bench.compare("hook, unchanged", "floor:hook", "1.3", rounds, |_| {
        bench.hook("PostToolUse")
    });
    let after = std::fs::read(bench.board()).expect("readable");
    assert!(before == after, "a heartbeat was written");
}

/// Makes the unavoidable system calls of an update, and nothing else.
fn update_floor(board: &Path, sync: bool) {
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

/// Reads stdin, writes one small file beside the board, and nothing else.
fn hook_floor(board: &Path) {
    let mut event = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut event)
        .expect("readable");
    let small = [b'x'; 600];
    std::fs::write(board.with_file_name("small.json"), small).expect("writable");
    std::hint::black_box(event);
}

/// Is a home with a vault, a full board, and a copy of it for the floor.
struct Bench {
    root: TempDir,
    sync: &'static str,
}

impl Bench {
    fn new(sync: &'static str) -> Self {
        // Where a vault would lie: a real disk, not a temporary file system.
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
        for folder in ["vault", "app/.git", "floor"] {
            std::fs::create_dir_all(root.path().join(folder)).expect("creatable");
        }
        let head = root.path().join("app/.git/HEAD");
        std::fs::write(head, "ref: refs/heads/main\n").expect("writable");
        let bench = Self { root, sync };
        for row in 1..ROWS {
            let repo = bench.root.path().join(format!("repo-{row}"));
            std::fs::create_dir(&repo).expect("creatable");
            run(&mut bench.update(&repo, 0));
        }
        std::fs::copy(bench.board(), bench.floor_board()).expect("copied");
        bench
    }

    fn board(&self) -> PathBuf {
        let board = "vault/01-projects/_active-sessions.md";
        self.root.path().join(board)
    }

    fn floor_board(&self) -> PathBuf {
        self.root.path().join("floor/board.md")
    }

    fn boardsync(&self) -> Command {
        let mut command = Command::new(program(env!("CARGO_BIN_EXE_boardsync")));
        command
            .env_clear()
            .env("HOME", self.root.path())
            .env("BOARDSYNC_VAULT", self.root.path().join("vault"))
            .env("BOARDSYNC_SYNC", self.sync)
            .env("BOARDSYNC_NOW", "2026-11-30T08:00:00Z");
        command
    }

    fn update(&self, repo: &Path, round: usize) -> Command {
        let second = round % 3_600;
        let beat = format!("2026-11-30T07:{:02}:{:02}Z", second / 60, second % 60);
        let mut command = self.boardsync();
        command
            .args(["update", "--status", "in-progress", "--heartbeat", &beat])
            .arg("--repo")
            .arg(repo);
        command
    }

    fn hook(&self, event: &str) -> Command {
        let cwd = self.root.path().join("app");
        let cwd = cwd.to_string_lossy();
        let event = format!(r#"{{"session_id":"s","cwd":"{cwd}","hook_event_name":"{event}"}}"#);
        let mut command = self.boardsync();
        command.arg("hook").stdin(holding(&event));
        command
    }

    fn start_session(&self) {
        run(&mut self.hook("SessionStart"));
    }

    fn compare(
        &self,
        what: &str,
        floor: &str,
        limit: &str,
        rounds: usize,
        ours: impl Fn(usize) -> Command,
    ) {
        let this = std::env::current_exe().expect("this program has a path");
        let (mut floors, mut times) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            let mut bare = Command::new(&this);
            bare.env_clear().arg(floor).arg(self.floor_board());
            bare.stdin(holding("{}"));
            floors.push(run(&mut bare));
            times.push(run(&mut ours(round)));
        }
        let (floor, time) = (median(floors), median(times));
        let ratio = time.as_secs_f64() / floor.as_secs_f64();
        println!(
            "{what:<21} floor {:>5} µs  boardsync {:>5} µs  ratio {ratio:.2} (limit {limit})",
            floor.as_micros(),
            time.as_micros()
        );
    }
}

/// Gives a stdin that holds `text` and then ends.
fn holding(text: &str) -> Stdio {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(text.as_bytes()).expect("writable");
    file.seek(SeekFrom::Start(0)).expect("seekable");
    file.into()
}
