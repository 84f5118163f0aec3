//! A process dies at each named step, before it and after it, in each
//! situation; the next update of another repository finds nothing amiss.
#![cfg(feature = "failpoints")]

mod env;

use boardsync::disk::step;
use env::{Said, TestEnv, board_of, host_name, make_older, time, wait_until};
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const SEED: &str = "| seed | closed | s0 | — | — | 2026-11-30T06:00:00.000Z | 00000000 |\n";
const PLANTED: &str = "| planted | closed | s9 | — | — | 2026-11-30T06:30:00.000Z | 99999999 |\n";
const PROSE: &str = "\nA person wrote this below the table.\n";
const NOTE: &str = "# My own note\n\nNothing generated.\n";

/// Is one situation in which an update may die.
struct Situation {
    name: &'static str,
    /// Makes what the update finds.
    prepare: fn(&TestEnv),
    /// What an outsider does just before the exchange.
    interfere: Option<fn(&TestEnv)>,
    /// Further fail points, and what happens there.
    points: &'static [(&'static str, &'static str)],
    variables: &'static [(&'static str, &'static str)],
    /// What the board must hold in the end.
    keeps: &'static [&'static str],
    /// Whether the board ends as a person's note.
    note: bool,
    /// Whether the fail points are facts of the place, for the next update too.
    lasting: bool,
    /// How long the next update may take.
    within: Duration,
}

const PLAIN: Situation = Situation {
    name: "a board with prose",
    prepare: seed,
    interfere: None,
    points: &[],
    variables: &[],
    keeps: &[SEED, PROSE],
    note: false,
    lasting: false,
    within: Duration::from_secs(1),
};

