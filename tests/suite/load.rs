//! Many writers at once, some killed, some stopped for a while, some without
//! the lock, and a person who edits: whatever was called written is there.
//!
//! `BOARDSYNC_LOAD_SEED` replays a run's choices, `BOARDSYNC_LOAD_PROCESSES`
//! and `BOARDSYNC_LOAD_UPDATES` set its size (`scripts/soak` sets all three).

use crate::env::{Said, TestEnv, board_of, time};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::{HashMap, HashSet};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Makes the choices of one writer, from the run's seed (xorshift).
struct Choices(u64);

impl Choices {
    fn of(seed: u64, writer: u64) -> Self {
        Self((seed ^ writer.wrapping_mul(0x9E37_79B9_7F4A_7C15)) | 1)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[derive(Debug, Default)]
struct Counts {
    written: usize,
    unlocked: usize,
    conflicts: u64,
    killed: usize,
    stopped: usize,
    edits: usize,
}

/// Runs one update, and gives what it said unless it was killed.
fn update(env: &TestEnv, name: &str, index: usize, choices: &mut Choices) -> (Option<Said>, bool) {
    let repo = env.repo(name);
    let mut command = env.command(&["update", "--json", "--status", "in-progress"]);
    command
        .args(["--heartbeat", &time(index), "--repo"])
        .arg(repo);
    if choices.below(2) == 0 {
        command.env("BOARDSYNC_SKIP_LOCK", "1");
    }
    let child = command.spawn().unwrap();
    let pid = Pid::from_child(&child);
    let delay = Duration::from_micros(choices.below(30_000));
    let trouble = choices.below(20);
    if trouble < 2 {
        std::thread::sleep(delay);
    }
    match trouble {
        0 => drop(kill_process(pid, Signal::KILL)),
        1 => {
            // It may be over already; then nobody is stopped.
            let _ = kill_process(pid, Signal::STOP);
            std::thread::sleep(Duration::from_millis(choices.below(400)));
            let _ = kill_process(pid, Signal::CONT);
        }
        _ => {}
    }
    let said = Said::from(child.wait_with_output().unwrap());
    (said.code.is_some().then_some(said), trouble == 1)
}

/// Gives the heartbeat of each repository's row.
fn heartbeats(board: &str) -> HashMap<String, String> {
    let cells = |line: &str| -> Vec<String> { line.split(" | ").map(str::to_owned).collect() };
    let rows = board.lines().filter(|line| line.starts_with("| repo-"));
    rows.map(cells)
        .map(|row| (row[0].trim_start_matches("| ").to_owned(), row[5].clone()))
        .collect()
}

/// Adds a line as a person does in an editor; true if that certainly reached
/// the board. What the save wrote over, and the editor had not shown, is the
/// person's doing: it is entered in `overwritten`.
fn edit(board: &Path, line: &str, in_place: bool, overwritten: &Mutex<HashSet<String>>) -> bool {
    let Ok(mut file) = std::fs::File::options().read(true).write(true).open(board) else {
        return false;
    };
    let mut shown = String::new();
    if file.read_to_string(&mut shown).is_err() || !shown.contains("| Repo |") {
        return false;
    }
    let text = format!("{shown}{line}\n");
    if in_place {
        file.set_len(0).unwrap();
        file.rewind().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        // Another file has the name by now: nobody can say who saw this one.
        let named = std::fs::metadata(board).unwrap();
        return named.ino() == file.metadata().unwrap().ino();
    }
    let new = board.with_extension("saving");
    std::fs::write(&new, text).unwrap();
    let flags = rustix::fs::RenameFlags::EXCHANGE;
    let cwd = rustix::fs::CWD;
    rustix::fs::renameat_with(cwd, &new, cwd, board, flags).unwrap();
    let before = std::fs::read_to_string(&new).unwrap();
    let unseen = before
        .lines()
        .filter(|line| !shown.lines().any(|it| it == *line));
    overwritten
        .lock()
        .unwrap()
        .extend(unseen.map(str::to_owned));
    true
}

#[test]
fn whatever_was_called_written_is_there_in_the_end() {
    let processes = setting("BOARDSYNC_LOAD_PROCESSES", 64);
    let updates = setting("BOARDSYNC_LOAD_UPDATES", 20) as usize;
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let seed = setting("BOARDSYNC_LOAD_SEED", now.as_nanos() as u64);
    println!("BOARDSYNC_LOAD_SEED={seed}");
    let env = TestEnv::new();
    env.write_board(&board_of("\nEdits:\n"));
    let counts = Mutex::new(Counts::default());
    let last_written = Mutex::new(HashMap::new());
    let overwritten = Mutex::new(HashSet::new());
    let edits = Mutex::new(Vec::new());
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..processes)
            .map(|writer| {
                let (env, counts, last_written) = (&env, &counts, &last_written);
                scope.spawn(move || {
                    let name = format!("repo-{writer:02}");
                    let mut choices = Choices::of(seed, writer + 1);
                    for index in 0..updates {
                        let (said, stopped) = update(env, &name, index, &mut choices);
                        let mut counts = counts.lock().unwrap();
                        counts.stopped += usize::from(stopped);
                        let Some(said) = said else {
                            counts.killed += 1;
                            continue;
                        };
                        assert_eq!(said.code, Some(0), "{said:?}");
                        let json = said.json();
                        assert_eq!(json["action"], "written", "{json}");
                        counts.written += 1;
                        counts.conflicts += json["lock"]["conflicts"].as_u64().unwrap();
                        counts.unlocked += usize::from(json["lock"]["reason"] == "timeout");
                        last_written
                            .lock()
                            .unwrap()
                            .insert(name.clone(), time(index));
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            let mut choices = Choices::of(seed, 0);
            for number in 0.. {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(20 + choices.below(80)));
                let line = format!("Edit {number}.");
                if edit(&env.board(), &line, choices.below(2) == 0, &overwritten) {
                    edits.lock().unwrap().push(line);
                }
            }
        });
        let ended: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        over.store(true, Ordering::Relaxed);
        assert!(
            ended.iter().all(Result::is_ok),
            "a writer failed; seed {seed}"
        );
    });
    // One more, in peace, finds what the killed left.
    let (said, _) = update(&env, "repo-last", 0, &mut Choices(1 << 40));
    assert_eq!(said.unwrap().json()["action"], "written");
    let board = env.read_board();
    let shown = heartbeats(&board);
    let overwritten = overwritten.into_inner().unwrap();
    let last_written = last_written.into_inner().unwrap();
    let lost: Vec<_> = last_written
        .iter()
        .filter(|(repo, beat)| shown.get(*repo) < Some(beat))
        .filter(|(repo, beat)| {
            let is_it = |line: &String| heartbeats(line).get(*repo) == Some(*beat);
            !overwritten.iter().any(is_it)
        })
        .collect();
    let edits = edits.into_inner().unwrap();
    let undone: Vec<_> = edits
        .iter()
        .filter(|line| !board.lines().any(|it| it == line.as_str()))
        .filter(|line| !overwritten.contains(*line))
        .collect();
    let mut counts = counts.into_inner().unwrap();
    counts.edits = edits.len();
    println!(
        "{counts:?}, {} overwritten by the person",
        overwritten.len()
    );
    assert!(lost.is_empty(), "seed {seed}: lost {lost:?}");
    assert!(
        undone.is_empty(),
        "seed {seed}: undone {undone:?} in\n{board}"
    );
    std::fs::remove_file(env.board().with_extension("saving")).ok();
    env.assert_no_litter();
}
