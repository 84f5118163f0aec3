//! What one commit does in its second round and later: nothing joined is lost, and
//! what is said is true.

use crate::env::situation::{PROSE, SEED, failing, planted, seeded};
use crate::env::{Said, TestEnv, board_of, save};
use std::process::Command;

fn run(mut command: Command) -> Said {
    command.output().unwrap().into()
}

/// Leaves a board with a planted row, displaced unread by a process that died.
fn leave_displaced(env: &TestEnv) {
    let points = ["board.exchange.before", "board.exchange.after"];
    let mut dead = env.park_along(&points, env.update_command("dead"));
    save(&env.board(), &planted());
    dead.advance();
    dead.kill();
}

fn assert_rows(env: &TestEnv, names: &[&str]) {
    let board = env.read_board();
    for name in names {
        assert_eq!(
            board.matches(&format!("| {name} | ")).count(),
            1,
            "{name} in\n{board}"
        );
    }
}

/// Runs another update, after which nothing is left behind.
fn next(env: &TestEnv) {
    let json = run(env.update_command("next")).quietly().json();
    assert_eq!(json["action"], "written", "{json}");
    env.assert_no_litter();
}

#[test]
fn a_leftover_that_was_joined_in_a_round_that_came_to_nothing_stays_to_be_adopted() {
    let env = seeded();
    leave_displaced(&env);
    let held = env.park_along(&["board.stage.after"], env.update_command("app"));
    // An editor is faster: what was joined is not in what it saves.
    save(&env.board(), &board_of(&format!("{SEED}{PROSE}Faster.\n")));
    assert_eq!(held.go().json()["action"], "written");
    next(&env);
    assert_rows(&env, &["seed", "planted", "app", "next"]);
    assert!(env.read_board().contains("Faster."));
}

#[test]
fn what_a_crash_displaced_and_its_successor_holds_brings_no_line_back() {
    let env = seeded();
    run(failing(&env, "board.exchange.after=return(kill)"));
    let board = env.read_board();
    assert!(board.contains("| app |") && board.contains(PROSE));
    save(
        &env.board(),
        &board.replace(PROSE, "\nA person changed this.\n"),
    );
    next(&env);
    let board = env.read_board();
    assert!(!board.contains(PROSE.trim()), "it was deleted:\n{board}");
    assert!(board.contains("A person changed this."), "{board}");
}

#[test]
fn an_update_whose_join_cannot_be_put_in_place_is_written_and_the_next_one_joins() {
    for (stop, points, said) in [
        (
            "board.exchange.before",
            "board.create.before=1*off->return(5)",
            "the next update joins what another program wrote",
        ),
        (
            "board.exchange.before->return(5)",
            "",
            "cannot replace the board once more",
        ),
    ] {
        let env = seeded();
        let held = env.park_along(&[stop], failing(&env, points));
        save(&env.board(), &planted());
        let json = held.go().quietly().json();
        assert_eq!(json["action"], "written", "{stop}: {json}");
        let note = json["note"].as_str().unwrap();
        assert!(note.contains(said), "{stop}: {note}");
        assert_rows(&env, &["seed", "app"]);
        next(&env);
        assert_rows(&env, &["seed", "planted", "app", "next"]);
    }
}

#[test]
fn whose_row_another_update_has_brought_meanwhile_is_written() {
    let env = seeded();
    let held = env.park_along(&["board.stage.after"], unlocked(&env));
    let json = run(unlocked(&env)).json();
    assert_eq!(json["action"], "written", "{json}");
    let json = held.go().json();
    assert_eq!(json["action"], "written", "it is what it came with: {json}");
    assert_rows(&env, &["seed", "app"]);
}

/// Prepares an update that goes without the lock, as it is asked to.
fn unlocked(env: &TestEnv) -> Command {
    let mut command = env.update_command("app");
    command.env("BOARDSYNC_SKIP_LOCK", "1");
    command
}

#[test]
fn without_lock_and_exchange_the_latch_is_let_go_and_a_write_in_flight_awaited() {
    let env = seeded();
    let mut command = unlocked(&env);
    command.env("FAILPOINTS", "board.exchange.before=return(22)");
    let held = env.park_along(&["1*off->latch.open.before"], command);
    assert_rows(&env, &["seed", "app"]);
    let latch = std::fs::File::open(env.orchestrator().join("board.latch.lock"));
    latch.unwrap().try_lock().expect("the latch is let go");
    // Another host had compared before our rename.
    save(&env.board(), &planted());
    let json = held.go().json();
    assert_eq!(json["action"], "written", "{json}");
    assert_rows(&env, &["seed", "planted", "app"]);
}

#[test]
fn with_the_lock_or_an_exchange_nobody_else_is_awaited() {
    let again = "latch.open.before=1*off->return(kill)";
    let env = seeded();
    let no_exchange = format!("board.exchange.before=return(22);{again}");
    let said = run(failing(&env, &no_exchange)).quietly();
    assert_eq!(said.json()["action"], "written", "{said:?}");

    let env = seeded();
    let mut command = unlocked(&env);
    command.env("FAILPOINTS", again);
    assert_eq!(run(command).json()["action"], "written");
}
