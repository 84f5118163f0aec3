//! A board that can only be written in place, and whose writer dies over it.

use crate::env::situation::{PROSE, SEED};
use crate::env::{Said, TestEnv, board_of};
use std::process::Command;

fn busy(env: &TestEnv, name: &str, dies: &str) -> Command {
    let mut command = env.update_command(name);
    let points = "board.exchange.before=return(16);board.replace.before=return(16)";
    command.env("FAILPOINTS", format!("{points};{dies}"));
    command
}

/// Leaves a board and a journal with one row more.
fn dies(at: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write_board(&board_of(&format!("{SEED}{PROSE}")));
    busy(&env, "dead", &format!("{at}=return(kill)"))
        .output()
        .unwrap();
    let left = env.beside_the_lock();
    assert!(
        left.iter().any(|name| name.ends_with(".journal.tmp")),
        "{left:?}"
    );
    env
}

fn journal(env: &TestEnv) -> String {
    let names = env.beside_the_lock();
    let name = names.iter().find(|name| name.ends_with(".journal.tmp"));
    std::fs::read_to_string(env.orchestrator().join(name.unwrap())).unwrap()
}

/// Runs an update, and asserts which rows and lines the board then has.
fn next(env: &TestEnv, has: &[&str], lacks: &[&str]) {
    let mut command = busy(env, "next", "");
    // Else this host would remember the row of the dead one.
    command.env("XDG_STATE_HOME", env.path("other-state"));
    let said = Said::from(command.output().unwrap());
    assert_eq!(said.json()["action"], "written", "{said:?}");
    let board = env.read_board();
    for text in has.iter().chain(&["| next |", "| seed |"]) {
        assert_eq!(board.matches(text).count(), 1, "{text} in\n{board}");
    }
    for text in lacks {
        assert!(!board.contains(text), "{text} in\n{board}");
    }
    env.assert_no_litter();
}

#[test]
fn a_journal_whose_board_was_not_touched_is_dropped() {
    next(
        &dies("board.write-over.before"),
        &[PROSE.trim()],
        &["| dead |"],
    );
}

#[test]
fn a_journal_whose_board_is_written_is_dropped() {
    let env = dies("board.write-over.after");
    next(&env, &["| dead |", PROSE.trim()], &[]);
}

#[test]
fn a_journal_is_joined_into_what_was_written_since() {
    let env = dies("board.write-over.before");
    env.write_board(&board_of(&format!("{SEED}\nA person's.\n")));
    next(&env, &["| dead |", "A person's."], &[]);
}

#[test]
fn the_rest_of_a_longer_board_behind_the_new_one_is_cut_off() {
    let env = dies("board.write-over.before");
    env.write_board(&format!("{}The rest of the old one.\n", journal(&env)));
    next(&env, &["| dead |", PROSE.trim()], &["The rest"]);
}

#[test]
fn a_journal_that_is_not_what_its_name_says_restores_nothing() {
    let env = dies("board.write-over.before");
    let names = env.beside_the_lock();
    let name = names.iter().find(|name| name.ends_with(".journal.tmp"));
    let other = board_of("| forged | closed | s | — | — | — | 12345678 |\n");
    std::fs::write(env.orchestrator().join(name.unwrap()), other).unwrap();
    env.write_board("");
    let said = Said::from(busy(&env, "next", "").output().unwrap());
    assert_eq!(said.json()["action"], "skipped-handwritten", "{said:?}");
    assert_eq!(env.read_board(), "");
}
