//! Two hosts that share a folder through a lying file system, and what they do.

use super::lie::{Liar, Lie};
use super::passthrough;
use crate::env::{Said, TestEnv, save, skipped};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const WRITERS: usize = 4;
const UPDATES: usize = 3;
const PROSE: &str = "A person saved this in between.";

/// One host: a mount of the folder, a name, a boot and a home of its own.
pub struct Host {
    _mount: fuser::BackgroundSession,
    env: TestEnv,
    name: &'static str,
    boot: PathBuf,
}

impl Host {
    fn mount(folder: &Path, name: &'static str, lie: Lie) -> std::io::Result<Self> {
        let env = TestEnv::new();
        let boot = env.path("boot-id");
        std::fs::write(&boot, format!("{name}\n")).unwrap();
        let mount = passthrough::mount(folder, &env.vault(), Liar::new(lie))?;
        Ok(Self {
            _mount: mount,
            env,
            name,
            boot,
        })
    }

    /// Prepares a command that runs under this host's name and boot.
    pub fn command(&self, args: &[&str]) -> Command {
        let script = "hostname \"$1\" && mount --bind \"$2\" /proc/sys/kernel/random/boot_id \
                      && shift 2 && exec \"$@\"";
        let mut command = self.env.command_of("unshare");
        command.args(["--uts", "--mount", "sh", "-c", script, "sh", self.name]);
        command.arg(&self.boot).arg(env!("CARGO_BIN_EXE_boardsync"));
        command.args(args);
        command
    }

    pub fn update(&self, writer: &str, session: &str) -> Command {
        let name = format!("{}-{writer}", self.name);
        let mut command = self.command(&["update", "--json", "--status", "in-progress"]);
        command.args(["--session", session, "--repo"]);
        command.arg(self.env.repo(&name));
        // Nine writers on a busy machine: what is tested is not how long they take.
        command.env("BOARDSYNC_TIMEOUT_MS", "60000");
        command
    }
}

/// What an update may say on such a file system.
#[derive(Clone, Copy)]
pub struct Allowed {
    /// Whether some updates go without the lock.
    pub unlocked: bool,
    /// Whether the board cannot be written.
    pub unwritten: bool,
}

pub struct Shared {
    pub hosts: [Host; 2],
    folder: TempDir,
    allowed: Allowed,
    lie: Lie,
}

impl Shared {
    /// Mounts the folder twice; `None` where that cannot be done.
    pub fn new(lie: Lie, allowed: Allowed) -> Option<Self> {
        if !rustix::process::geteuid().is_root() || !Path::new("/dev/fuse").exists() {
            skipped("only root mounts file systems, and not without /dev/fuse");
            return None;
        }
        let folder = TempDir::with_prefix("boardsync-shared-").unwrap();
        let host = |name| Host::mount(folder.path(), name, lie);
        let hosts = match (host("studio"), host("laptop")) {
            (Ok(one), Ok(other)) => [one, other],
            (Err(error), _) | (_, Err(error)) => panic!("cannot mount: {error}"),
        };
        Some(Self {
            hosts,
            folder,
            allowed,
            lie,
        })
    }

    fn board(&self) -> String {
        std::fs::read_to_string(self.path()).unwrap_or_default()
    }

    /// The board as its server sees it: an editor there is told no lies.
    fn path(&self) -> PathBuf {
        self.folder.path().join("01-projects/_active-sessions.md")
    }

    /// Asserts that what an update says of itself is so.
    pub fn assert_honest(&self, said: &Said) {
        let Self { allowed, lie, .. } = self;
        assert_eq!(said.code, Some(0), "{lie:?}: {said:?}");
        let json = said.json();
        let (action, lock) = (&json["action"], &json["lock"]);
        let is_locked = lock["locked"] == true;
        assert_eq!(
            *action == "written",
            !allowed.unwritten,
            "{lie:?}: {said:?}"
        );
        if *action != "written" {
            assert_eq!(*action, "skipped-write-failed", "{lie:?}: {said:?}");
        }
        assert!(is_locked || allowed.unlocked, "{lie:?}: {said:?}");
        if is_locked {
            assert_eq!(lock["release"], "released", "{lie:?}: {said:?}");
        }
        assert!(lock["staleOverride"].is_null(), "{lie:?}: {said:?}");
        let lines = usize::from(!is_locked || allowed.unwritten);
        assert_eq!(said.err.lines().count(), lines, "{lie:?}: {said:?}");
    }

