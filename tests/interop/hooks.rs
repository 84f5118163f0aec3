//! The package's own hooks and ours, all at once on one vault.
//!
//! Its hooks write the session lock and the registry; the board is written by what
//! its session-start and session-end skills run, `sweepBoard` and `mirrorBoard`.

use crate::env::TestEnv;
use crate::peer::{Peer, ledger};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// Who has hooks in a repository.
#[derive(Clone, Copy, PartialEq)]
enum Plugins {
    Theirs,
    Ours,
    Both,
}

const EACH: usize = 5;

/// A repository below `~/Projects`, where the Node writer's sweep looks.
struct Session {
    plugins: Plugins,
    repo: PathBuf,
    name: String,
    id: String,
}

impl Session {
    fn new(env: &TestEnv, plugins: Plugins, index: usize) -> Self {
        let name = format!("repo-{index:02}");
        let repo = env.home().join("Projects").join(&name);
        fs::create_dir_all(repo.join(".git")).unwrap();
        fs::create_dir_all(repo.join(".orchestrator")).unwrap();
        fs::write(repo.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let config = "vault-integration:\n  enabled: true\n  vault-dir: ~/vault\n";
        fs::write(repo.join("CLAUDE.md"), config).unwrap();
        let id = format!("00000000-0000-4000-8000-{index:012}");
        Self {
            plugins,
            repo,
            name,
            id,
        }
    }

    fn event(&self, name: &str) -> Value {
        json!({
            "session_id": self.id, "cwd": self.repo, "hook_event_name": name,
            "source": "startup", "reason": "logout", "transcript_path": "/nowhere/1.jsonl",
        })
    }

    fn tell_boardsync(&self, env: &TestEnv, event: &str) {
        if self.plugins == Plugins::Theirs {
            return;
        }
        let mut command = env.command(&["hook"]);
        command
            .current_dir(&self.repo)
            // A debug build on a busy machine is slow.
            .env("BOARDSYNC_HOOK_TIMEOUT_MS", "60000")
            .env("BOARDSYNC_HOOK_END_TIMEOUT_MS", "60000");
        let event = self.event(event).to_string();
        env.feed(&mut command, event.as_bytes()).quietly();
    }

    fn start(&self, peer: &Peer, env: &TestEnv) {
        std::thread::scope(|scope| {
            scope.spawn(|| self.tell_boardsync(env, "SessionStart"));
            if self.plugins != Plugins::Ours {
                let event = self.event("SessionStart");
                peer.hook(env, "on-session-start.mjs", &self.repo, &event);
                let lock = self.repo.join(".orchestrator/session.lock");
                assert!(lock.exists(), "its hook has written no session lock");
                peer.run(env, "sweep", &[json!({"repo": self.repo})]);
            }
        });
    }

    fn end(&self, peer: &Peer, env: &TestEnv) {
        std::thread::scope(|scope| {
            scope.spawn(|| self.tell_boardsync(env, "SessionEnd"));
            if self.plugins != Plugins::Ours {
                let job = json!({"repo": self.repo, "status": "closed"});
                peer.run(env, "update", &[job]);
                let event = self.event("SessionEnd");
                peer.hook(env, "on-session-end.mjs", &self.repo, &event);
            }
        });
    }
}

/// Asserts that each repository has one row, with this status.
fn assert_rows(env: &TestEnv, sessions: &[Session], status: &str) {
    let board = env.read_board();
    for session in sessions {
        let start = format!("| {} | ", session.name);
        let rows: Vec<_> = board
            .lines()
            .filter_map(|line| line.strip_prefix(&start))
            .collect();
        assert!(
            rows.len() == 1 && rows[0].starts_with(&format!("{status} | ")),
            "{} is not once `{status}` in\n{board}",
            session.name
        );
    }
}

/// Gives how many writes of a repository ran without the lock; each says why.
fn unlocked(session: &Session) -> usize {
    // A hook of ours whose row another process wrote with its own adds no line.
    if session.plugins == Plugins::Ours
        && !session
            .repo
            .join(".orchestrator/metrics/events.jsonl")
            .exists()
    {
        return 0;
    }
    let is_write = |line: &Value| line["event"] == "orchestrator.vault.board_written";
    let lines: Vec<_> = ledger(&session.repo).into_iter().filter(is_write).collect();
    assert!(!lines.is_empty(), "no update of {}", session.name);
    let without = |line: &&Value| line["lock"]["locked"] != true;
    for line in lines.iter().filter(without) {
        assert!(
            line["lock"]["reason"].is_string(),
            "without a reason: {line}"
        );
    }
    lines.iter().filter(without).count()
}

#[test]
fn hooks_of_both_kinds_at_once_lose_no_row() {
    let Some(peer) = Peer::find() else { return };
    let env = TestEnv::new();
    let plugins = [Plugins::Theirs, Plugins::Ours, Plugins::Both].repeat(EACH);
    let sessions: Vec<_> = plugins
        .into_iter()
        .enumerate()
        .map(|(index, plugins)| Session::new(&env, plugins, index))
        .collect();
    let at_once = |act: fn(&Session, &Peer, &TestEnv)| {
        std::thread::scope(|scope| {
            for session in &sessions {
                scope.spawn(|| act(session, &peer, &env));
            }
        });
    };
    at_once(Session::start);
    assert_rows(&env, &sessions, "in-progress");
    at_once(Session::end);
    assert_rows(&env, &sessions, "closed");
    let without: usize = sessions.iter().map(unlocked).sum();
    println!(
        "{} repositories, {without} writes without the lock",
        sessions.len()
    );
    env.assert_no_litter();
}
