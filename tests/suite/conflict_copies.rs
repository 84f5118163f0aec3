//! Conflict copies of sync tools: merged by the next update, then put aside.

use crate::env::{TestEnv, board_of};
use std::path::PathBuf;

const COPY: &str = "_active-sessions.sync-conflict-20260101-120000-ABCDEFG.md";

fn row(repo: &str, minute: usize, key: &str) -> String {
    format!("| {repo} | closed | s{minute} | — | — | 2026-11-30T06:{minute:02}:00.000Z | {key} |\n")
}

fn beside(env: &TestEnv, name: &str) -> PathBuf {
    env.board().with_file_name(name)
}

fn merged(env: &TestEnv, name: &str) -> PathBuf {
    env.orchestrator().join("merged").join(name)
}

fn update(env: &TestEnv) -> crate::env::Said {
    env.update("app", "in-progress")
}

#[test]
fn a_conflict_copy_is_merged_put_aside_and_told_of_once() {
    let env = TestEnv::new();
    env.write_board(
        &(board_of(&(row("a", 1, "00000001") + &row("b", 9, "00000002"))) + "\nmine\n"),
    );
    let theirs = board_of(&(row("a", 5, "00000001") + &row("c", 2, "00000003"))) + "\ntheirs\n";
    std::fs::write(beside(&env, COPY), &theirs).unwrap();
    let said = update(&env).quietly();
    assert!(!said.out.contains("conflict copy"), "{}", said.out);
    assert!(
        beside(&env, COPY).exists(),
        "it stays until its rows are seen"
    );
    let said = update(&env).quietly();
    for part in [
        "; merged a conflict copy, now `",
        "`boardsync init --shared`",
    ] {
        assert!(said.out.contains(part), "{}", said.out);
    }
    let board = env.read_board();
    for part in [
        row("a", 5, "00000001"),
        row("b", 9, "00000002"),
        row("c", 2, "00000003"),
        "| app | in-progress |".to_owned(),
        "\nmine\n".to_owned(),
        "\ntheirs\n".to_owned(),
    ] {
        assert!(board.contains(&part), "{part} is not in\n{board}");
    }
    assert!(!beside(&env, COPY).exists());
    assert_eq!(std::fs::read_to_string(merged(&env, COPY)).unwrap(), theirs);
    update(&env).quietly();

    // Another of the same name does not clobber the first.
    std::fs::write(beside(&env, COPY), board_of(&row("d", 3, "00000004"))).unwrap();
    update(&env).quietly();
    update(&env).quietly();
    assert!(env.read_board().contains(&row("d", 3, "00000004")));
    assert_eq!(std::fs::read_to_string(merged(&env, COPY)).unwrap(), theirs);
    assert_eq!(
        std::fs::read_dir(env.orchestrator().join("merged"))
            .unwrap()
            .count(),
        2
    );
}

#[test]
fn a_sweep_merges_copies_too_and_a_shared_board_gives_no_hint() {
    let env = TestEnv::new();
    env.write_board(&board_of(&row("a", 1, "00000001")));
    env.run(&["init", "--shared", "--yes"]).quietly();
    for name in ["_active-sessions 2.md", "_active-sessions (1).md"] {
        std::fs::write(
            beside(&env, name),
            board_of(&row("b", name.len(), "00000002")),
        )
        .unwrap();
    }
    let sweep = ["sweep", "--json", "--root", "src"];
    assert_eq!(env.run(&sweep).quietly().json()["action"], "written");
    let said = env.run(&sweep).quietly().json();
    assert_eq!(said["action"], "skipped-noop");
    assert_eq!(said["copies"].as_array().unwrap().len(), 2, "{said}");
    let last = "_active-sessions (1).md".len();
    assert!(
        env.read_board().contains(&format!("| s{last} |")),
        "{}",
        env.read_board()
    );
}

#[test]
fn what_is_not_ours_to_merge_stays_where_it_is() {
    let env = TestEnv::new();
    env.write_board(&board_of(&row("a", 1, "00000001")));
    let conflicted = format!(
        "<<<<<<< x\n{}=======\n>>>>>>> y\n",
        board_of(&row("z", 2, "00000009"))
    );
    let ours = board_of(&row("z", 2, "00000009"));
    let left = [
        ("_active-sessions 2.md", "a note with a number\n"),
        ("_active-sessions (1).md", &*conflicted),
        ("_active-sessions-old.md", &*ours),
    ];
    for (name, text) in left {
        std::fs::write(beside(&env, name), text).unwrap();
    }
    std::os::unix::fs::symlink(beside(&env, "_active-sessions-old.md"), beside(&env, COPY))
        .unwrap();
    update(&env).quietly();
    assert!(!env.read_board().contains("| z |"));
    for (name, text) in left {
        assert_eq!(std::fs::read_to_string(beside(&env, name)).unwrap(), text);
    }
    assert!(beside(&env, COPY).is_symlink());
    assert!(!env.orchestrator().join("merged").exists());
}

