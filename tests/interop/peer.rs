//! The Node writer, where it is installed.

use crate::env::{Said, TestEnv, skipped};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

/// Is the installed package.
pub struct Peer {
    package: PathBuf,
}

impl Peer {
    /// Finds the package; where it is absent, says which test is skipped, and
    /// fails it if `BOARDSYNC_REQUIRE_PEER` is `1`.
    pub fn find() -> Option<Self> {
        let why = match Self::installed() {
            Ok(peer) => return Some(peer),
            Err(why) => why,
        };
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("a test");
        assert!(
            std::env::var_os("BOARDSYNC_REQUIRE_PEER").is_none_or(|value| value != "1"),
            "`{name}` needs the Node writer: {why}"
        );
        skipped(&why);
        None
    }

    fn installed() -> Result<Self, String> {
        // The folder of scripts/install-peer, whatever the profile.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let peer = target.join("peer");
        if !peer.join("installed").exists() {
            return Err(format!(
                "session-orchestrator is not in `{}`: run scripts/install-peer",
                peer.display()
            ));
        }
        match Command::new("node").arg("--version").output() {
            Ok(output) if output.status.success() => Ok(Self {
                package: peer.join("node_modules/session-orchestrator"),
            }),
            Ok(output) => Err(format!("`node --version` ended with {}", output.status)),
            Err(error) => Err(format!("`node` does not start: {error}")),
        }
    }

    /// Prepares a task of `peer.mjs` with the test's own environment and vault.
    pub fn command(&self, env: &TestEnv, task: &str, jobs: &[Value]) -> Command {
        let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop/peer.mjs");
        let mut command = Self::node(env);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .arg(runner)
            .arg(&self.package)
            .arg(task)
            .args(jobs.iter().map(Value::to_string));
        command
    }

    /// Runs one of the package's own hooks to its end, as the agent runs it.
    pub fn hook(&self, env: &TestEnv, hook: &str, repo: &Path, event: &Value) {
        let mut command = Self::node(env);
        command
            .arg(self.package.join("hooks").join(hook))
            .current_dir(repo)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env("CLAUDE_PROJECT_DIR", repo)
            .env("CLAUDE_PLUGIN_ROOT", &self.package)
            .env("DO_NOT_TRACK", "1");
        let said = env.feed(&mut command, event.to_string().as_bytes());
        assert_eq!(said.code, Some(0), "{said:?}");
    }

    fn node(env: &TestEnv) -> Command {
        let mut command = Command::new("node");
        command
            .env_clear()
            .envs(
                env.command(&[])
                    .get_envs()
                    .filter_map(|(k, v)| Some((k, v?))),
            )
            .env("SO_VAULT_DIR", env.vault())
            .current_dir(env.path(""));
        command
    }

    /// Runs a task to its end, and gives what it said, line by line.
    pub fn run(&self, env: &TestEnv, task: &str, jobs: &[Value]) -> Vec<Value> {
        let output = self.command(env, task, jobs).output().unwrap();
        let said = Said::from(output);
        assert_eq!(said.code, Some(0), "{said:?}");
        let line = |line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{said:?}"));
        said.out.lines().map(line).collect()
    }

    /// Runs one `mirrorBoard` for `repo`, and gives its ledger line.
    pub fn update(&self, env: &TestEnv, repo: &Path) -> Value {
        self.run(env, "update", &[json!({"repo": repo})]);
        ledger(repo).pop().unwrap()
    }

    /// Starts a process for many jobs.
    pub fn serve(&self, env: &TestEnv) -> Server {
        let mut command = self.command(env, "serve", &[]);
        command.stderr(Stdio::inherit());
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Server { child, out }
    }

    /// Starts a holder of the lock.
    pub fn hold(&self, env: &TestEnv) -> Holder {
        let mut command = self.command(env, "hold", &[json!({"vault": env.vault()})]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Holder { child, out }
    }
}

/// A Node process that does one job after the other, so that it starts once.
pub struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Server {
    /// Does a job of `peer.mjs`, and gives what it said.
    pub fn run(&mut self, job: &Value) -> Value {
        let jobs = self.child.stdin.as_mut().unwrap();
        jobs.write_all(format!("{job}\n").as_bytes()).unwrap();
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("it said `{line}` to {job}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Is a Node process that has the lock, or waits for it.
pub struct Holder {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Holder {
    /// Waits for the next thing it says: `"waiting"`, or its outcome.
    pub fn next(&mut self) -> Value {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("it said `{line}`"))
    }

    /// Lets it release the lock, and waits for its end.
    pub fn release(mut self) {
        self.child.stdin.take().unwrap().write_all(b"\n").unwrap();
        assert!(self.child.wait().unwrap().success());
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Makes a repository that is wired to the vault, without a `.git`.
pub fn wired_repo(env: &TestEnv, name: &str) -> PathBuf {
    let repo = env.repo(name);
    std::fs::create_dir_all(repo.join(".orchestrator")).unwrap();
    let config = "vault-integration:\n  enabled: true\n  vault-dir: ~/vault\n";
    std::fs::write(repo.join("CLAUDE.md"), config).unwrap();
    repo
}

/// Makes a lease of four hours with this heartbeat.
pub fn lease(session: &str, heartbeat: &str) -> Value {
    json!({
        "session_id": session, "started_at": heartbeat, "last_heartbeat": heartbeat,
        "mode": "deep", "pid": 4242, "host": "studio", "ttl_hours": 4,
    })
}

pub fn write_lease(repo: &Path, lease: &Value) {
    std::fs::write(repo.join(".orchestrator/session.lock"), lease.to_string()).unwrap();
}

/// Gives the lines of a repository's ledger.
pub fn ledger(repo: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(repo.join(".orchestrator/metrics/events.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
