//! `merge --resolve`: a board that git left in conflict becomes a board again.

use crate::env::{TestEnv, board_of};
use std::path::PathBuf;

fn row(repo: &str, minute: usize) -> String {
    format!(
        "| {repo} | closed | s{minute} | — | — | 2026-11-30T06:{minute:02}:00.000Z | 0000000{} |\n",
        repo.len()
    )
}

fn backups(env: &TestEnv) -> Vec<PathBuf> {
    let folder = env.orchestrator().join("backups");
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Resolves a board with this text, and gives what becomes of it.
fn resolved(text: &str) -> String {
    let env = TestEnv::new();
    env.write_board(text);
    let said = env.run(&["merge", "--resolve"]).quietly();
    assert!(said.out.starts_with("written: "), "{}", said.out);
    let backups = backups(&env);
    assert_eq!(backups.len(), 1);
    assert_eq!(std::fs::read_to_string(&backups[0]).unwrap(), text);
    env.assert_no_litter_but(&["backups"]);
    let board = env.read_board();
    for marker in ["<<<<<<<", "|||||||", "=======", ">>>>>>>"] {
        assert!(!board.contains(marker), "{marker} is in\n{board}");
    }
    board
}

#[test]
fn both_sides_of_every_hunk_are_in_the_repaired_board() {
    let text = board_of(&format!(
        "<<<<<<< HEAD\n{}{}=======\n{}>>>>>>> theirs\n{}\n<<<<<<< HEAD\nmine\n=======\nyours\n>>>>>>> theirs\n",
        row("a", 1),
        row("bb", 2),
        row("a", 5),
        row("ccc", 3)
    ));
    let expected = board_of(&(row("a", 5) + &row("bb", 2) + &row("ccc", 3))) + "\nmine\nyours\n";
    assert_eq!(resolved(&text), expected);
    // The same where lines end as on Windows.
    let crlf = |text: &str| text.replace('\n', "\r\n");
    assert_eq!(resolved(&crlf(&text)), crlf(&expected));
}

#[test]
fn with_an_ancestor_what_one_side_removed_is_gone() {
    let text = board_of(&format!(
        "<<<<<<< HEAD\n{}||||||| base\n{}{}=======\n{}{}>>>>>>> theirs\n",
        row("a", 2),
        row("a", 1),
        row("bb", 1),
        row("a", 3),
        row("bb", 1)
    ));
    assert_eq!(resolved(&text), board_of(&row("a", 3)));
}

#[test]
fn markers_in_the_frontmatter_and_conflicts_within_conflicts_are_resolved() {
    let text = board_of(&(row("a", 1) + &row("bb", 2)));
    let line = "updated: 2026-11-30T06:00:00.000Z\n";
    let later = "updated: 2026-11-30T06:30:00.000Z\n";
    let torn = text.replace(
        line,
        &format!("<<<<<<< a\n{line}=======\n{later}>>>>>>> b\n"),
    );
    assert_eq!(resolved(&torn), text.replace(line, later));

    let nested = text.replace(
        &row("a", 1),
        &format!(
            "<<<<<<< x\n<<<<<<< x\n{}=======\n{}>>>>>>> y\n=======\n{}>>>>>>> z\n",
            row("a", 1),
            row("a", 7),
            row("a", 3)
        ),
    );
    assert_eq!(resolved(&nested), text.replace(&row("a", 1), &row("a", 7)));

    let whole = format!(
        "<<<<<<< x\n{text}=======\n{}>>>>>>> y\n",
        board_of(&row("ccc", 3))
    );
    assert_eq!(
        resolved(&whole),
        board_of(&(row("a", 1) + &row("bb", 2) + &row("ccc", 3)))
    );
}

#[test]
fn an_update_skips_a_conflicted_board_until_it_is_resolved() {
    let env = TestEnv::new();
    env.write_board(&board_of(&format!(
        "<<<<<<< a\n{}=======\n{}>>>>>>> b\n",
        row("a", 1),
        row("bb", 2)
    )));
    let repo = env.repo("app");
    let update = [
        "update",
        "--repo",
        repo.to_str().unwrap(),
        "--status",
        "in-progress",
    ];
    let said = env.run(&update).quietly();
    assert!(said.out.starts_with("skipped-conflicted"), "{}", said.out);
    assert!(
        said.out.contains("boardsync merge --resolve"),
        "{}",
        said.out
    );
    env.run(&["merge", "--resolve"]).quietly();
    assert!(env.run(&update).quietly().out.starts_with("written"));
    let said = env.run(&["merge", "--resolve"]).quietly();
    assert!(said.out.starts_with("skipped-noop"), "{}", said.out);
    assert_eq!(backups(&env).len(), 1, "nothing to do, nothing to back up");
}

#[test]
fn what_cannot_be_repaired_stays_as_it_is() {
    for text in [
        board_of(&format!("<<<<<<< a\n{}>>>>>>> b\n", row("a", 1))),
        "<<<<<<< a\nmine\n=======\nyours\n>>>>>>> b\n".to_owned(),
        "a note\n".to_owned(),
    ] {
        let env = TestEnv::new();
        env.write_board(&text);
        let said = env.run(&["merge", "--resolve"]);
        assert_eq!(said.code, Some(1), "{said:?}");
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
        assert_eq!(env.read_board(), text);
        assert!(backups(&env).is_empty());
    }
    let said = TestEnv::new().run(&["merge", "--resolve"]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("board does not exist"), "{}", said.err);
}

#[test]
fn another_board_can_be_named() {
    let env = TestEnv::new();
    let board = env.vault().join("other.md");
    std::fs::write(
        &board,
        board_of(&format!("<<<<<<< a\n{}=======\n>>>>>>> b\n", row("a", 1))),
    )
    .unwrap();
    env.run(&["merge", "--resolve", "other.md"]).quietly();
    assert_eq!(
        std::fs::read_to_string(&board).unwrap(),
        board_of(&row("a", 1))
    );
}

#[cfg(feature = "failpoints")]
#[test]
fn an_edit_while_it_is_repaired_is_joined() {
    let env = TestEnv::new();
    let text = board_of(&format!(
        "<<<<<<< a\n{}=======\n{}>>>>>>> b\n",
        row("a", 1),
        row("bb", 2)
    ));
    env.write_board(&text);
    let parked = env.park("board.exchange.before", &["merge", "--resolve"]);
    env.write_board(&format!("{text}{}", row("ccc", 3)));
    assert_eq!(parked.go().code, Some(0));
    assert_eq!(
        env.read_board(),
        board_of(&(row("a", 1) + &row("bb", 2) + &row("ccc", 3)))
    );
}
