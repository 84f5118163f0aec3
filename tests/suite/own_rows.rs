//! Rows that were acknowledged come back when an old board does.

use crate::env::{Said, TestEnv};

fn update(env: &TestEnv, repo: &str, session: &str) -> Said {
    let path = env.repo(repo);
    let args = ["update", "--status", "in-progress", "--session", session];
    let said = env.run(&[&args[..], &["--repo", path.to_str().unwrap()]].concat());
    said.quietly()
}

fn sessions(env: &TestEnv) -> Vec<String> {
    let board = env.read_board();
    let rows = board.lines().filter(|line| line.starts_with("| r"));
    let cell = |line: &str| line.split(" | ").nth(2).unwrap().to_owned();
    rows.map(cell).collect()
}

#[test]
fn what_syncthing_moves_away_and_overwrites_is_healed() {
    let env = TestEnv::new();
    update(&env, "rx", "x0");
    let old = env.read_board();
    update(&env, "rx", "x1");
    let copy = "_active-sessions.sync-conflict-20261130-215620-AFCHMA7.md";
    let copy = env.board().with_file_name(copy);
    std::fs::rename(env.board(), &copy).unwrap();
    update(&env, "ry", "y1");
    assert!(
        copy.exists(),
        "no later update has seen its rows in the board"
    );
    env.write_board(&old);
    update(&env, "rz", "z1");
    assert_eq!(sessions(&env), ["x1", "y1", "z1"]);
    update(&env, "rz", "z2");
    assert!(!copy.exists(), "the board had its rows");
    assert_eq!(sessions(&env), ["x1", "y1", "z2"]);
}

#[test]
fn an_old_board_without_a_copy_gets_this_hosts_rows_back() {
    let env = TestEnv::new();
    update(&env, "ra", "a1");
    let old = env.read_board();
    update(&env, "ra", "a2");
    update(&env, "rb", "b1");
    env.write_board(&old);
    update(&env, "rc", "c1");
    assert_eq!(sessions(&env), ["a2", "b1", "c1"]);
}

#[test]
fn a_later_board_of_a_host_that_never_saw_a_row_gets_it_back() {
    let env = TestEnv::new();
    update(&env, "ra", "a1");
    let unseen = env.read_board();
    update(&env, "rb", "b1");
    // Another host wrote a row into the board without `rb`, after us, and the
    // sync tool put that board over ours.
    let later = unseen
        .lines()
        .map(|line| match line.strip_prefix("updated: ") {
            Some(_) => format!("updated: {}\n", boardsync::Timestamp::now()),
            None => format!("{line}\n"),
        });
    env.write_board(&later.collect::<String>());
    update(&env, "rc", "c1");
    assert_eq!(sessions(&env), ["a1", "b1", "c1"]);
}

#[test]
fn a_row_that_somebody_removed_stays_away() {
    let env = TestEnv::new();
    update(&env, "ra", "a1");
    update(&env, "rb", "b1");
    let is_kept = |line: &&str| !line.starts_with("| ra |");
    let board = env.read_board();
    let edited: Vec<&str> = board.split_inclusive('\n').filter(is_kept).collect();
    env.write_board(&edited.concat());
    update(&env, "rc", "c1");
    assert_eq!(sessions(&env), ["b1", "c1"]);
    // And it is forgotten, also for a board that is old by then.
    env.write_board(&edited.concat());
    update(&env, "rd", "d1");
    assert_eq!(sessions(&env), ["b1", "c1", "d1"]);
}

#[test]
fn a_pruned_row_does_not_come_back_with_an_old_board() {
    let env = TestEnv::new();
    update(&env, "rb", "b1");
    let old = env.read_board();
    let repo = env.repo("ra");
    env.run(&[
        "update",
        "--status",
        "closed",
        "--repo",
        repo.to_str().unwrap(),
    ])
    .quietly();
    let close = [
        "update",
        "--status",
        "closed",
        "--heartbeat",
        "2026-10-01T00:00:00Z",
    ];
    let again = env.repo("rd");
    env.run(&[&close[..], &["--repo", again.to_str().unwrap()]].concat())
        .quietly();
    let said = env.run(&["prune"]).quietly();
    assert!(said.out.contains("dropped `rd`"), "{said:?}");
    env.write_board(&old);
    update(&env, "rc", "c1");
    let board = env.read_board();
    assert!(
        board.contains("| ra |"),
        "not dropped, so put back: {board}"
    );
    assert!(!board.contains("| rd |"), "{board}");
}

#[test]
fn what_is_remembered_lies_outside_the_vault_and_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    update(&env, "ra", "a1");
    let folder = env.path("state/boardsync/own-rows");
    let files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|file| file.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let mode = std::fs::metadata(&files[0]).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0);
    // A broken file is a forgotten one.
    std::fs::write(&files[0], "{").unwrap();
    update(&env, "rb", "b1");
    assert_eq!(sessions(&env), ["a1", "b1"]);
}

#[test]
fn a_journal_survives_a_torn_line_and_becomes_one_line_again() {
    let env = TestEnv::new();
    update(&env, "ra", "a1");
    let old = env.read_board();
    update(&env, "rb", "b1");
    let folder = env.path("state/boardsync/own-rows");
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap();
    let file = file.unwrap().path();
    let lines = || std::fs::read_to_string(&file).unwrap().lines().count();
    assert_eq!(lines(), 2, "one for each update");
    let torn = std::fs::read_to_string(&file).unwrap() + "\n{\"updated\":17";
    std::fs::write(&file, torn).unwrap();
    update(&env, "rc", "c1");
    env.write_board(&old);
    update(&env, "rd", "d1");
    assert_eq!(sessions(&env), ["a1", "b1", "c1", "d1"]);
    for round in 0..70 {
        update(&env, "re", &format!("e{round}"));
    }
    assert!(lines() < 64, "{}", lines());
    env.write_board(&old);
    update(&env, "rf", "f1");
    assert_eq!(sessions(&env), ["a1", "b1", "c1", "d1", "e69", "f1"]);
}

#[test]
fn a_row_of_more_than_a_week_ago_is_not_brought_back() {
    const WEEK_MS: i64 = 7 * 24 * 60 * 60 * 1000;
    for (older_by, stays) in [(WEEK_MS - 3_600_000, true), (WEEK_MS + 1, false)] {
        let env = TestEnv::new();
        let unseen = "a0";
        update(&env, "ra", unseen);
        let old = env.read_board();
        update(&env, "ra", "a1");
        let folder = env.path("state/boardsync/own-rows");
        let journal = std::fs::read_dir(folder).unwrap().next().unwrap();
        let journal = journal.unwrap().path();
        let age = |line: &str| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            for row in line["rows"].as_array_mut().unwrap() {
                row["written"] = (row["written"].as_i64().unwrap() - older_by).into();
            }
            line.to_string()
        };
        let text = std::fs::read_to_string(&journal).unwrap();
        let lines: Vec<String> = text
            .lines()
            .filter(|line| !line.is_empty())
            .map(age)
            .collect();
        std::fs::write(&journal, lines.join("\n")).unwrap();
        env.write_board(&old);
        update(&env, "rb", "b1");
        let first = if stays { "a1" } else { unseen };
        assert_eq!(sessions(&env), [first, "b1"]);
    }
}
