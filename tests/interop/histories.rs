//! Random histories of sessions, told to the Node writer and to us, each on its
//! own copy of the vault: the boards are equal byte by byte after each step, but
//! for [`Difference`]s.
//!
//! `BOARDSYNC_HISTORIES=200` sets how many; `BOARDSYNC_HISTORY_SEED=N` runs one.

use crate::env::{Said, TestEnv};
use crate::peer::{Peer, Server, ledger};
use boardsync::Timestamp;
use boardsync::internals::session::Repo;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const DEFAULT_HISTORIES: u64 = 40;
const STEPS: usize = 16;
const BOARD: &str = "01-projects/_active-sessions.md";
const HEADER: &str = "---\n_generator: session-orchestrator-active-sessions@1\nid: active-sessions\n\
    type: board\ncreated: 2026-11-30T00:00:00.000Z\nupdated: 2026-11-30T00:00:00.000Z\n---\n\n\
    # Active Sessions\n\n> Live session-status board. Generator-owned — do not hand-edit.\n\n\
    | Repo | Status | Session | Branch | Mode | Last heartbeat | Key |\n|---|---|---|---|---|---|---|\n";

/// Where the boards may differ, as docs/interop.md says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Difference {
    /// We read `.git/HEAD` where the registry names no branch.
    BranchOfHead,
    /// A close that nothing else gives a time has the time of the close.
    TimeOfClose,
    /// A close keeps the cells of the row that nothing else gives.
    KeptCell,
    /// A line without a key that nobody updates stays as it is.
    OldLine,
    /// A heartbeat that is more than 5 min ahead proves no life (5.4).
    FarAhead,
}

/// A row's key, the index of a cell, theirs and ours.
type Cells = (String, usize, String, String);

/// One step of a history: what both sides were told to do.
struct Step<'a> {
    action: &'a str,
    repo: &'a Path,
    now: &'a str,
}

/// The state of a history that both sides look at.
struct World {
    env: TestEnv,
    random: Random,
    now: i64,
    repos: Vec<PathBuf>,
    seen: BTreeMap<Difference, usize>,
    /// The cells that differed after the last step: they may stay as they are.
    differing: BTreeSet<Cells>,
    /// Whether the boards were the same after the last step.
    were_equal: bool,
    /// Our board before the last step.
    before: String,
    log: Vec<String>,
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        // xorshift64*, which is random enough for a test and the same everywhere.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize].clone()
    }
}

impl World {
    fn new(seed: u64) -> Self {
        let env = TestEnv::new();
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for vault in ["theirs", "ours"] {
            fs::create_dir_all(env.home().join(vault).join("01-projects")).unwrap();
        }
        fs::create_dir_all(env.path("peer-config/sessions/active")).unwrap();
        let mut world = Self {
            now: Timestamp::parse("2026-11-30T07:00:00.000Z")
                .unwrap()
                .as_millis(),
            repos: Vec::new(),
            seen: BTreeMap::new(),
            differing: BTreeSet::new(),
            were_equal: true,
            before: String::new(),
            log: Vec::new(),
            random: Random(random.below(u64::MAX) | 1),
            env,
        };
        for name in ["app", "a/web", "b/web", "lib"] {
            let repo = world.env.home().join("Projects").join(name);
            world.make_repo(&repo);
        }
        if world.random.one_in(3) {
            world.before = format!("{HEADER}{}", world.old_rows());
            for vault in ["theirs", "ours"] {
                fs::write(world.board(vault), &world.before).unwrap();
            }
        }
        world
    }

    /// Makes rows as older versions left them, without a key.
    fn old_rows(&mut self) -> String {
        let status = self
            .random
            .of(&["in-progress", "closed", "force-closed", "frei"]);
        let time = self.time_before(6 * 60);
        let name = self.random.of(&["App", "Web"]);
        let row = format!("| {name} | {status} | s0 | old | deep | {time} |\n");
        let others = "| zoo | closed | s9 | main | deep | 2026-11-29T01:00:00.000Z | 00000000 |\n";
        format!("{row}{others}")
    }

    fn board(&self, vault: &str) -> PathBuf {
        self.env.home().join(vault).join(BOARD)
    }

    fn time_before(&mut self, minutes: u64) -> String {
        let ago = self.random.below(minutes * 60_000) as i64;
        Timestamp::from_millis(self.now - ago).to_string()
    }

