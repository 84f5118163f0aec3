//! What file systems, sync tools and other users do to a vault, and the board
//! stays whole.

use crate::env::{Said, TestEnv, board_of};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

fn update(env: &TestEnv, name: &str) -> Command {
    let repo = env.repo(name);
    let mut command = env.command(&["update", "--json", "--status", "in-progress", "--repo"]);
    command.arg(repo).env("BOARDSYNC_TIMEOUT_MS", "300");
    command
}

fn run(command: &mut Command) -> Said {
    command.output().unwrap().into()
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().mode() & 0o7777
}

/// Makes the name of a temporary of a process that is gone.
fn leftover(env: &TestEnv, number: usize) -> std::path::PathBuf {
    std::fs::create_dir_all(env.orchestrator()).unwrap();
    let token = format!("{:08x}7fffffff{number:016x}", 0);
    let name = format!("board.{token}.0123456789abcdef.fedcba9876543210.tmp");
    env.orchestrator().join(name)
}

/// Runs with the staleness at 1 ms, so that files of any maker are leftovers.
fn adopt(env: &TestEnv, name: &str) -> Said {
    std::thread::sleep(std::time::Duration::from_millis(5));
    run(update(env, name).env("BOARDSYNC_STALE_MS", "1"))
}

#[cfg(feature = "failpoints")]
#[test]
fn a_folder_that_cannot_be_synced_is_a_warning_of_a_written_board() {
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    for errno in ["5", "28"] {
        let points = format!("board.sync-folder.before=return({errno})");
        let said = run(update(&env, "app").env("FAILPOINTS", points)).quietly();
        assert_eq!(said.json()["action"], "written", "{said:?}");
        assert!(said.out.contains("cannot sync"), "{said:?}");
        std::fs::remove_file(env.board()).unwrap();
        env.write_board(&board_of(""));
    }
}

#[cfg(feature = "failpoints")]
#[test]
fn a_pruned_row_is_kept_in_its_backup_whatever_fails_after_the_swap() {
    for point in [
        "board.sync-folder.before",
        "board.unlink.before",
        "board.sync-folder.after",
    ] {
        let env = TestEnv::new();
        let row = "| old | closed | s | — | — | 2020-01-01T00:00:00.000Z | 11111111 |\n";
        env.write_board(&board_of(row));
        let mut command = env.command(&["prune", "--closed-older-than", "1d", "--json"]);
        command.env("FAILPOINTS", format!("{point}=return(5)"));
        let said = run(&mut command);
        assert_eq!(said.code, Some(0), "{point}: {said:?}");
        assert!(!env.read_board().contains("| old |"), "{point}: {said:?}");
        let folder = env.orchestrator().join("backups");
        let kept = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap();
        let kept = std::fs::read_to_string(kept.path()).unwrap();
        assert!(kept.contains("| old |"), "{point}: {said:?}");
    }
}

#[cfg(feature = "failpoints")]
#[test]
fn what_the_system_refuses_twice_and_then_grants_costs_nothing() {
    for point in [
        "board.exchange",
        "board.publish",
        "board.stage",
        "board.unlink",
    ] {
        for errno in [13, 16, 1] {
            let env = TestEnv::new();
            if point != "board.publish" {
                env.write_board(&board_of(""));
            }
            let points = format!("{point}.before=2*return({errno})");
            let said = run(update(&env, "app").env("FAILPOINTS", points)).quietly();
            assert_eq!(
                said.json()["action"],
                "written",
                "{point}, {errno}: {said:?}"
            );
            assert!(env.read_board().contains("| app |"));
            env.assert_no_litter();
        }
    }
}

