//! The situations that an update can find, and how one of them runs in each.

use super::{Said, TestEnv, board_of, host_name, make_older, time, wait_until};
use boardsync::internals::disk::failpoint;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub const SEED: &str = "| seed | closed | s0 | — | — | 2026-11-30T06:00:00.000Z | 00000000 |\n";
pub const PLANTED: &str =
    "| planted | closed | s9 | — | — | 2026-11-30T06:30:00.000Z | 99999999 |\n";
pub const PROSE: &str = "\nA person wrote this below the table.\n";
pub const NOTE: &str = "# My own note\n\nNothing generated.\n";

/// One situation in which an update may die.
pub struct Situation {
    pub name: &'static str,
    /// Makes what the update finds.
    pub prepare: fn(&TestEnv),
    /// What an outsider does just before the exchange.
    pub interfere: Option<fn(&TestEnv)>,
    /// Further fail points, and what happens there.
    pub points: &'static [(&'static str, &'static str)],
    pub variables: &'static [(&'static str, &'static str)],
    /// How the reason begins for which it takes a lock over; empty if it does not.
    pub stale_override: &'static str,
    /// What the board must hold in the end.
    pub keeps: &'static [&'static str],
    /// Whether the board ends as a person's note.
    pub note: bool,
    /// Whether the fail points are facts of the place, for the next update too.
    pub lasting: bool,
    /// How long the next update may take: less than it would wait for a lock.
    pub within: Duration,
}

pub const PLAIN: Situation = Situation {
    name: "a board with prose",
    prepare: seed,
    interfere: None,
    points: &[],
    variables: &[],
    stale_override: "",
    keeps: &[SEED, PROSE],
    note: false,
    lasting: false,
    within: Duration::from_secs(4),
};