#[test]
fn a_board_of_an_unknown_name_is_reported_once_with_the_command_that_adopts_it() {
    let env = TestEnv::new();
    update(&env);
    let copy = env.board().with_file_name("_active-sessions.mine.md");
    std::fs::write(&copy, env.read_board() + &row("lost", 5, "55555555")).unwrap();
    // A note of a person is none of ours.
    let note = env.board().with_file_name("_active-sessions-ideas.md");
    std::fs::write(&note, "# Ideas\n").unwrap();
    let other = env.repo("other");
    let said = env.run(&["close", "--repo", other.to_str().unwrap()]);
    assert!(said.out.contains("`_active-sessions.mine.md`"), "{said:?}");
    assert!(!said.out.contains("ideas"), "{said:?}");
    let (_, command) = said.out.split_once("join it: ").unwrap();
    let command = command.lines().next().unwrap();
    let again = env.repo("again");
    let said = env.run(&["close", "--repo", again.to_str().unwrap()]);
    assert!(!said.quietly().out.contains("mine"), "told once");
    assert!(copy.exists(), "a person may have made it");
    let moved = std::process::Command::new("sh")
        .args(["-c", command])
        .status();
    assert!(moved.unwrap().success(), "{command}");
    let last = env.repo("last");
    env.run(&["close", "--repo", last.to_str().unwrap()])
        .quietly();
    assert!(
        env.read_board().contains("| lost |"),
        "{}",
        env.read_board()
    );
}

#[test]
fn boards_of_unknown_names_are_reported_in_one_line() {
    let env = TestEnv::new();
    update(&env);
    for name in ["a", "b", "c", "d", "e"] {
        let copy = beside(&env, &format!("_active-sessions.{name}.md"));
        std::fs::write(copy, env.read_board()).unwrap();
    }
    let other = env.repo("other");
    let said = env.run(&["close", "--repo", other.to_str().unwrap()]);
    for part in [
        "5 files beside the board are also boards: `_active-sessions.a.md`, `_active-sessions.b.md`",
        " and 2 more, named by `boardsync doctor`;",
        "the first one by: mv ",
    ] {
        assert!(said.out.contains(part), "{part} is not in {}", said.out);
    }
    let again = env.repo("again");
    let said = env.run(&["close", "--repo", again.to_str().unwrap()]);
    assert!(!said.quietly().out.contains("also boards"), "once");
}

#[test]
fn a_copy_stays_while_the_board_cannot_hold_its_rows() {
    let env = TestEnv::new();
    env.write_board("a person's note\n");
    std::fs::write(beside(&env, COPY), board_of(&row("a", 1, "00000001"))).unwrap();
    let said = update(&env).quietly();
    assert!(said.out.starts_with("skipped-handwritten"), "{}", said.out);
    assert!(beside(&env, COPY).exists());
    let dry = ["update", "--dry-run", "--repo", ".", "--status", "closed"];
    env.run(&dry).quietly();
    assert!(beside(&env, COPY).exists());
}

#[cfg(feature = "failpoints")]
#[test]
fn a_crash_before_the_copy_is_put_aside_costs_nothing() {
    let env = TestEnv::new();
    env.write_board(&(board_of(&row("a", 1, "00000001")) + "\nmine\n"));
    std::fs::write(
        beside(&env, COPY),
        board_of(&row("b", 2, "00000002")) + "\ntheirs\n",
    )
    .unwrap();
    let repo = env.repo("app");
    let args = [
        "update",
        "--repo",
        repo.to_str().unwrap(),
        "--status",
        "in-progress",
        "--heartbeat",
        "2026-11-30T06:30:00Z",
    ];
    env.run(&args).quietly();
    env.park("archive.move.before", &args).kill();
    assert!(beside(&env, COPY).exists(), "not put aside yet");
    let after_crash = env.read_board();
    assert!(
        after_crash.contains("| b |"),
        "the board has its rows first\n{after_crash}"
    );
    let said = env.run(&args);
    assert!(said.out.contains("; merged a conflict copy"), "{said:?}");
    assert_eq!(env.read_board(), after_crash, "joined twice is joined once");
    assert!(merged(&env, COPY).exists());
    env.run(&args).quietly();
}

