//! Two users with a vault in common: neither reaches the other's files, and one
//! who may only read keeps no writer waiting.

use crate::env::{Said, TestEnv, board_of, skipped};
use crate::hostile_vault::state_of;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The two users of the tests below, who are neither root nor anybody.
const VICTIM: u32 = 54_321;
const ATTACKER: u32 = 54_322;

/// Makes a home of the victim's that the attacker may read, and a copy of the
/// binary that both may run; `None` if the tests do not run as root.
fn two_users() -> Option<(TestEnv, PathBuf)> {
    if !rustix::process::geteuid().is_root() {
        skipped("two users need root");
        return None;
    }
    let env = TestEnv::new();
    // The binary's own folder may be closed to other users.
    let binary = env.path("boardsync");
    fs::copy(env!("CARGO_BIN_EXE_boardsync"), &binary).unwrap();
    own(&env.path(""), VICTIM, 0o755);
    own(&env.home(), VICTIM, 0o755);
    Some((env, binary))
}

fn own(path: &Path, user: u32, mode: u32) {
    std::os::unix::fs::chown(path, Some(user), Some(user)).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Prepares a program as another user; only root can.
fn as_user(env: &TestEnv, user: u32, program: &str) -> Command {
    let mut command = env.command_of("setpriv");
    command
        .args([
            &format!("--reuid={user}"),
            &format!("--regid={user}"),
            "--clear-groups",
        ])
        .arg(program);
    command
}

#[test]
fn another_user_with_a_vault_in_common_reaches_no_file_of_the_victims() {
    let Some((env, binary)) = two_users() else {
        return;
    };
    let rules = env.home().join("rules");
    fs::create_dir(&rules).unwrap();
    for second in 10..40 {
        let name = format!("board.2026-01-01T0000{second}.000Z.md");
        fs::write(rules.join(name), "a note").unwrap();
    }
    own(&rules, VICTIM, 0o700);
    let old = "| old | closed | s | — | — | 2020-01-01T00:00:00.000Z | 11111111 |\n";
    env.write_board(&board_of(old));
    own(&env.vault(), VICTIM, 0o777);
    own(env.board().parent().unwrap(), VICTIM, 0o777);
    own(&env.board(), VICTIM, 0o600);
    let script = format!(
        "mkdir -m 777 .orchestrator && cd .orchestrator && ln -s {0} merged && ln -s {0} backups",
        rules.display()
    );
    let mut plants = as_user(&env, ATTACKER, "sh");
    plants.args(["-c", &script]).current_dir(env.vault());
    Said::from(plants.output().unwrap()).quietly();
    let copy = "_active-sessions.sync-conflict-20261130-101010-ABCDEFG.md";
    let copy = env.board().with_file_name(copy);
    fs::write(&copy, board_of(old)).unwrap();
    own(&copy, ATTACKER, 0o644);

    let before = state_of(&rules);
    for args in [
        &["update", "--repo", ".", "--status", "in-progress"][..],
        &["update", "--repo", ".", "--status", "closed"],
        &["prune", "--closed-older-than", "1d"],
        &["prune", "--undo"],
    ] {
        let mut command = as_user(&env, VICTIM, binary.to_str().unwrap());
        let said = Said::from(command.args(args).output().unwrap());
        assert!(matches!(said.code, Some(0 | 1)), "{args:?}: {said:?}");
        assert_eq!(state_of(&rules), before, "{args:?}: {said:?}");
    }
    assert!(
        env.read_board().contains("| in-progress |") || env.read_board().contains("| closed |")
    );

    // The board is the victim's alone, and so is who works on it, with what.
    let read = format!("cat {}/board.lock", env.orchestrator().display());
    let mut exec = as_user(&env, VICTIM, binary.to_str().unwrap());
    exec.args([
        "exec",
        "--",
        "sh",
        "-c",
        &format!(
            "{read} && stat -c %a {0}/board.lock",
            env.orchestrator().display()
        ),
        "hunter2",
    ]);
    let said = Said::from(exec.output().unwrap());
    assert!(said.out.ends_with("600\n"), "{said:?}");
    assert!(!said.out.contains("hunter2"), "{said:?}");
}

/// Has the attacker hold the kernel lock of each file that they can open.
fn hold(env: &TestEnv, paths: &[PathBuf]) -> Vec<Child> {
    let held = |path: &PathBuf| {
        let ready = env.path(&format!("held-{}", path.file_name().unwrap().display()));
        fs::write(&ready, "").unwrap();
        fs::set_permissions(&ready, fs::Permissions::from_mode(0o666)).unwrap();
        let script = format!("echo x > '{}'; exec sleep 60", ready.display());
        let mut flock = as_user(env, ATTACKER, "flock");
        flock
            .args(["--exclusive", "--no-fork"])
            .arg(path)
            .args(["sh", "-c", &script]);
        let mut child = flock
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        crate::env::wait_until("the attacker has the lock, or is refused", || {
            fs::read(&ready).unwrap() == b"x\n" || child.try_wait().unwrap().is_some()
        });
        child
    };
    paths.iter().map(held).collect()
}

#[test]
fn one_who_may_only_read_keeps_no_writer_waiting() {
    let Some((env, binary)) = two_users() else {
        return;
    };
    env.write_board(&board_of(""));
    own(&env.vault(), VICTIM, 0o755);
    own(env.board().parent().unwrap(), VICTIM, 0o755);
    own(&env.board(), VICTIM, 0o644);
    for folder in ["state", "src", "src/app"] {
        fs::create_dir_all(env.path(folder)).unwrap();
        own(&env.path(folder), VICTIM, 0o700);
    }
    // What an earlier version made: everybody may read it, and so hold it.
    fs::create_dir(env.orchestrator()).unwrap();
    own(&env.orchestrator(), VICTIM, 0o755);
    let kernel_locks =
        ["board.gate.lock", "board.latch.lock"].map(|it| env.orchestrator().join(it));
    for path in &kernel_locks {
        fs::write(path, "").unwrap();
        own(path, VICTIM, 0o6755);
    }
    let hook = |session: &str| {
        let event = serde_json::json!({
            "session_id": session, "hook_event_name": "SessionStart", "cwd": env.repo("app"),
        });
        let started = Instant::now();
        let mut command = as_user(&env, VICTIM, binary.to_str().unwrap());
        let said = env.feed(command.arg("hook"), event.to_string().as_bytes());
        (said, started.elapsed())
    };
    let mut holders = hold(&env, &kernel_locks);
    let (said, took) = hook("first-session");
    assert!(took < Duration::from_secs(2), "{took:?}: {said:?}");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.lines().count() <= 1, "{said:?}");
    assert!(env.read_board().contains("| app |"), "{said:?}");
    for path in &kernel_locks {
        assert_eq!(mode(path), 0o600, "{}", path.display());
    }
    for holder in &mut holders {
        holder.kill().unwrap();
        holder.wait().unwrap();
    }

    // Now they cannot even open them.
    let mut holders = hold(&env, &kernel_locks);
    for holder in &mut holders {
        assert!(holder.wait().unwrap().code().is_some_and(|code| code != 0));
    }
    hook("second-session").0.quietly();
}