#[cfg(feature = "failpoints")]
#[test]
fn a_board_that_cannot_be_replaced_is_written_in_place_and_restored_from_its_journal() {
    let env = TestEnv::new();
    env.write_board(&board_of("\nProse.\n"));
    let inode = env.board().metadata().unwrap().ino();
    let busy = "board.exchange.before=return(16);board.replace.before=return(16)";
    let said = run(update(&env, "app").env("FAILPOINTS", busy)).quietly();
    assert_eq!(said.json()["action"], "written", "{said:?}");
    let note = said.json()["note"].as_str().unwrap().to_owned();
    assert!(note.contains("written in place"), "{note}");
    assert_eq!(env.board().metadata().unwrap().ino(), inode);
    env.assert_no_litter();

    // Killed while it writes: half a board lies there, and the journal.
    let killed = format!("{busy};board.write-over.before=return(kill)");
    run(update(&env, "lib").env("FAILPOINTS", killed));
    for torn in ["", "---\n_generator: sess"] {
        std::fs::write(env.board(), torn).unwrap();
        let journal = env.beside_the_lock();
        let journal = journal.iter().find(|name| name.ends_with(".journal.tmp"));
        let journal = env.orchestrator().join(journal.expect("a journal is left"));
        let whole = std::fs::read(&journal).unwrap();
        let said = run(update(&env, "next").env("FAILPOINTS", busy));
        assert_eq!(said.json()["action"], "written", "{torn:?}: {said:?}");
        let board = env.read_board();
        for kept in ["| app |", "| lib |", "| next |", "Prose."] {
            assert!(board.contains(kept), "{torn:?}: {kept} is not in\n{board}");
        }
        env.assert_no_litter();
        std::fs::write(&journal, whole).unwrap();
    }
}

#[cfg(feature = "failpoints")]
#[test]
fn a_swap_that_is_reported_as_failed_is_believed_to_be_what_it_is() {
    for errno in [2, 5, 13, 116] {
        let env = TestEnv::new();
        env.write_board(&board_of(""));
        let points = format!("board.exchange.after=1*return({errno})");
        let said = run(update(&env, "app").env("FAILPOINTS", points)).quietly();
        assert_eq!(said.json()["action"], "written", "{errno}: {said:?}");
        assert!(env.read_board().contains("| app |"), "{errno}");
        env.assert_no_litter();
    }
}

#[test]
fn an_acl_of_the_board_stays_and_never_widens_its_mode() {
    let env = TestEnv::within(Path::new("/dev/shm"));
    env.write_board(&board_of(""));
    std::fs::set_permissions(env.board(), std::fs::Permissions::from_mode(0o600)).unwrap();
    // Version 2: owner rw-, user 65534 r--, group ---, mask r--, other ---.
    let mut acl = 2_u32.to_le_bytes().to_vec();
    for (tag, may, id) in [
        (1, 6, u32::MAX),
        (2, 4, 65_534),
        (4, 0, u32::MAX),
        (16, 4, u32::MAX),
        (32, 0, u32::MAX),
    ] {
        acl.extend(u16::to_le_bytes(tag));
        acl.extend(u16::to_le_bytes(may));
        acl.extend(u32::to_le_bytes(id));
    }
    let name = "system.posix_acl_access";
    let flags = rustix::fs::XattrFlags::empty();
    rustix::fs::setxattr(env.board(), name, &acl, flags).expect("a tmpfs keeps ACLs");
    run(&mut update(&env, "app")).quietly();
    let mut now = [0; 256];
    let length = rustix::fs::getxattr(env.board(), name, &mut now[..]).expect("it is kept");
    assert_eq!(&now[..length], acl);
}

#[test]
fn no_execute_or_set_id_bit_is_copied() {
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    std::fs::set_permissions(env.board(), std::fs::Permissions::from_mode(0o6777)).unwrap();
    run(&mut update(&env, "app")).quietly();
    assert_eq!(mode(&env.board()), 0o666);
}

