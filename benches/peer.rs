//! boardsync against the Node writer, and against itself: whole processes.
//!
//! What is compared runs in turn, so that a noisy machine is noisy to all, and
//! is given as a ratio of medians. The Node writer is installed by
//! `scripts/install-peer`; without it that comparison is left out, by name.
//! `cargo bench --bench peer [ROUNDS]`

mod timing;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;
use timing::{median, program, run};

const ROWS: usize = 50;
const REPOS: usize = 1_000;
const BUSY: usize = 50;
const NOW: &str = "2026-11-30T08:00:00Z";

fn main() {
    let rounds = std::env::args()
        .skip(1)
        .find_map(|arg| arg.parse().ok())
        .unwrap_or(50);
    println!("{rounds} rounds of a {ROWS}-row board, medians");
    derived_and_explicit(&Bench::new(), rounds);
    match peer() {
        Some(peer) => node_and_boardsync(&Bench::new(), &peer, rounds),
        None => println!("skipped: node (run scripts/install-peer)"),
    }
    sweep(&Bench::new(), rounds);
}

/// Finds the installed package.
fn peer() -> Option<PathBuf> {
    let peer = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()?
        .join("peer");
    let is_there = peer.join("installed").exists();
    is_there.then(|| peer.join("node_modules/session-orchestrator"))
}

/// Is a home with a vault, a full board and one repository.
struct Bench {
    root: TempDir,
}

impl Bench {
    fn new() -> Self {
        // Where a vault would lie: a real disk, not a temporary file system.
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
        let bench = Self { root };
        std::fs::create_dir_all(bench.home().join("vault")).expect("creatable");
        let config = "vault-integration:\n  enabled: true\n  vault-dir: ~/vault\n";
        make_repo(&bench.repo());
        std::fs::write(bench.repo().join("CLAUDE.md"), config).expect("writable");
        let mut fill = bench.boardsync(&["update", "--status", "in-progress", "--repo"]);
        fill.args((1..ROWS).map(|row| format!("other-{row}")));
        run(&mut fill);
        bench
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    fn repo(&self) -> PathBuf {
        self.home().join("app")
    }

    fn isolated(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.root.path());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
            .env("HOME", self.home())
            .env("SO_VAULT_DIR", self.home().join("vault"))
            .env("BOARDSYNC_NOW", NOW);
        command
    }

    fn boardsync(&self, args: &[&str]) -> Command {
        let mut command = self.isolated(program(env!("CARGO_BIN_EXE_boardsync")));
        command.args(args);
        command
    }

    /// Gives the update whose row comes from the session lock and the registry.
    fn derived(&self) -> Command {
        let mut command = self.boardsync(&["update", "--repo"]);
        command.arg(self.repo());
        command
    }

    /// Gives the update whose row is named in full.
    fn explicit(&self, round: usize) -> Command {
        let mut command = self.boardsync(&["update", "--status", "in-progress", "--mode", "deep"]);
        command.args(["--session", "s", "--heartbeat", &heartbeat(round)]);
        command.arg("--repo").arg(self.repo());
        command
    }

    fn node(&self, peer: &Path) -> Command {
        let mut command = self.isolated("node");
        let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop/peer.mjs");
        let job = serde_json::json!({"repo": self.repo(), "now": NOW});
        command.arg(runner).arg(peer).arg("update");
        command.arg(job.to_string());
        command
    }
}

fn make_repo(repo: &Path) {
    std::fs::create_dir_all(repo.join(".git")).expect("creatable");
    std::fs::write(repo.join(".git/HEAD"), "ref: refs/heads/main\n").expect("writable");
}

/// Gives a time that no neighbouring round has, so that each writes.
fn heartbeat(round: usize) -> String {
    let second = round % 3_000;
    format!("2026-11-30T07:{:02}:{:02}Z", second / 60, second % 60)
}

fn write_lease(repo: &Path, round: usize) {
    let folder = repo.join(".orchestrator");
    std::fs::create_dir_all(&folder).expect("creatable");
    let lease = serde_json::json!({
        "session_id": "s", "started_at": heartbeat(round), "last_heartbeat": heartbeat(round),
        "mode": "deep", "pid": 1, "host": "studio", "ttl_hours": 4,
    });
    std::fs::write(folder.join("session.lock"), lease.to_string()).expect("writable");
}

fn derived_and_explicit(bench: &Bench, rounds: usize) {
    let (mut derived, mut explicit) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        write_lease(&bench.repo(), 2 * round);
        derived.push(run(&mut bench.derived()));
        explicit.push(run(&mut bench.explicit(2 * round + 1)));
    }
    let (derived, explicit) = (median(derived), median(explicit));
    println!(
        "derived  {derived:>9.1?}  explicit  {explicit:>9.1?}  ratio {:.2} (limit 1.5)",
        derived.as_secs_f64() / explicit.as_secs_f64()
    );
}

/// The Node writer syncs nothing to the disk, so `none` is like for like, and
/// `full` is what a user has.
fn node_and_boardsync(bench: &Bench, peer: &Path, rounds: usize) {
    const SYNCS: [&str; 2] = ["full", "none"];
    let (mut node, mut ours) = (Vec::new(), SYNCS.map(|_| Vec::new()));
    for round in 0..rounds {
        write_lease(&bench.repo(), 3 * round);
        node.push(run(&mut bench.node(peer)));
        for (at, sync) in SYNCS.iter().enumerate() {
            write_lease(&bench.repo(), 3 * round + at + 1);
            ours[at].push(run(bench.derived().env("BOARDSYNC_SYNC", sync)));
        }
    }
    let node = median(node);
    for (sync, ours) in SYNCS.iter().zip(ours.map(median)) {
        println!(
            "node     {node:>9.1?}  boardsync {ours:>9.1?}  ratio {:.1} (at least 20)  BOARDSYNC_SYNC={sync}",
            node.as_secs_f64() / ours.as_secs_f64()
        );
    }
}

/// Sweeps 1,000 repositories of which 50 are busy, and gives its CPU time.
fn sweep(bench: &Bench, rounds: usize) {
    let projects = bench.home().join("Projects");
    for index in 0..REPOS {
        make_repo(&projects.join(format!("group-{}/repo-{index}", index % 20)));
    }
    let busy = |index: usize| projects.join(format!("group-{}/repo-{index}", index % 20));
    let (mut cpu, mut wall) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        for index in 0..BUSY {
            write_lease(&busy(index * (REPOS / BUSY)), round);
        }
        let before = cpu_of_children();
        let mut command = bench.boardsync(&["sweep", "--repo"]);
        wall.push(run(command.arg(bench.repo())));
        if let (Some(before), Some(after)) = (before, cpu_of_children()) {
            cpu.push(after - before);
        }
    }
    let mean = cpu.iter().sum::<Duration>() / u32::try_from(cpu.len().max(1)).unwrap_or(1);
    println!(
        "sweep of {REPOS} repositories, {BUSY} busy: CPU {mean:.1?} on average (limit 50 ms), wall {:.1?}",
        median(wall)
    );
}

/// Gives the CPU time of all children that have ended, where `/proc` has it.
fn cpu_of_children() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name in parentheses: cutime and cstime are fields 16 and 17.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = fields.get(13)?.parse::<u64>().ok()? + fields.get(14)?.parse::<u64>().ok()?;
    // 100 ticks a second on every Linux there is.
    Some(Duration::from_millis(ticks * 10))
}
