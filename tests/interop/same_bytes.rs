//! The same sources give the same board, and the same line in the ledger.

use crate::env::{Said, TestEnv, board_of};
use crate::peer::{Peer, lease, ledger, wired_repo, write_lease};
use boardsync::internals::session::Repo;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Gives the situations whose rows are fixed in a table.
fn table() -> Vec<Value> {
    let table = include_str!("../../fixtures/vectors/derive.json");
    let mut table: Value = serde_json::from_str(table).unwrap();
    serde_json::from_value(table["cases"].take()).unwrap()
}

/// Is one situation, laid out on disk for both sides.
struct Case {
    name: String,
    now: String,
    close: bool,
    has_lease: bool,
    repo: PathBuf,
    /// One vault a side.
    theirs: PathBuf,
    ours: PathBuf,
}

const BOARD: &str = "01-projects/_active-sessions.md";

fn lay_out(env: &TestEnv, case: &Value, index: usize) -> Case {
    let repo = wired_repo(env, &format!("case-{index:02}"));
    let name = case["name"].as_str().unwrap().to_owned();
    let lock = case["session_lock_raw"].as_str().map(str::to_owned);
    let lease = (!case["session_lock"].is_null()).then(|| case["session_lock"].to_string());
    if let Some(lock) = lock.or(lease) {
        std::fs::write(repo.join(".orchestrator/session.lock"), lock).unwrap();
    }
    let identity = Repo::at(&repo, Path::new("/"));
    let active = env.path("peer-config/sessions/active");
    std::fs::create_dir_all(&active).unwrap();
    for (n, entry) in case["registry"].as_array().unwrap().iter().enumerate() {
        let mut entry = entry.clone();
        entry["repo_path_hash"] = json!(identity.hash);
        std::fs::write(active.join(format!("{index}-{n}.json")), entry.to_string()).unwrap();
    }
    let vault = |side: &str| {
        let vault = env.home().join(format!("{side}-{index:02}"));
        std::fs::create_dir_all(vault.join("01-projects")).unwrap();
        if let Some(prior) = case["prior_status"].as_str() {
            let row = format!(
                "| {} | {prior} | — | — | — | — | {} |\n",
                identity.name, identity.key
            );
            // Of another repository, which nobody speaks of.
            let other =
                "| other | closed | s | main | deep | 2026-11-30T01:00:00.000Z | 00000000 |\n";
            std::fs::write(vault.join(BOARD), board_of(&(row + other))).unwrap();
        }
        vault
    };
    Case {
        name,
        now: case["now"].as_str().unwrap().to_owned(),
        close: case["explicit_status"] == "closed",
        has_lease: case["session_lock"]["pid"].is_number(),
        theirs: vault("theirs"),
        ours: vault("ours"),
        repo,
    }
}

impl Case {
    /// Points the repository's configuration at a vault.
    fn wire_to(&self, vault: &Path) {
        let vault = vault.file_name().unwrap().to_str().unwrap();
        let config = format!("vault-integration:\n  enabled: true\n  vault-dir: ~/{vault}\n");
        std::fs::write(self.repo.join("CLAUDE.md"), config).unwrap();
    }

    fn job(&self) -> Value {
        let status = if self.close {
            json!("closed")
        } else {
            Value::Null
        };
        let mut job = json!({"repo": self.repo, "now": self.now, "status": status});
        job.as_object_mut()
            .unwrap()
            .retain(|_, value| !value.is_null());
        job
    }

    /// Runs boardsync, which finds the vault as the Node writer does.
    fn update(&self, env: &TestEnv, vault: &Path) -> Value {
        self.wire_to(vault);
        let mut command = env.command(&["update", "--json", "--repo"]);
        command.arg(&self.repo).env_remove("BOARDSYNC_VAULT");
        if self.close {
            command.args(["--status", "closed"]);
        }
        let output = command.env("BOARDSYNC_NOW", &self.now).output().unwrap();
        let said = Said::from(output);
        assert_eq!(said.code, Some(0), "{}: {said:?}", self.name);
        said.json()
    }
}