const SITUATIONS: &[Situation] = &[
    PLAIN,
    Situation {
        name: "the first board of a vault",
        prepare: |_| {},
        keeps: &[],
        ..PLAIN
    },
    Situation {
        name: "a board that only its owner reads",
        prepare: |env| {
            use std::os::unix::fs::PermissionsExt;
            seed(env);
            // A new file is never created with this mode: the umask cuts it.
            let mode = std::fs::Permissions::from_mode(0o666);
            std::fs::set_permissions(env.board(), mode).unwrap();
        },
        ..PLAIN
    },
    Situation {
        name: "a stale lock",
        prepare: |env| {
            seed(env);
            let record = format!(r#"{{"pid": 1, "host": "{}"}}"#, host_name());
            env.plant_lock(&record, Duration::from_secs(600));
        },
        ..PLAIN
    },
    Situation {
        name: "a legacy lock of a dead process",
        prepare: legacy,
        ..PLAIN
    },
    Situation {
        name: "a legacy lock where nothing can be swapped",
        prepare: legacy,
        points: &[("lock.swap-folder.before", "1*return(95)")],
        ..PLAIN
    },
    Situation {
        name: "a legacy lock without an owner",
        prepare: |env| {
            seed(env);
            std::fs::create_dir_all(env.lock()).unwrap();
            make_folder_older(&env.lock(), Duration::from_secs(60));
        },
        ..PLAIN
    },
    Situation {
        name: "no hard links",
        prepare: |_| {},
        points: &[
            ("lock.publish.before", "1*return(1)"),
            ("guard.publish.before", "1*return(1)"),
            ("board.publish.before", "1*return(1)"),
        ],
        keeps: &[],
        ..PLAIN
    },
    Situation {
        name: "neither hard links nor renames that refuse to replace",
        prepare: |_| {},
        points: &[
            ("lock.publish.before", "2*return(1)"),
            ("guard.publish.before", "2*return(1)"),
            ("board.publish.before", "3*return(1)"),
        ],
        // Half a record is given the grace of 2 s.
        within: Duration::from_secs(4),
        keeps: &[],
        ..PLAIN
    },
    Situation {
        name: "nothing can be exchanged",
        points: &[("board.exchange.before", "1*return(95)")],
        ..PLAIN
    },
    Situation {
        name: "the first board, on another file system than the lock",
        prepare: |_| {},
        points: &[
            ("board.publish.before", "1*return(18)"),
            ("board.exchange.before", "1*return(18)"),
        ],
        keeps: &[],
        lasting: true,
        ..PLAIN
    },
    Situation {
        name: "a board on another file system than the lock",
        points: &[("board.exchange.before", "1*return(18)")],
        lasting: true,
        ..PLAIN
    },
    Situation {
        name: "an outsider writes a row and prose",
        interfere: Some(|env| env.write_board(&board_of(&format!("{SEED}{PLANTED}{PROSE}")))),
        keeps: &[SEED, PLANTED, PROSE],
        ..PLAIN
    },
    Situation {
        name: "a person puts a note there",
        interfere: Some(|env| env.write_board(NOTE)),
        keeps: &[NOTE],
        note: true,
        ..PLAIN
    },
    Situation {
        name: "a displaced board is left",
        prepare: |env| {
            seed(env);
            die(env, "board.exchange.after", |env| {
                env.write_board(&board_of(&format!("{SEED}{PLANTED}{PROSE}")));
            });
            assert!(!env.read_board().contains("planted"), "it is left over");
        },
        keeps: &[SEED, PLANTED, PROSE],
        ..PLAIN
    },
    Situation {
        name: "a displaced note is left",
        prepare: |env| {
            seed(env);
            die(env, "board.swap-back.before", |env| env.write_board(NOTE));
            assert_ne!(env.read_board(), NOTE, "it is left over");
        },
        keeps: &[NOTE],
        note: true,
        ..PLAIN
    },
    Situation {
        name: "half a new board is left",
        prepare: |env| {
            seed(env);
            die(env, "board.write.before", |_| {});
        },
        ..PLAIN
    },
    Situation {
        name: "a whole new board is left",
        prepare: |env| {
            seed(env);
            die(env, "board.stage.after", |_| {});
        },
        ..PLAIN
    },
    Situation {
        name: "the guard of a dead process is left",
        prepare: |env| {
            seed(env);
            let pid = i32::MAX;
            let record = format!(r#"{{"pid": {pid}, "host": "{}"}}"#, host_name());
            let guard = env.orchestrator().join("board.lock.acquire");
            std::fs::create_dir_all(env.orchestrator()).unwrap();
            std::fs::write(&guard, record).unwrap();
            make_older(&guard, Duration::from_secs(3));
        },
        ..PLAIN
    },
    Situation {
        name: "a slow holder",
        points: &[("latch.open.before", "1*sleep(120)")],
        variables: &[("BOARDSYNC_STALE_MS", "100")],
        ..PLAIN
    },
    Situation {
        name: "the lock is skipped",
        variables: &[("BOARDSYNC_SKIP_LOCK", "1")],
        ..PLAIN
    },
];

fn seed(env: &TestEnv) {
    env.write_board(&board_of(&format!("{SEED}{PROSE}")));
}

fn legacy(env: &TestEnv) {
    seed(env);
    std::fs::create_dir_all(env.lock()).unwrap();
    let owner = format!(r#"{{"pid": {}}}"#, i32::MAX);
    std::fs::write(env.lock().join("owner.json"), owner).unwrap();
}

fn make_folder_older(path: &Path, age: Duration) {
    let folder = std::fs::File::open(path).unwrap();
    folder
        .set_modified(std::time::SystemTime::now() - age)
        .unwrap();
}

fn update<'a>(repo: &'a str, heartbeat: &'a str) -> [&'a str; 8] {
    [
        "update",
        "--json",
        "--status",
        "in-progress",
        "--heartbeat",
        heartbeat,
        "--repo",
        repo,
    ]
}

/// Lets an update die at `point`, after `interfere` acted before its exchange.
fn die(env: &TestEnv, point: &str, interfere: fn(&TestEnv)) {
    let situation = Situation {
        interfere: Some(interfere),
        ..PLAIN
    };
    let status = run_victim(env, "earlier", &situation, point);
    assert_eq!(status.signal(), Some(9), "it died at {point}");
}

/// Composes the variable of all fail points, one that is to kill included.
fn fail_points(situation: &Situation, kill: &str, park: &str) -> String {
    let mut points: Vec<(&str, String)> = Vec::new();
    if situation.interfere.is_some() {
        points.push(("board.exchange.before", format!("1*return(park:{park})")));
    }
    for (point, action) in situation.points {
        points.push((point, (*action).to_owned()));
    }
    match points.iter_mut().find(|(point, _)| *point == kill) {
        Some((_, action)) => action.push_str("->return(kill)"),
        None => points.push((kill, "return(kill)".to_owned())),
    }
    compose(points.iter().map(|(point, action)| (*point, &**action)))
}

fn compose<'a>(points: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let points = points.map(|(point, action)| format!("{point}={action}"));
    points.collect::<Vec<_>>().join(";")
}

/// Runs an update that dies at `kill`, if it gets there.
fn run_victim(env: &TestEnv, name: &str, situation: &Situation, kill: &str) -> ExitStatus {
    let repo = env.repo(name);
    let park = env.path(&format!("park-{name}"));
    let mut child = env
        .command(&update(repo.to_str().unwrap(), &time(1_000)))
        .envs(situation.variables.iter().copied())
        .env(
            "FAILPOINTS",
            fail_points(situation, kill, park.to_str().unwrap()),
        )
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    if let Some(interfere) = situation.interfere {
        let reached = park.with_extension("reached");
        wait_until("it is parked or dead", || {
            reached.exists() || child.try_wait().unwrap().is_some()
        });
        interfere(env);
        std::fs::write(park.with_extension("go"), "").unwrap();
    }
    child.wait().unwrap()
}

/// Kills an update at `point` and looks at what the next one makes of it.
///
/// False if this situation does not lead there.
fn try_point(situation: &Situation, point: &str) -> bool {
    let env = TestEnv::new();
    (situation.prepare)(&env);
    let status = run_victim(&env, "victim", situation, point);
    let what = format!("{}, killed at {point}", situation.name);
    if status.signal() != Some(9) {
        assert_eq!(status.code(), Some(0), "{what}: it ended otherwise");
    }
    let was_written =
        std::fs::read_to_string(env.board()).is_ok_and(|board| board.contains("| victim |"));
    let (said, took) = next_update(&env, situation);
    assert_eq!((said.code, &*said.err), (Some(0), ""), "{what}: {said:?}");
    assert!(took < situation.within, "{what}: took {took:?}");
    let json = said.json();
    assert_eq!(json["lock"]["locked"], true, "{what}: {json}");
    assert_eq!(json["lock"]["release"], "released", "{what}: {json}");
    let board = env.read_board();
    for kept in situation.keeps {
        // Dying before an outsider has come, nothing of his is there to keep.
        assert!(board.contains(kept), "{what}: {kept:?} is not in\n{board}");
    }
    if situation.note {
        assert_eq!(json["action"], "skipped-handwritten", "{what}");
        assert_eq!(board, NOTE, "{what}");
    } else {
        assert_eq!(json["action"], "written", "{what}");
        assert!(board.contains("| next |"), "{what}:\n{board}");
        let kept = !was_written || board.contains("| victim |");
        assert!(kept, "{what}: the victim's row was lost:\n{board}");
        assert_is_a_board(&board, &what);
    }
    let litter = env.litter();
    assert!(litter.is_empty(), "{what}: left behind: {litter:?}");
    status.signal() == Some(9)
}

fn next_update(env: &TestEnv, situation: &Situation) -> (Said, Duration) {
    let repo = env.repo("next");
    let mut command = env.command(&update(repo.to_str().unwrap(), &time(1_001)));
    if situation.lasting {
        command.env("FAILPOINTS", compose(situation.points.iter().copied()));
    }
    let started = Instant::now();
    let said = command.output().unwrap().into();
    (said, started.elapsed())
}

/// Asserts that it is one table of well-formed rows under one header.
fn assert_is_a_board(board: &str, what: &str) {
    assert!(board.starts_with("---\n_generator: "), "{what}:\n{board}");
    assert_eq!(
        board.matches("# Active Sessions").count(),
        1,
        "{what}:\n{board}"
    );
    assert_eq!(
        board.matches("| Repo | Status |").count(),
        1,
        "{what}:\n{board}"
    );
    for row in board.lines().filter(|line| line.starts_with("| ")) {
        assert_eq!(row.matches(" | ").count(), 6, "{what}: {row}");
    }
}

#[test]
fn whoever_dies_at_any_step_leaves_nothing_that_matters() {
    let points: Vec<String> = step::ALL
        .iter()
        .flat_map(|step| ["before", "after"].map(|when| format!("{step}.{when}")))
        .collect();
    let jobs: Vec<_> = SITUATIONS
        .iter()
        .flat_map(|situation| points.iter().map(move |point| (situation, point)))
        .collect();
    let reached = Mutex::new(BTreeSet::new());
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((situation, point)) = jobs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    match std::panic::catch_unwind(|| try_point(situation, point)) {
                        Ok(true) => drop(reached.lock().unwrap().insert((*point).clone())),
                        Ok(false) => {}
                        Err(_) => faults
                            .lock()
                            .unwrap()
                            .push((situation.name, (*point).clone())),
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{} faults: {faults:#?}", faults.len());
    let wanted: BTreeSet<String> = points.into_iter().collect();
    let reached = reached.into_inner().unwrap();
    let missed: Vec<_> = wanted.difference(&reached).collect();
    assert!(missed.is_empty(), "no situation leads to {missed:?}");
}
