//! A vault, a home and the built binary, all in one temporary folder.
#![allow(dead_code, reason = "each test uses what it needs")]

#[cfg(unix)]
pub mod pty;
pub mod session;

use std::io::Write;
#[cfg(feature = "failpoints")]
pub mod situation;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

/// Says that a test is skipped, and why.
///
/// Past the harness, which shows nothing of a test that passes; in one write, for
/// other tests print too.
pub fn skipped(why: &str) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("a test");
    let line = format!("skipped: {name} ({why})\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Saves as most editors do: a new file, moved over the old one.
pub fn save(path: &Path, text: &str) {
    let new = path.with_extension("saving");
    std::fs::write(&new, text).unwrap();
    std::fs::rename(&new, path).unwrap();
}

/// Isolates one test: nothing of the user's is read or written.
pub struct TestEnv {
    root: TempDir,
}

/// What a finished command said.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Said {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("no JSON on stdout: {self:?}"))
    }

    /// Asserts that it succeeded without a word on stderr.
    pub fn quietly(self) -> Self {
        assert_eq!(
            (self.code, self.err.as_str()),
            (Some(0), ""),
            "{}",
            self.out
        );
        self
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl TestEnv {
    pub fn new() -> Self {
        Self::within(&std::env::temp_dir())
    }

    /// Makes one on the file system of `parent`.
    pub fn within(parent: &Path) -> Self {
        let root = TempDir::with_prefix_in("boardsync-", parent).unwrap();
        let env = Self { root };
        std::fs::create_dir_all(env.home()).unwrap();
        std::fs::create_dir_all(env.vault()).unwrap();
        env
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.path().join(relative)
    }

    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// The vault lies in the home folder, as the peer demands.
    pub fn vault(&self) -> PathBuf {
        self.home().join("vault")
    }

    pub fn board(&self) -> PathBuf {
        self.vault().join("01-projects/_active-sessions.md")
    }

    pub fn lock(&self) -> PathBuf {
        self.orchestrator().join("board.lock")
    }

    pub fn orchestrator(&self) -> PathBuf {
        self.vault().join(".orchestrator")
    }

    /// Makes a folder that can stand for a repository.
    pub fn repo(&self, name: &str) -> PathBuf {
        let repo = self.path("src").join(name);
        std::fs::create_dir_all(&repo).unwrap();
        repo
    }

    /// Updates the row of the repository `name`.
    pub fn update(&self, name: &str, status: &str) -> Said {
        let repo = self.repo(name);
        let repo = repo.to_str().unwrap();
        self.run(&["update", "--status", status, "--repo", repo])
    }

    /// Prepares an update of the repository `name` that prints JSON.
    pub fn update_command(&self, name: &str) -> Command {
        let repo = self.repo(name);
        let mut command = self.command(&["update", "--json", "--status", "in-progress"]);
        command
            .args(["--heartbeat", &time(1_000), "--repo"])
            .arg(repo);
        command
    }

    /// Returns some cells of each row of the board, by their columns.
    pub fn cells(&self, columns: &[usize]) -> Vec<String> {
        let board = self.read_board();
        let lines = board.lines().filter(|line| line.starts_with("| ")).skip(1);
        let chosen = |line: &str| {
            let cells: Vec<&str> = line.trim_start_matches("| ").split(" | ").collect();
            let chosen: Vec<&str> = columns.iter().map(|column| cells[*column]).collect();
            chosen.join(" ")
        };
        lines.map(chosen).collect()
    }

    /// Makes a folder that git would take for a repository, on `main`.
    pub fn git_repo(&self, name: &str) -> PathBuf {
        let repo = self.repo(name);
        std::fs::create_dir_all(repo.join(".git")).unwrap();
        std::fs::write(repo.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        repo
    }

    pub fn read_board(&self) -> String {
        std::fs::read_to_string(self.board()).unwrap()
    }

    pub fn write_board(&self, text: &str) {
        std::fs::create_dir_all(self.board().parent().unwrap()).unwrap();
        std::fs::write(self.board(), text).unwrap();
    }

    /// Lists what lies beside the lock, sorted.
    pub fn beside_the_lock(&self) -> Vec<String> {
        names(&self.orchestrator())
    }

    /// Lists what lies beside the lock and the board that no finished update
    /// may leave.
    pub fn litter(&self) -> Vec<String> {
        let kept = [
            "board.gate.lock",
            "board.latch.lock",
            "merged",
            "_active-sessions.md",
        ];
        let mut litter = self.beside_the_lock();
        litter.extend(names(self.board().parent().unwrap()));
        litter.retain(|name| !kept.contains(&name.as_str()));
        litter
    }

    /// Asserts that only the two targets of the kernel locks are left.
    pub fn assert_no_litter(&self) {
        self.assert_no_litter_but(&[]);
    }

    /// Asserts the same, but for names that a test expects.
    pub fn assert_no_litter_but(&self, expected: &[&str]) {
        let kept = [&["board.gate.lock", "board.latch.lock"], expected].concat();
        let mut litter = self.beside_the_lock();
        litter.retain(|name| !kept.contains(&name.as_str()));
        assert!(litter.is_empty(), "left behind: {litter:?}");
    }

    /// Prepares the binary with the test's own environment and vault.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.command_of(env!("CARGO_BIN_EXE_boardsync"));
        command.args(args);
        command
    }

    /// Prepares any program with the test's own environment and vault.
    pub fn command_of(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.root.path());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
            .env("HOME", self.home())
            .env("BOARDSYNC_VAULT", self.vault());
        command.env("XDG_CONFIG_HOME", self.path("config"));
        command.env("XDG_DATA_HOME", self.path("data"));
        command.env("XDG_STATE_HOME", self.path("state"));
        command.env("SO_CONFIG_HOME", self.path("peer-config"));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn run(&self, args: &[&str]) -> Said {
        self.command(args).output().unwrap().into()
    }

    /// Runs a prepared command with `input` on its stdin, then closed.
    pub fn feed(&self, command: &mut Command, input: &[u8]) -> Said {
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        // One that does not want it all is not wrong.
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap().into()
    }

    pub fn start(&self, args: &[&str]) -> Child {
        self.command(args).spawn().unwrap()
    }

    /// Starts a command that parks at the step `point`, and waits until it is there.
    #[cfg(feature = "failpoints")]
    pub fn park(&self, point: &str, args: &[&str]) -> Parked {
        self.park_along(&[point], self.command(args))
    }

    /// Starts a command that parks at each of `points`, one after the other,
    /// and waits until it is at the first.
    ///
    /// Arrows lead to and from what else happens at a point: `1*off->latch.open.before`
    /// parks at its second time, `board.create.before->return(5)` fails after the first.
    #[cfg(feature = "failpoints")]
    pub fn park_along(&self, points: &[&str], mut command: Command) -> Parked {
        let stops: Vec<(String, PathBuf)> = points
            .iter()
            .map(|point| {
                let name = format!("park-{}", unique());
                ((*point).to_owned(), self.path(&name))
            })
            .collect();
        let others = command
            .get_envs()
            .find(|(name, _)| *name == "FAILPOINTS")
            .and_then(|(_, value)| value?.to_str().map(str::to_owned));
        let mut configured: Vec<String> = stops
            .iter()
            .map(|(point, signal)| {
                let park = format!("1*return(park:{})", signal.display());
                let mut actions: Vec<&str> = point.split("->").collect();
                let is_name = |action: &&str| !action.contains(['*', '(']);
                let at = actions
                    .iter()
                    .position(is_name)
                    .expect("the name of a point");
                let name = std::mem::replace(&mut actions[at], &park);
                format!("{name}={}", actions.join("->"))
            })
            .collect();
        configured.extend(others);
        command.env("FAILPOINTS", configured.join(";"));
        let child = command.spawn().unwrap();
        let mut parked = Parked {
            child,
            stops: stops.into(),
        };
        parked.arrive();
        parked
    }

    /// Plants a record at the lock's path, `age` old.
    pub fn plant_lock(&self, json: &str, age: Duration) {
        std::fs::create_dir_all(self.orchestrator()).unwrap();
        std::fs::write(self.lock(), json).unwrap();
        make_older(&self.lock(), age);
    }
}

/// A process that stands at a step until it is told to go on.
pub struct Parked {
    pub child: Child,
    /// Where it stands, and where it will.
    stops: VecDeque<(String, PathBuf)>,
}

impl Parked {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it is where it stops next.
    fn arrive(&mut self) {
        let (point, signal) = self.stops.front().expect("it has another stop");
        let reached = with_suffix(signal, "reached");
        let child = &mut self.child;
        wait_until(&format!("{point} is reached"), || {
            if let Some(status) = child.try_wait().unwrap() {
                panic!("it ended with {status} before it reached {point}");
            }
            reached.exists()
        });
    }

    /// Lets it go on, without waiting for what it does.
    pub fn resume(&mut self) {
        let (_, signal) = self.stops.pop_front().expect("it stands somewhere");
        std::fs::write(with_suffix(&signal, "go"), "").unwrap();
    }

    /// Lets it go on to its next stop.
    pub fn advance(&mut self) {
        self.resume();
        self.arrive();
    }

    /// Gives what it said in the end.
    pub fn said(self) -> Said {
        self.child.wait_with_output().unwrap().into()
    }

    /// Lets it go on, and gives what it said.
    pub fn go(mut self) -> Said {
        self.resume();
        self.said()
    }

    /// Ends it where it stands.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Stops all its threads, its heartbeat too.
    pub fn freeze(&self) {
        self.signal(rustix::process::Signal::STOP);
        let stat = format!("/proc/{}/stat", self.pid());
        wait_until("it is stopped", || {
            let stat = std::fs::read_to_string(&stat).unwrap();
            stat.rsplit(") ").next().unwrap().starts_with('T')
        });
    }

    /// Lets its threads run again.
    pub fn thaw(&self) {
        self.signal(rustix::process::Signal::CONT);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}.{suffix}", path.display()))
}

fn unique() -> usize {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

/// Waits for an event that must come; the limit only ends a broken test.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "waited in vain until {what}"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub fn make_older(path: &Path, age: Duration) {
    let file = std::fs::File::options().append(true).open(path).unwrap();
    // Both times: exfat-fuse does nothing if one is omitted.
    let then = SystemTime::now() - age;
    let times = std::fs::FileTimes::new();
    file.set_times(times.set_accessed(then).set_modified(then))
        .unwrap();
}

/// Gives the time `index` seconds after the start of this test program, less
/// an hour, as boards write it: recent on any day, so that no row is aged.
pub fn time(index: usize) -> String {
    static START: std::sync::OnceLock<i64> = std::sync::OnceLock::new();
    let now = || boardsync::Timestamp::now().as_millis() - 3_600_000;
    let start = START.get_or_init(|| now() / 1_000 * 1_000);
    let index = i64::try_from(index).unwrap();
    boardsync::Timestamp::from_millis(start + index * 1_000).to_string()
}

/// A board without foreign content, holding these lines below its header.
pub fn board_of(rows: &str) -> String {
    format!(
        "---\n_generator: session-orchestrator-active-sessions@1\nid: active-sessions\ntype: board\n\
         created: 2026-11-30T06:00:00.000Z\nupdated: 2026-11-30T06:00:00.000Z\n---\n\n\
         # Active Sessions\n\n> Live session-status board. Generator-owned — do not hand-edit.\n\n\
         | Repo | Status | Session | Branch | Mode | Last heartbeat | Key |\n\
         |---|---|---|---|---|---|---|\n{rows}"
    )
}

/// This host's name, as a peer would write it.
pub fn host_name() -> String {
    hostname::get().unwrap().into_string().unwrap()
}