pub const SITUATIONS: &[Situation] = &[
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
        name: "a conflict copy beside the board",
        prepare: |env| {
            seed(env);
            let copy = env.board().with_file_name("_active-sessions (1).md");
            std::fs::write(copy, board_of(PLANTED)).unwrap();
        },
        keeps: &[SEED, PROSE, PLANTED],
        ..PLAIN
    },
    Situation {
        name: "a conflict copy whose rows the board has had since an earlier update",
        prepare: |env| {
            seed(env);
            let copy = env.board().with_file_name("_active-sessions (1).md");
            std::fs::write(&copy, board_of(PLANTED)).unwrap();
            let said: Said = PLAIN.run(env, "earlier", &[]).into();
            assert!(said.code == Some(0) && copy.exists(), "{said:?}");
        },
        keeps: &[SEED, PROSE, PLANTED],
        ..PLAIN
    },
    Situation {
        name: "a stale lock",
        stale_override: "mtime age 600",
        prepare: |env| {
            seed(env);
            let record = format!(r#"{{"pid": 1, "host": "{}"}}"#, host_name());
            env.plant_lock(&record, Duration::from_secs(600));
        },
        ..PLAIN
    },
    Situation {
        name: "a legacy lock of a dead process",
        stale_override: "dead holder pid 2147483647",
        prepare: legacy,
        ..PLAIN
    },
    Situation {
        name: "a legacy lock where nothing can be swapped",
        stale_override: "dead holder pid 2147483647",
        prepare: legacy,
        points: &[("lock.swap-folder.before", "1*return(95)")],
        ..PLAIN
    },
    Situation {
        name: "a legacy lock without an owner",
        stale_override: "unparseable record",
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
            ("lock.publish.before", "1*return(1)"),
            ("guard.publish.before", "1*return(1)"),
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
        name: "a board that is mounted by itself",
        points: &[
            ("board.exchange.before", "return(16)"),
            ("board.replace.before", "return(16)"),
        ],
        lasting: true,
        ..PLAIN
    },
    Situation {
        name: "the first board, on another file system than the lock",
        prepare: |_| {},
        points: &[
            ("board.publish.before", "2*return(18)"),
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
        stale_override: "dead holder pid ",
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
        stale_override: "dead holder pid ",
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
        stale_override: "dead holder pid ",
        prepare: |env| {
            seed(env);
            die(env, "board.write.before", |_| {});
        },
        ..PLAIN
    },
    Situation {
        name: "a whole new board is left",
        stale_override: "dead holder pid ",
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

/// Gives the arguments of an update of `repo`.
pub fn update<'a>(repo: &'a str, heartbeat: &'a str) -> [&'a str; 8] {
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
    use std::os::unix::process::ExitStatusExt;
    let situation = Situation {
        interfere: Some(interfere),
        ..PLAIN
    };
    let output = situation.run(env, "earlier", &[(point, "return(kill)")]);
    assert_eq!(output.status.signal(), Some(9), "it died at {point}");
}

/// Lists both sides of every step of an update.
pub fn all_points() -> Vec<String> {
    let sides = |step: &&str| ["before", "after"].map(|side| format!("{step}.{side}"));
    failpoint::OF_AN_UPDATE.iter().flat_map(sides).collect()
}

impl Situation {
    /// Runs an update of the repository `name` in this situation, and what
    /// `extra` says at further fail points, once this situation's have passed.
    pub fn run(&self, env: &TestEnv, name: &str, extra: &[(&str, &str)]) -> Output {
        let repo = env.repo(name);
        let park = env.path(&format!("park-{name}"));
        let mut points: Vec<(&str, String)> = Vec::new();
        if self.interfere.is_some() {
            let action = format!("1*return(park:{})", park.display());
            points.push(("board.exchange.before", action));
        }
        points.extend(self.points.iter().map(|(at, act)| (*at, (*act).to_owned())));
        for (at, act) in extra {
            match points.iter_mut().find(|(point, _)| point == at) {
                Some((_, action)) => action.push_str(&format!("->{act}")),
                None => points.push((at, (*act).to_owned())),
            }
        }
        let points = points.iter().map(|(at, act)| (*at, &**act));
        let mut child = env
            .command(&update(repo.to_str().unwrap(), &time(1_000)))
            .envs(self.variables.iter().copied())
            .env("FAILPOINTS", compose(points))
            .spawn()
            .unwrap();
        if let Some(interfere) = self.interfere {
            let reached = park.with_extension("reached");
            wait_until("it is parked or over", || {
                reached.exists() || child.try_wait().unwrap().is_some()
            });
            interfere(env);
            std::fs::write(park.with_extension("go"), "").unwrap();
        }
        child.wait_with_output().unwrap()
    }

    /// Runs an update that nothing disturbs, and asserts what it says of itself.
    pub fn undisturbed(&self) {
        let env = TestEnv::new();
        (self.prepare)(&env);
        let said: Said = self.run(&env, "victim", &[]).into();
        let json = said.json();
        let lock = &json["lock"];
        let stale = lock["staleOverride"].as_str().unwrap_or_default();
        let name = self.name;
        let action = if self.note {
            "skipped-handwritten"
        } else {
            "written"
        };
        let is_skipped = self
            .variables
            .iter()
            .any(|(name, _)| *name == "BOARDSYNC_SKIP_LOCK");
        let is_as_expected = json["action"] == action
            && lock["locked"] == !is_skipped
            && stale.starts_with(self.stale_override)
            && stale.is_empty() == self.stale_override.is_empty();
        assert!(is_as_expected, "{name}: {said:?}");
        assert_eq!((said.code, &*said.err), (Some(0), ""), "{name}: {said:?}");
        self.next_update(&env, !self.note, name);
    }

    /// Lists the points that an update gets to in this situation.
    pub fn reached(&self) -> Vec<String> {
        let env = TestEnv::new();
        (self.prepare)(&env);
        let mut points = all_points();
        // A point at which it need not wait says only that it was there.
        let marks: Vec<String> = points
            .iter()
            .map(|point| {
                let mark = env.path(&format!("mark-{point}"));
                std::fs::write(format!("{}.go", mark.display()), "").unwrap();
                format!("return(park:{})", mark.display())
            })
            .collect();
        let extra: Vec<(&str, &str)> = points
            .iter()
            .zip(&marks)
            .map(|(point, mark)| (&**point, &**mark))
            .collect();
        let said: Said = self.run(&env, "victim", &extra).into();
        assert_eq!(said.code, Some(0), "{}: {said:?}", self.name);
        points.retain(|point| env.path(&format!("mark-{point}.reached")).exists());
        points
    }

    /// Runs an update of another repository, and asserts that it finds nothing
    /// amiss and leaves nothing behind. `was_written` are rows that the board had.
    pub fn next_update(&self, env: &TestEnv, was_written: bool, what: &str) {
        let repo = env.repo("next");
        let mut command = env.command(&update(repo.to_str().unwrap(), &time(1_001)));
        if self.lasting {
            command.env("FAILPOINTS", compose(self.points.iter().copied()));
        }
        let started = Instant::now();
        let said: Said = command.output().unwrap().into();
        let took = started.elapsed();
        assert_eq!((said.code, &*said.err), (Some(0), ""), "{what}: {said:?}");
        assert!(took < self.within, "{what}: took {took:?}");
        let json = said.json();
        assert_eq!(json["lock"]["locked"], true, "{what}: {json}");
        assert_eq!(json["lock"]["release"], "released", "{what}: {json}");
        let board = env.read_board();
        for kept in self.keeps {
            assert!(board.contains(kept), "{what}: {kept:?} is not in\n{board}");
        }
        if self.note {
            assert_eq!(json["action"], "skipped-handwritten", "{what}");
            assert_eq!(board, NOTE, "{what}");
        } else {
            assert_eq!(json["action"], "written", "{what}");
            assert!(board.contains("| next |"), "{what}:\n{board}");
            let kept = !was_written || has_victim(env);
            assert!(kept, "{what}: the victim's row was lost:\n{board}");
            assert_is_a_board(&board, what);
        }
        if env.litter().iter().any(|name| name.ends_with("(1).md")) {
            // The update that joins a copy leaves it for a later one to put away,
            // once that has seen its rows in the board.
            let repo = env.repo("later");
            let mut later = env.command(&update(repo.to_str().unwrap(), &time(1_002)));
            Said::from(later.output().unwrap()).quietly();
        }
        let litter = env.litter();
        assert!(litter.is_empty(), "{what}: left behind: {litter:?}");
    }
}

fn compose<'a>(points: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let points = points.map(|(point, action)| format!("{point}={action}"));
    points.collect::<Vec<_>>().join(";")
}

/// Returns whether the board has the row of the update that was troubled.
pub fn has_victim(env: &TestEnv) -> bool {
    std::fs::read_to_string(env.board()).is_ok_and(|board| board.contains("| victim |"))
}

/// Does all `jobs`, four at a time, and asserts that none panicked.
pub fn all_hold<T: Sync + std::fmt::Debug>(jobs: &[T], holds: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let held = std::panic::AssertUnwindSafe(|| holds(job));
                    if std::panic::catch_unwind(held).is_err() {
                        faults.lock().unwrap().push(job);
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{} faults: {faults:#?}", faults.len());
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

/// A vault with the board of one row and a person's text below it.
pub fn seeded() -> TestEnv {
    let env = TestEnv::new();
    env.write_board(&board_of(&format!("{SEED}{PROSE}")));
    env
}

/// That board as another program writes it, with a row more.
pub fn planted() -> String {
    board_of(&format!("{SEED}{PLANTED}{PROSE}"))
}

/// Prepares an update whose steps fail at these points.
pub fn failing(env: &TestEnv, points: &str) -> Command {
    let mut command = env.update_command("app");
    command.env("FAILPOINTS", points);
    command
}