fn update_with_node(peer: &Peer, env: &TestEnv, cases: &[Case]) -> Vec<Value> {
    let jobs: Vec<Value> = cases.iter().map(Case::job).collect();
    let mut command = peer.command(env, "update", &jobs);
    let said = Said::from(command.env_remove("SO_VAULT_DIR").output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    said.out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn boards(theirs: &Path, ours: &Path) -> [String; 2] {
    [theirs, ours].map(|vault| std::fs::read_to_string(vault.join(BOARD)).unwrap())
}

/// Takes out what differs from run to run.
fn timeless(mut line: Value) -> Value {
    let fields = line.as_object_mut().unwrap();
    for field in ["timestamp", "duration_ms"] {
        fields.remove(field).unwrap();
    }
    fields["lock"]
        .as_object_mut()
        .unwrap()
        .remove("waited_ms")
        .unwrap();
    line
}

#[test]
fn the_same_sources_give_the_same_board_and_the_same_ledger_line() {
    let Some(peer) = Peer::find() else { return };
    let env = TestEnv::new();
    let table = table();
    let cases: Vec<Case> = (0..)
        .zip(&table)
        .map(|(n, case)| lay_out(&env, case, n))
        .collect();
    assert!(cases.len() >= 20, "the table has its cases");

    for case in &cases {
        case.wire_to(&case.theirs);
    }
    let theirs = update_with_node(&peer, &env, &cases);
    for (case, theirs) in cases.iter().zip(theirs) {
        let ours = case.update(&env, &case.ours);
        assert_eq!(ours["action"], theirs["action"], "{}", case.name);
        let [mut theirs, ours] = boards(&case.theirs, &case.ours);
        if case.close {
            // An event without a time could not be told from an older one, so
            // ours has the time of the close where no lease gives another.
            let timed = format!("| closed | — | — | — | {} |", case.now);
            theirs = theirs.replace("| closed | — | — | — | — |", &timed);
        }
        assert_eq!(ours, theirs, "{}", case.name);
        let lines = ledger(&case.repo);
        let [theirs, ours] = <[Value; 2]>::try_from(lines).unwrap().map(timeless);
        assert_eq!(ours, theirs, "{}", case.name);
        let order = |line: &Value| {
            line.as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!(order(&ours), order(&theirs), "{}", case.name);
    }
}

#[test]
fn a_board_that_one_wrote_is_left_alone_by_the_other() {
    let Some(peer) = Peer::find() else { return };
    let env = TestEnv::new();
    let table = table();
    // Without a lease the second look sees another past: `in-progress` has ended.
    let cases: Vec<Case> = (0..)
        .zip(&table)
        .map(|(n, case)| lay_out(&env, case, n))
        .filter(|case| case.has_lease)
        .collect();
    for case in &cases {
        case.update(&env, &case.ours);
    }
    for (case, said) in cases.iter().zip(update_with_node(&peer, &env, &cases)) {
        assert_eq!(
            said["action"], "skipped-noop",
            "Node after us: {}",
            case.name
        );
        case.wire_to(&case.theirs);
    }
    update_with_node(&peer, &env, &cases);
    for case in &cases {
        let said = case.update(&env, &case.theirs);
        assert_eq!(
            said["action"], "skipped-noop",
            "we after Node: {}",
            case.name
        );
    }
}

#[test]
fn a_sweep_of_the_same_host_gives_the_same_board_and_the_same_ledger_line() {
    let Some(peer) = Peer::find() else { return };
    let env = TestEnv::new();
    let projects = env.home().join("Projects");
    for (name, heartbeat) in [
        ("alive", Some("06:58")),
        ("group/dead", Some("01:00")),
        ("idle", None),
    ] {
        let repo = projects.join(name);
        std::fs::create_dir_all(repo.join(".orchestrator")).unwrap();
        // No HEAD, so no branch: the Node writer does not look for one.
        std::fs::create_dir(repo.join(".git")).unwrap();
        if let Some(time) = heartbeat {
            write_lease(&repo, &lease(name, &format!("2026-11-30T{time}:00.000Z")));
        }
    }
    let repo = projects.join("alive");
    let config = |vault| format!("vault-integration:\n  enabled: true\n  vault-dir: ~/{vault}\n");
    let now = "2026-11-30T07:00:00.000Z";

    std::fs::write(repo.join("CLAUDE.md"), config("theirs")).unwrap();
    std::fs::create_dir(env.home().join("theirs")).unwrap();
    let job = json!({"repo": repo, "now": now}).to_string();
    let mut command = peer.command(&env, "sweep", &[]);
    command.arg(job).env_remove("SO_VAULT_DIR");
    let theirs = Said::from(command.output().unwrap());
    assert_eq!(theirs.json()["action"], "written", "{theirs:?}");

    std::fs::write(repo.join("CLAUDE.md"), config("ours")).unwrap();
    std::fs::create_dir(env.home().join("ours")).unwrap();
    let mut command = env.command(&["sweep", "--json", "--repo", repo.to_str().unwrap()]);
    command.env_remove("BOARDSYNC_VAULT");
    let output = command.env("BOARDSYNC_NOW", now).output().unwrap();
    let ours = Said::from(output).quietly();
    assert_eq!(ours.json()["rows"], 2, "{ours:?}");

    let [theirs, ours] = boards(&env.home().join("theirs"), &env.home().join("ours"));
    assert_eq!(ours, theirs);
    let [theirs, ours] = <[Value; 2]>::try_from(ledger(&repo)).unwrap().map(timeless);
    assert_eq!(ours, theirs);
}