#[cfg(feature = "failpoints")]
#[test]
fn a_copy_that_changes_under_way_is_merged_by_the_next_update() {
    let env = TestEnv::new();
    env.write_board(&board_of(&row("a", 1, "00000001")));
    std::fs::write(beside(&env, COPY), board_of(&row("b", 2, "00000002"))).unwrap();
    let repo = env.repo("app");
    let args = [
        "update",
        "--repo",
        repo.to_str().unwrap(),
        "--status",
        "in-progress",
    ];
    env.run(&args).quietly();
    let parked = env.park("archive.move.before", &args);
    std::fs::write(beside(&env, COPY), board_of(&row("c", 3, "00000003"))).unwrap();
    parked.go().quietly();
    assert!(
        beside(&env, COPY).exists(),
        "its new rows are not in the board"
    );
    update(&env).quietly();
    update(&env).quietly();
    let board = env.read_board();
    assert!(
        board.contains("| b |") && board.contains("| c |"),
        "{board}"
    );
    assert!(!beside(&env, COPY).exists());
}

#[cfg(feature = "failpoints")]
#[test]
fn an_editor_that_writes_meanwhile_does_not_undo_the_merge_of_a_copy() {
    let env = TestEnv::new();
    env.write_board(&board_of(&row("a", 1, "00000001")));
    std::fs::write(
        beside(&env, COPY),
        board_of(&row("b", 2, "00000002")) + "\ntheirs\n",
    )
    .unwrap();
    let repo = env.repo("app");
    let args = [
        "update",
        "--repo",
        repo.to_str().unwrap(),
        "--status",
        "in-progress",
    ];
    let parked = env.park("board.exchange.before", &args);
    env.write_board(&(board_of(&row("a", 1, "00000001")) + "\nedited\n"));
    assert_eq!(parked.go().code, Some(0));
    let board = env.read_board();
    for part in ["| b |", "| app |", "\nedited\n", "\ntheirs\n"] {
        assert!(board.contains(part), "{part} is not in\n{board}");
    }
    update(&env).quietly();
    assert!(!beside(&env, COPY).exists());
}

#[test]
fn copies_with_other_line_endings_add_no_lines() {
    let env = TestEnv::new();
    env.write_board(&(board_of(&row("a", 1, "00000001")) + "\nmine\n"));
    for round in 0..6 {
        let board = env.read_board().replace("\r\n", "\n");
        let copy = board.replace("| a | closed |", "| a | frei |");
        let copy = match round % 2 {
            0 => copy.replace('\n', "\r\n"),
            _ => copy,
        };
        std::fs::write(beside(&env, COPY), copy).unwrap();
        if round == 3 {
            env.write_board(&board.replace('\n', "\r\n"));
        }
        update(&env).quietly();
        let board = env.read_board();
        for line in ["# Active Sessions", "_generator: ", "mine", "| a |"] {
            assert_eq!(board.matches(line).count(), 1, "{line} in\n{board}");
        }
        let lines = board.matches('\n').count();
        let endings = board.matches("\r\n").count();
        assert!(endings == 0 || endings == lines, "one kind:\n{board:?}");
    }
}

#[test]
fn a_copy_whose_last_line_is_open_waits_for_its_rest() {
    let env = TestEnv::new();
    env.write_board(&board_of(&row("a", 1, "00000001")));
    let whole = board_of(&row("b", 2, "00000002"));
    let copy = beside(&env, COPY);
    std::fs::write(&copy, &whole[..whole.len() - 20]).unwrap();
    update(&env).quietly();
    assert!(copy.exists() && !env.read_board().contains("| b |"));
    std::fs::write(&copy, &whole).unwrap();
    update(&env).quietly();
    update(&env).quietly();
    assert!(!copy.exists() && env.read_board().contains(&row("b", 2, "00000002")));
    // One that nobody goes on with is taken as it is.
    std::fs::write(&copy, whole.trim_end().replace("| b |", "| c |")).unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    let file = std::fs::File::options().write(true).open(&copy).unwrap();
    file.set_modified(long_ago).unwrap();
    update(&env).quietly();
    update(&env).quietly();
    assert!(!copy.exists() && env.read_board().contains("| c |"));
}