#[test]
fn a_hard_link_for_a_kernel_lock_gives_nobody_a_file() {
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    fs::create_dir(env.orchestrator()).unwrap();
    fs::set_permissions(env.orchestrator(), fs::Permissions::from_mode(0o777)).unwrap();
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        std::os::unix::fs::chown(env.orchestrator(), Some(ATTACKER), Some(ATTACKER)).unwrap();
    }
    for (name, content) in [("secret", "private"), ("empty", "")] {
        let path = env.home().join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        for lock in ["board.gate.lock", "board.latch.lock"] {
            let lock = env.orchestrator().join(lock);
            let _ = fs::remove_file(&lock);
            fs::hard_link(&path, &lock).unwrap();
        }
        let before = fs::metadata(&path).unwrap();
        env.update("app", "in-progress").quietly();
        let after = fs::metadata(&path).unwrap();
        assert_eq!((after.mode(), after.uid()), (before.mode(), before.uid()));
    }
}

#[test]
fn who_may_write_beside_the_board_may_hold_its_locks_and_nobody_else() {
    let Some((env, binary)) = two_users() else {
        return;
    };
    let update = |user| {
        let mut command = as_user(&env, user, binary.to_str().unwrap());
        command.args(["update", "--json", "--status", "in-progress", "--repo", "."]);
        Said::from(command.output().unwrap())
    };
    for (folder, board, wanted) in [
        (0o755, 0o644, 0o600),
        (0o755, 0o666, 0o600),
        (0o775, 0o664, 0o660),
        (0o775, 0o644, 0o640),
        (0o777, 0o600, 0o600),
        (0o777, 0o644, 0o644),
    ] {
        let _ = fs::remove_dir_all(env.vault());
        fs::create_dir_all(env.orchestrator()).unwrap();
        env.write_board(&board_of(""));
        for path in [env.vault(), env.board().parent().unwrap().into()] {
            own(&path, VICTIM, folder);
        }
        own(&env.orchestrator(), VICTIM, folder);
        own(&env.board(), VICTIM, board);
        let said = update(VICTIM);
        assert_eq!(said.json()["lock"]["latched"], true, "{said:?}");
        for name in ["board.gate.lock", "board.latch.lock"] {
            let path = env.orchestrator().join(name);
            assert_eq!(mode(&path), wanted, "{name}, {folder:o}, {board:o}");
        }
    }
    // The last of these: two writers, both with the lock and the latch.
    let said = update(ATTACKER);
    assert_eq!(said.json()["lock"]["locked"], true, "{said:?}");
    assert_eq!(said.json()["lock"]["latched"], true, "{said:?}");
}