    /// An update has read the board; an editor saves; eight more begin.
    pub fn all_write(&self) {
        let [one, other] = &self.hosts;
        let first = Said::from(one.update("first", "s0").output().unwrap());
        self.assert_honest(&first);
        let said: Vec<Said> = std::thread::scope(|scope| {
            let parked = (!self.allowed.unwritten).then(|| {
                let parked = one
                    .env
                    .park_along(&["board.stage.after"], one.update("first", "s1"));
                save(&self.path(), &format!("{}\n{PROSE}\n", self.board()));
                parked
            });
            let writers: Vec<_> = (0..WRITERS)
                .flat_map(|writer| [(one, writer), (other, writer)])
                .map(|(host, writer)| {
                    scope.spawn(move || {
                        let update = |at| {
                            let session = format!("s{at}");
                            host.update(&writer.to_string(), &session).output().unwrap()
                        };
                        (1..=UPDATES)
                            .map(|at| update(at).into())
                            .collect::<Vec<Said>>()
                    })
                })
                .collect();
            let said = parked.map(|parked| parked.go()).into_iter();
            let said = said.chain(writers.into_iter().flat_map(|it| it.join().unwrap()));
            said.collect()
        });
        for said in &said {
            self.assert_honest(said);
        }
        let unlocked = said.iter().filter(|it| it.json()["lock"]["locked"] != true);
        let waited = said
            .iter()
            .filter_map(|it| it.json()["lock"]["waitedMs"].as_u64());
        println!(
            "{:?}: {} updates, {} without the lock, {} ms waited",
            self.lie,
            said.len(),
            unlocked.count(),
            waited.max().unwrap_or_default()
        );
    }

    pub fn assert_nothing_is_lost(&self) {
        let (board, lie) = (self.board(), self.lie);
        for host in &self.hosts {
            for writer in 0..WRITERS {
                let row = format!("| {}-{writer} | in-progress | s{UPDATES} |", host.name);
                assert!(board.contains(&row), "{lie:?}: {row} is not in\n{board}");
            }
        }
        for kept in ["| studio-first | in-progress | s1 |", PROSE] {
            assert!(board.contains(kept), "{lie:?}: {kept} is not in\n{board}");
        }
    }

    pub fn assert_nothing_is_left(&self) {
        let mut left = Vec::new();
        for folder in [".orchestrator", "01-projects"] {
            let entries = std::fs::read_dir(self.folder.path().join(folder)).unwrap();
            left.extend(entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()));
        }
        let kept = ["board.gate.lock", "board.latch.lock", "_active-sessions.md"];
        left.retain(|name| !kept.contains(&&**name));
        assert!(left.is_empty(), "{:?}: left behind: {left:?}", self.lie);
    }

    /// Sections that were told that they are alone are alone.
    pub fn assert_exclusive(&self) {
        let alone = self.folder.path().join("alone");
        let section = "mkdir \"$0\" || exit 9; sleep 0.01; rmdir \"$0\"";
        let codes: Vec<Option<i32>> = std::thread::scope(|scope| {
            let runs: Vec<_> = (0..6)
                .map(|run| {
                    let args = ["exec", "--on-timeout", "fail", "--", "sh", "-c", section];
                    let mut command = self.hosts[run % 2].command(&args);
                    command.arg(&alone);
                    scope.spawn(move || command.output().unwrap().status.code())
                })
                .collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        let is_fine = |code: &Option<i32>| match code {
            Some(0) => true,
            Some(75) => self.allowed.unlocked,
            _ => false,
        };
        assert!(codes.iter().all(is_fine), "{:?}: {codes:?}", self.lie);
    }
}