#[test]
fn a_dangling_board_link_gets_its_target_and_only_within_the_home_folder() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.board().parent().unwrap()).unwrap();
    let target = env.home().join("notes/_active-sessions.md");
    symlink(&target, env.board()).unwrap();
    run(&mut update(&env, "app")).quietly();
    assert!(
        std::fs::read_to_string(&target)
            .unwrap()
            .contains("| app |")
    );
    assert!(env.board().is_symlink());

    std::fs::remove_file(env.board()).unwrap();
    let outside = env.path("outside/_active-sessions.md");
    symlink(&outside, env.board()).unwrap();
    let said = run(&mut update(&env, "app"));
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(!outside.exists() && !outside.parent().unwrap().exists());
}

#[test]
fn merged_and_backups_are_never_followed_out_of_the_vault() {
    let env = TestEnv::new();
    let row = "| old | closed | s | — | — | 2020-01-01T00:00:00.000Z | 11111111 |\n";
    env.write_board(&board_of(row));
    let elsewhere = env.home().join("rules");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::fs::create_dir_all(env.orchestrator()).unwrap();
    // As many as `prune` keeps, and some more, all of which look like backups.
    for day in 1..=30 {
        let name = format!("board.2026-10-{day:02}T000000.000Z.md");
        std::fs::write(elsewhere.join(name), "theirs").unwrap();
    }
    for folder in ["merged", "backups"] {
        symlink(&elsewhere, env.orchestrator().join(folder)).unwrap();
    }
    let copy = env.board().with_file_name("_active-sessions (1).md");
    std::fs::write(&copy, board_of(row)).unwrap();
    run(&mut update(&env, "app"));
    let said = env.run(&["prune", "--closed-older-than", "1d"]);
    assert_ne!(
        said.code,
        Some(0),
        "without a backup nothing is dropped: {said:?}"
    );
    assert!(said.err.contains("symbolic link"), "{said:?}");
    assert!(env.read_board().contains("| old |"));
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 30);
    assert!(copy.exists(), "it stays where it was");
}

#[test]
fn leftovers_are_joined_within_limits() {
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    for number in 0..12 {
        let file = std::fs::File::create(leftover(&env, number)).unwrap();
        file.set_len(64 << 20).unwrap();
    }
    for number in 100..3_000 {
        std::fs::write(leftover(&env, number), "").unwrap();
    }
    let said = Said::from(limited(adopting(&env, "app")).output().unwrap());
    assert_eq!(said.json()["action"], "written", "{said:?}");
    for _ in 0..20 {
        adopt(&env, "app");
    }
    let mut names = env.beside_the_lock();
    names.retain(|name| name.ends_with(".tmp") || name.contains(".kept"));
    assert_eq!(names.len(), 12, "only the large ones are kept: {names:?}");
}

fn adopting(env: &TestEnv, name: &str) -> Command {
    std::thread::sleep(std::time::Duration::from_millis(5));
    let mut command = update(env, name);
    command.env("BOARDSYNC_STALE_MS", "1");
    command
}

/// Runs a command with no more than 64 MiB of memory of its own.
fn limited(command: Command) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg("ulimit -d 65536; exec \"$0\" \"$@\"");
    shell.arg(command.get_program()).args(command.get_args());
    shell.env_clear();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            shell.env(name, value);
        }
    }
    shell.current_dir(command.get_current_dir().unwrap());
    shell
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    shell
}

#[test]
fn a_board_larger_than_can_be_read_is_not_written() {
    let env = TestEnv::new();
    let mut rows = String::new();
    let cell = "x".repeat(240);
    while rows.len() < (4 << 20) - 800 {
        rows.push_str(&format!(
            "| r | closed | {cell} | — | — | — | {:08x} |\n",
            rows.len()
        ));
    }
    env.write_board(&board_of(&rows));
    let before = env.read_board();
    for number in 0..8 {
        let said = run(&mut update(
            &env,
            &format!("app-{number}-{}", "y".repeat(200)),
        ));
        if said.json()["action"] == "skipped-write-failed" {
            assert!(said.err.contains("would be larger than"), "{said:?}");
            assert!(env.read_board().len() <= 4 << 20);
            return;
        }
    }
    panic!(
        "it was written: {} bytes became {}",
        before.len(),
        env.read_board().len()
    );
}
