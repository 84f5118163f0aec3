//! What a person saves while an update is under way: it stays as they made it.

use crate::env::situation::{NOTE, PROSE, SEED};
use crate::env::{Parked, TestEnv, board_of, save};

/// Starts an update of a board with a person's line, and holds it at `points`.
fn held_at(points: &[&str]) -> (TestEnv, Parked) {
    let env = TestEnv::new();
    env.write_board(&board_of(&format!("{SEED}{PROSE}")));
    let held = env.park_along(points, env.update_command("app"));
    (env, held)
}

#[test]
fn a_row_that_an_editor_takes_away_while_we_are_there_is_written_again() {
    let (env, held) = held_at(&["board.sync-folder.before"]);
    assert!(env.read_board().contains("| app |"), "it is in place");
    // The editor had read the board before that.
    save(&env.board(), &board_of(&format!("{SEED}\nRewritten.\n")));
    let json = held.go().quietly().json();
    assert_eq!(json["action"], "written", "{json}");
    assert_eq!(json["lock"]["conflicts"], 1, "{json}");
    let board = env.read_board();
    assert!(board.contains("| app |"), "{board}");
    assert!(board.contains("Rewritten."), "{board}");
    env.assert_no_litter();
}

#[test]
fn a_line_that_a_person_deleted_just_before_the_swap_stays_deleted() {
    let (env, held) = held_at(&["board.exchange.before"]);
    save(&env.board(), &board_of(&format!("{SEED}\nOnly this.\n")));
    let json = held.go().quietly().json();
    assert_eq!(json["lock"]["conflicts"], 1, "{json}");
    let board = env.read_board();
    assert!(board.contains("| app |"), "{board}");
    assert!(board.contains("Only this."), "{board}");
    assert!(!board.contains(PROSE.trim()), "{board}");
}

#[test]
fn an_edit_of_a_board_that_lacks_what_was_joined_takes_none_of_it_away() {
    let (env, mut held) = held_at(&["board.exchange.before", "board.exchange.after"]);
    let edited = board_of(&format!("{SEED}{PROSE}The first edit.\n"));
    save(&env.board(), &edited);
    held.advance();
    // What stands there now is ours, which does not have the first edit yet.
    let ours = env.read_board();
    assert!(!ours.contains("The first edit."), "{ours}");
    let edited = ours.replace(PROSE, &format!("{PROSE}The second edit.\n"));
    save(&env.board(), &edited);
    held.go().quietly();
    let board = env.read_board();
    for line in [
        "| app |",
        "The first edit.",
        "The second edit.",
        PROSE.trim(),
    ] {
        assert_eq!(board.matches(line).count(), 1, "{line} in\n{board}");
    }
}

#[test]
fn a_program_that_had_an_older_board_takes_no_line_away() {
    let (env, held) = held_at(&["board.exchange.before"]);
    let older = board_of(&format!("{SEED}\nOnly this.\n"));
    let written = older.replace("updated: 2026-11-30T06:00", "updated: 2026-11-30T07:00");
    assert_ne!(older, written);
    save(&env.board(), &written);
    held.go().quietly();
    let board = env.read_board();
    for line in ["| app |", "Only this.", PROSE.trim()] {
        assert_eq!(board.matches(line).count(), 1, "{line} in\n{board}");
    }
}

#[test]
fn a_note_of_before_is_not_put_over_what_was_written_since() {
    let (env, mut held) = held_at(&["board.exchange.before", "board.exchange.after"]);
    save(&env.board(), NOTE);
    held.advance();
    held.kill();
    save(&env.board(), &board_of(&format!("{SEED}\nSince then.\n")));
    env.update_command("next").output().unwrap();
    let board = env.read_board();
    assert!(
        board.contains("| next |") && board.contains("Since then."),
        "{board}"
    );
    let names = env.beside_the_lock();
    let kept = names
        .iter()
        .find(|name| name.ends_with(".kept.md"))
        .unwrap();
    let kept = std::fs::read_to_string(env.orchestrator().join(kept));
    assert_eq!(kept.unwrap(), NOTE);
}

#[test]
fn a_note_that_a_person_puts_over_our_write_stays_and_is_told() {
    let (env, held) = held_at(&["board.sync-folder.before"]);
    save(&env.board(), NOTE);
    let json = held.go().json();
    assert_eq!(json["action"], "skipped-handwritten", "{json}");
    assert_eq!(env.read_board(), NOTE);
}
