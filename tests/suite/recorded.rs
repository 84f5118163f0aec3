//! Recorded runs of real agents, played to the real hook: in the end the board
//! says what was true.

use crate::env::TestEnv;
use boardsync::internals::agent::{AGENTS, Meaning, Payload, meaning};
use boardsync::internals::session::lease::{EventKind, Voice};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};

const RECORDED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/fixtures/agents/recorded.jsonl"
);

/// A process that stands for an agent: a shell under the agent's name, which
/// runs one hook after the other. It ends with the test.
pub struct Agent {
    process: Child,
    said: BufReader<ChildStdout>,
}

impl Agent {
    /// Starts one whose program is called `name`.
    pub fn start(env: &TestEnv, name: &str) -> Self {
        let program = env.path("bin").join(name);
        std::fs::create_dir_all(program.parent().unwrap()).unwrap();
        if !program.exists() {
            std::os::unix::fs::symlink("/bin/bash", &program).unwrap();
        }
        let mut command = env.command_of(program.to_str().unwrap());
        command.stdin(Stdio::piped()).stderr(Stdio::inherit());
        let mut process = command.spawn().unwrap();
        let said = BufReader::new(process.stdout.take().unwrap());
        Self { process, said }
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Runs the hook as agents do, by way of a shell; gives what it printed.
    pub fn hook(
        &mut self,
        env: &TestEnv,
        variables: &[(&str, &str)],
        args: &[&str],
        stdin: &str,
    ) -> (String, String) {
        let files = ["in", "out", "err"].map(|name| env.path(&format!("{name}-{}", self.pid())));
        std::fs::write(&files[0], stdin).unwrap();
        let variables: String = variables
            .iter()
            .map(|(name, value)| format!("export {name}='{value}'; "))
            .collect();
        let line = format!(
            "({variables} exec sh -c 'exec \"$0\" hook \"$@\"' '{}' {} <'{}' >'{}' 2>'{}'); echo $?\n",
            env!("CARGO_BIN_EXE_boardsync"),
            args.join(" "),
            files[0].display(),
            files[1].display(),
            files[2].display(),
        );
        self.process
            .stdin
            .as_mut()
            .unwrap()
            .write_all(line.as_bytes())
            .unwrap();
        let mut code = String::new();
        self.said.read_line(&mut code).unwrap();
        assert_eq!(code.trim(), "0", "{line}");
        let read = |file: &PathBuf| std::fs::read_to_string(file).unwrap();
        (read(&files[1]), read(&files[2]))
    }

    /// Ends it as by `kill -9`.
    pub fn kill(&mut self) {
        let _ = self.process.kill();
        self.process.wait().unwrap();
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A recorded run, with its paths moved into the test's folder.
struct Run {
    name: String,
    agent: String,
    events: Vec<Value>,
}

fn runs(env: &TestEnv) -> Vec<Run> {
    let home = env.home().display().to_string();
    let text = std::fs::read_to_string(RECORDED).unwrap();
    text.lines()
        .map(|line| {
            let run: Value = serde_json::from_str(&line.replace("/home/me", &home)).unwrap();
            let agent = run["agent"].as_str().unwrap();
            Run {
                name: format!("{agent}: {}", run["scenario"].as_str().unwrap()),
                agent: agent.split(' ').next().unwrap().to_owned(),
                events: run["events"].as_array().unwrap().clone(),
            }
        })
        .collect()
}

/// Reads an event's payload, as the hook does.
fn payload_of(event: &Value) -> Payload {
    let stdin = event["stdin"].to_string();
    Payload::read(stdin.as_bytes(), event["argv"][0].as_str()).unwrap()
}

/// Plays one event, from its agent's process.
fn play(env: &TestEnv, run: &Run, event: &Value, agent: &mut Agent) {
    let cwd = PathBuf::from(event["cwd"].as_str().unwrap());
    std::fs::create_dir_all(&cwd).unwrap();
    make_repo(&cwd);
    let recorded = event["env"].as_object().unwrap();
    let mut variables: Vec<(&str, &str)> = recorded
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str().unwrap()))
        .collect();
    // A debug build is slow.
    variables.push(("BOARDSYNC_HOOK_TIMEOUT_MS", "60000"));
    variables.push(("BOARDSYNC_HOOK_END_TIMEOUT_MS", "60000"));
    variables.push(("BOARDSYNC_SYNC", "none"));
    let pid = agent.pid().to_string();
    if recorded.contains_key("CLAUDE_PID") {
        variables.push(("CLAUDE_PID", &pid));
    }
    let event_name = event["argv"][0].as_str().unwrap();
    let said = agent.hook(
        env,
        &variables,
        &["--event", event_name],
        &event["stdin"].to_string(),
    );
    assert_eq!(
        said,
        (String::new(), String::new()),
        "{}, at {}",
        run.name,
        event["at"]
    );
}

/// Names the program that an event came from: one run mixes two agents.
fn program_of(run: &Run, event: &Value) -> String {
    let has = |name| event["env"].get(name).is_some();
    match () {
        () if has("CLAUDE_CODE_SESSION_ID") => "claude".to_owned(),
        () if has("COPILOT_PROJECT_DIR") => "copilot".to_owned(),
        () => run.agent.clone(),
    }
}

fn make_repo(cwd: &Path) {
    if cwd.join(".git").exists() {
        return;
    }
    match cwd.to_str().unwrap().split_once("/.claude/worktrees/") {
        None => {
            std::fs::create_dir(cwd.join(".git")).unwrap();
            std::fs::write(cwd.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        }
        Some((main, tree)) => {
            make_repo_at(Path::new(main));
            let head = Path::new(main).join(".git/worktrees").join(tree);
            std::fs::create_dir_all(&head).unwrap();
            std::fs::write(head.join("HEAD"), format!("ref: refs/heads/{tree}\n")).unwrap();
            let pointer = format!("gitdir: {}\n", head.display());
            std::fs::write(cwd.join(".git"), pointer).unwrap();
        }
    }
}

fn make_repo_at(main: &Path) {
    std::fs::create_dir_all(main).unwrap();
    make_repo(main);
}

/// Status by name, with the cell of the session.
fn rows(env: &TestEnv) -> BTreeMap<String, (String, String)> {
    let text = std::fs::read_to_string(env.board()).unwrap_or_default();
    let lines = text.lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut rows = BTreeMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split(" | ").collect();
        let name = cells[0].trim_start_matches("| ").to_owned();
        let twice = rows.insert(name.clone(), (cells[1].to_owned(), cells[2].to_owned()));
        assert_eq!(twice, None, "two rows for {name}:\n{text}");
    }
    rows
}

/// Brings the board up to date by way of somebody else's update.
fn anybodys_update(env: &TestEnv) {
    std::fs::create_dir_all(env.path("src/other")).unwrap();
    let other = env.path("src/other");
    let said = env.run(&[
        "update",
        "--status",
        "frei",
        "--repo",
        other.to_str().unwrap(),
    ]);
    assert_eq!(said.code, Some(0), "{said:?}");
}

/// Plays a whole run; asserts after each event that nothing is closed whose
/// session lives, and in the end that nothing is open.
fn replay(at: usize) {
    let env = TestEnv::new();
    let run = runs(&env).swap_remove(at);
    let mut agents: BTreeMap<String, Agent> = BTreeMap::new();
    let mut living: BTreeMap<String, String> = BTreeMap::new();
    let mut folders: Vec<String> = Vec::new();
    for event in &run.events {
        let payload = payload_of(event);
        // One process a session, but for `/clear`, which changes its id.
        let program = program_of(&run, event);
        let process = event["env"]["CLAUDE_PID"].as_str().unwrap_or(&program);
        let agent = agents
            .entry(process.to_owned())
            .or_insert_with(|| Agent::start(&env, &program));
        play(&env, &run, event, agent);
        if payload.voice == Voice::SubAgent {
            continue;
        }
        let cwd = event["cwd"].as_str().unwrap();
        let folder = cwd.rsplit('/').next().unwrap().to_owned();
        let mut known = AGENTS.iter();
        let known = known.find(|known| known.programs.contains(&&*run.agent));
        if meaning(&payload.event, known) == Meaning::Known(EventKind::End) {
            living.remove(&payload.session_id);
        } else {
            living.insert(payload.session_id, folder.clone());
            folders.push(folder);
        }
        let rows = rows(&env);
        let runs_in = |folder: &String| living.values().any(|other| other == folder);
        for (name, (status, _)) in &rows {
            let folder = name.rsplit('/').next().unwrap().to_owned();
            assert_eq!(
                status == "in-progress",
                runs_in(&folder),
                "{}, at {}: `{name}` is {status}",
                run.name,
                event["at"]
            );
        }
        for folder in living.values() {
            let has_row = rows
                .keys()
                .any(|name| name.rsplit('/').next() == Some(folder));
            assert!(
                has_row,
                "{}, at {}: no row for {folder}",
                run.name, event["at"]
            );
        }
    }
    agents.clear();
    anybodys_update(&env);
    for (name, (status, session)) in rows(&env) {
        let folder = name.rsplit('/').next().unwrap().to_owned();
        assert!(
            name == "other" || folders.contains(&folder),
            "{}: a row for {name}, where nobody worked",
            run.name
        );
        assert_ne!(status, "in-progress", "{}: {name}, {session}", run.name);
    }
}

#[test]
fn every_recorded_run_ends_with_a_board_that_is_true() {
    let count = runs(&TestEnv::new()).len();
    assert!(count >= 53, "{count}");
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if at >= count {
                        break;
                    }
                    replay(at);
                }
            });
        }
    });
}