    fn make_repo(&mut self, repo: &Path) {
        fs::create_dir_all(repo.join(".orchestrator")).unwrap();
        let head = "ref: refs/heads/topic\n";
        match self.random.below(4) {
            // A worktree, whose `.git` is a file.
            0 => {
                let git = self.env.path("main/.git/worktrees/w");
                fs::create_dir_all(&git).unwrap();
                fs::write(git.join("HEAD"), head).unwrap();
                fs::write(repo.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
            }
            1 => {
                fs::create_dir_all(repo.join(".git")).unwrap();
                fs::write(repo.join(".git/HEAD"), head).unwrap();
            }
            _ => fs::create_dir_all(repo.join(".git")).unwrap(),
        }
        self.configure(repo, "");
        self.repos.push(repo.to_owned());
    }

    fn configure(&self, repo: &Path, more: &str) {
        let block = format!("vault-integration:\n  enabled: true\n  vault-dir: ~/none\n{more}");
        fs::write(repo.join("CLAUDE.md"), block).unwrap();
    }

    /// Changes something, and gives what.
    fn happen(&mut self) -> String {
        let mut repo = self.repos[self.random.below(self.repos.len() as u64) as usize].clone();
        if !self.random.one_in(3) {
            repo.clone_from(&self.repos[0]);
        }
        let lock = repo.join(".orchestrator/session.lock");
        let name = repo.display().to_string();
        match self.random.below(12) {
            0..=3 => {
                let text = self.session_lock();
                fs::write(&lock, &text).unwrap();
                format!("{name}: lock {text}")
            }
            4 | 5 => {
                let _ = fs::remove_file(&lock);
                format!("{name}: no lock")
            }
            6 | 7 => self.register(&repo),
            8 => {
                let more = self
                    .random
                    .of(&["", "  vault-name: Team Web\n", "  enabled: false\n"]);
                self.configure(&repo, more);
                format!("{name}: configured {more:?}")
            }
            9 if self.repos.len() > 2 => {
                fs::remove_dir_all(&repo).unwrap();
                self.repos.retain(|other| *other != repo);
                format!("{name}: deleted")
            }
            10 => {
                let new = repo.with_file_name(format!("moved-{}", self.log.len()));
                fs::rename(&repo, &new).unwrap();
                self.repos.retain(|other| *other != repo);
                self.repos.push(new.clone());
                format!("{name}: renamed to {}", new.display())
            }
            _ => "nothing, as after a crash".to_owned(),
        }
    }

    fn session_lock(&mut self) -> String {
        if self.random.one_in(8) {
            return self
                .random
                .of(&["", "{", "null", "[]", "{\"session_id\": \"s\"}"])
                .to_owned();
        }
        let started = self.time_before(10 * 60);
        let ttl = self.random.of(&[json!(4), json!(0.5), json!(8)]);
        let mut lock = json!({
            "session_id": format!("s{}", self.random.below(3)), "started_at": started,
            "mode": self.random.of(&["deep", "feature", ""]), "pid": 4242,
            "host": "studio", "ttl_hours": ttl,
        });
        let fields = lock.as_object_mut().unwrap();
        match self.random.below(6) {
            0 => {}
            1 if self.random.one_in(2) => {
                let ahead = self.now + 6 * 60_000;
                fields.insert(
                    "last_heartbeat".into(),
                    json!(Timestamp::from_millis(ahead).to_string()),
                );
            }
            _ => {
                let time = self.time_before(6 * 60);
                fields.insert("last_heartbeat".into(), json!(time));
            }
        }
        match self.random.below(5) {
            0 => drop(fields.insert("semantic_session_id".into(), json!("main-deep|1"))),
            1 => drop(fields.insert("semantic_session_id".into(), json!(""))),
            2 => drop(fields.insert("semantic_session_id".into(), json!(null))),
            3 if self.random.one_in(3) => drop(fields.insert("pid".into(), json!("4242"))),
            _ => {}
        }
        lock.to_string()
    }

    fn register(&mut self, repo: &Path) -> String {
        let id = Repo::at(repo, Path::new("/"));
        // One entry a repository: of several the peer takes the first by name.
        let file = format!("peer-config/sessions/active/{}.json", id.key);
        let file = self.env.path(&file);
        if self.random.one_in(4) {
            let _ = fs::remove_file(file);
            return format!("{}: not registered", repo.display());
        }
        let mut entry = json!({
            "session_id": id.key, "started_at": self.time_before(600), "repo_path_hash": id.hash,
            "last_heartbeat": self.time_before(30), "mode": self.random.of(&[json!("quick"), json!(null), json!("")]),
        });
        match self.random.below(4) {
            0 => entry["branch"] = json!("from-registry"),
            1 => entry["branch"] = json!(""),
            2 => entry["semantic_session_id"] = json!("named"),
            _ => {}
        }
        if self.random.one_in(6) {
            entry["mode"] = json!(5);
        }
        fs::write(file, entry.to_string()).unwrap();
        format!("{}: registered {entry}", repo.display())
    }

    /// Lets both sides do the same, and compares what they did.
    fn act(&mut self, node: &mut Server) {
        let mut repo = self.repos[self.random.below(self.repos.len() as u64) as usize].clone();
        // Mostly the first: what a row becomes depends on what it was before.
        if !self.random.one_in(3) {
            repo.clone_from(&self.repos[0]);
        }
        let action = self.random.of(&["update", "update", "close", "sweep"]);
        let now = Timestamp::from_millis(self.now).to_string();
        self.log.push(format!("{now} {action} {}", repo.display()));
        let vault = |side: &str| self.env.home().join(side);

        let mut job = json!({
            "task": if action == "sweep" { "sweep" } else { "update" },
            "repo": repo, "now": now,
            "env": {"HOME": self.env.home(), "SO_VAULT_DIR": vault("theirs"),
                    "SO_CONFIG_HOME": self.env.path("peer-config")},
        });
        if action == "close" {
            job["status"] = json!("closed");
        }
        let theirs = node.run(&job);

        let mut command = self.env.command(&[action, "--json", "--repo"]);
        command
            .arg(&repo)
            .current_dir(&repo)
            .env_remove("BOARDSYNC_VAULT");
        command
            .env("SO_VAULT_DIR", vault("ours"))
            .env("BOARDSYNC_NOW", &now);
        command.env("BOARDSYNC_SYNC", "none");
        let said = Said::from(command.output().unwrap());
        assert_eq!(said.code, Some(0), "{said:?}");
        let step = Step {
            action,
            repo: &repo,
            now: &now,
        };
        self.compare(&step, &theirs, &said.json());
    }

    fn compare(&mut self, step: &Step<'_>, theirs: &Value, ours: &Value) {
        let boards = ["theirs", "ours"].map(|side| fs::read_to_string(self.board(side)));
        let [Ok(their_board), Ok(our_board)] = boards else {
            assert_eq!(theirs["action"], ours["action"], "{}", self.story());
            return;
        };
        let (their_lines, our_lines): (Vec<_>, Vec<_>) =
            (their_board.lines().collect(), our_board.lines().collect());
        let story = self.story();
        let told = || format!("{}\ntheirs:\n{their_board}\nours:\n{our_board}", story);
        assert_eq!(their_lines.len(), our_lines.len(), "{}", told());
        let mut differences = Vec::new();
        let mut differing = BTreeSet::new();
        for (their_line, our_line) in their_lines.iter().zip(&our_lines) {
            if their_line == our_line || our_line.starts_with("updated: ") {
                continue;
            }
            if **their_line == format!("{our_line} — |") && self.before.contains(our_line) {
                differences.push(Difference::OldLine);
                continue;
            }
            let (their_cells, our_cells) = (cells(their_line), cells(our_line));
            assert_eq!(their_cells.len(), our_cells.len(), "{}", told());
            for (at, (theirs, ours)) in their_cells.iter().zip(&our_cells).enumerate() {
                if theirs == ours {
                    continue;
                }
                let both = (our_cells[6].clone(), at, theirs.clone(), ours.clone());
                if !self.differing.contains(&both) {
                    let difference = self.difference(step, &our_cells, &both);
                    let Some(difference) = difference else {
                        panic!("`{theirs}` and `{ours}`\n{}", told());
                    };
                    differences.push(difference);
                }
                differing.insert(both);
            }
        }
        let are_equal = differences.is_empty() && differing.is_empty();
        if are_equal && self.were_equal {
            assert_eq!(theirs["action"], ours["action"], "{}", told());
        }
        self.were_equal = are_equal;
        self.differing = differing;
        for difference in differences {
            *self.seen.entry(difference).or_default() += 1;
        }
        self.before = our_board;
        self.compare_ledgers(step.repo);
    }

    /// Compares the two last lines of the repository's ledger, which each side
    /// wrote one of.
    fn compare_ledgers(&self, repo: &Path) {
        let [theirs, ours] = <[Value; 2]>::try_from(last_two(ledger(repo))).unwrap();
        let keys = |line: &Value| {
            let fields = line.as_object().unwrap();
            fields.keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(keys(&theirs), keys(&ours), "{}", self.story());
        for field in [
            "caller",
            "path_tail",
            "rows",
            "repos_swept",
            "session_id",
            "semantic_session_id",
        ] {
            assert_eq!(
                theirs.get(field),
                ours.get(field),
                "{field}: {}",
                self.story()
            );
        }
    }

    /// Names the reason why these cells differ since this step, if there is one.
    fn difference(&self, step: &Step<'_>, row: &[String], both: &Cells) -> Option<Difference> {
        let (key, at, theirs, ours) = both;
        let id = Repo::at(step.repo, Path::new("/"));
        let is_closed = step.action == "close" && *key == format!("{} |", id.key);
        if *at == 1 && ours == "force-closed" {
            let was_far_ahead = self.differing.iter().any(|(other, at, theirs, ours)| {
                (other, *at) == (key, 1) && theirs == "in-progress" && ours == "force-closed"
            });
            let is_ahead = Timestamp::parse(&row[5])
                .zip(Timestamp::parse(step.now))
                .is_some_and(|(beat, now)| beat.as_millis() - now.as_millis() > 5 * 60_000);
            let is_expected =
                (theirs == "in-progress" && is_ahead) || (theirs == "closed" && was_far_ahead);
            return is_expected.then_some(Difference::FarAhead);
        }
        if theirs != "—" {
            return None;
        }
        match at {
            3 if ours == "topic" && !self.is_branch_registered(key) => {
                Some(Difference::BranchOfHead)
            }
            2..=5 if is_closed && self.had_cell(row, *at) => Some(Difference::KeptCell),
            5 if is_closed && ours == step.now => Some(Difference::TimeOfClose),
            _ => None,
        }
    }

    fn is_branch_registered(&self, key: &str) -> bool {
        let file = format!(
            "peer-config/sessions/active/{}.json",
            key.trim_end_matches(" |")
        );
        let entry = fs::read(self.env.path(&file)).ok();
        let entry = entry.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        entry.is_some_and(|entry| {
            let is_valid = entry["mode"].is_null() || entry["mode"].is_string();
            is_valid
                && entry["branch"]
                    .as_str()
                    .is_some_and(|name| !name.is_empty())
        })
    }

    /// Returns whether this very row, or the old one of its name, had the cell.
    fn had_cell(&self, row: &[String], at: usize) -> bool {
        self.before.lines().map(cells).any(|before| {
            let is_row = match before.get(6) {
                Some(key) if !key.starts_with('—') => *key == row[6],
                _ => before[0].eq_ignore_ascii_case(&row[0]),
            };
            is_row
                && before
                    .get(at)
                    .is_some_and(|cell| cell.trim_end_matches(" |") == row[at])
        })
    }

    fn story(&self) -> String {
        self.log.join("\n")
    }
}

fn cells(line: &str) -> Vec<String> {
    line.split(" | ").map(str::to_owned).collect()
}

fn last_two(mut lines: Vec<Value>) -> Vec<Value> {
    lines.split_off(lines.len() - 2)
}

fn run_history(node: &mut Server, seed: u64) -> BTreeMap<Difference, usize> {
    let mut world = World::new(seed);
    world.log.push(format!("seed {seed}"));
    for _ in 0..STEPS {
        for _ in 0..=world.random.below(2) {
            let what = world.happen();
            world.log.push(what);
        }
        let minutes = world.random.of(&[0, 1, 7, 20, 90, 300]);
        world.now += minutes * 60_000 + 1;
        world.act(node);
    }
    world.seen
}

#[test]
fn random_histories_leave_the_same_boards() {
    let Some(peer) = Peer::find() else { return };
    let number = |name| std::env::var(name).ok()?.parse::<u64>().ok();
    let seeds = match number("BOARDSYNC_HISTORY_SEED") {
        Some(seed) => seed..seed + 1,
        None => 1..number("BOARDSYNC_HISTORIES").unwrap_or(DEFAULT_HISTORIES) + 1,
    };
    println!("histories with the seeds {seeds:?}");
    let env = TestEnv::new();
    let mut node = peer.serve(&env);
    let mut seen: BTreeMap<Difference, usize> = BTreeMap::new();
    for seed in seeds {
        for (difference, count) in run_history(&mut node, seed) {
            *seen.entry(difference).or_default() += count;
        }
    }
    println!("rows that differed as documented: {seen:?}");
}
