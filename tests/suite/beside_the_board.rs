//! Where `.orchestrator` takes no temporaries, they lie beside the board.

use crate::env::situation::{NOTE, PROSE, SEED, failing, seeded};
use crate::env::{Said, TestEnv, board_of, save};
use std::process::Command;

/// What a folder replies to a file that it does not take.
const REFUSALS: [&str; 4] = ["2", "13", "20", "30"];

/// Lists the temporaries beside the board, by the ends of their names.
fn beside(env: &TestEnv, end: &str) -> Vec<String> {
    let entries = std::fs::read_dir(env.board().parent().unwrap()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(end)).collect()
}

/// Lets an update that stages beside the board stop at `point`, then end.
fn stages_beside(env: &TestEnv, command: Command, point: &str) {
    let held = env.park_along(&[point], command);
    let staged = beside(env, ".tmp");
    assert_eq!(staged.len(), 1, "{point}: {staged:?}");
    assert!(staged[0].starts_with(".board."), "hidden: {staged:?}");
    let there = env.beside_the_lock();
    assert!(
        !there.iter().any(|name| name.ends_with(".tmp")),
        "{there:?}"
    );
    let json = held.go().quietly().json();
    assert_eq!(json["action"], "written", "{point}: {json}");
    assert_eq!(json["lock"]["conflicts"], 0, "{point}: {json}");
    assert!(env.read_board().contains("| app |"), "{point}");
    assert_eq!(env.litter(), [""; 0], "{point}");
}

#[test]
fn a_folder_that_refuses_a_new_file_is_left_alone() {
    for errno in REFUSALS {
        let env = seeded();
        let points = format!("board.create.before=1*return({errno})");
        stages_beside(&env, failing(&env, &points), "board.exchange.before");
    }
}

#[test]
fn a_folder_on_another_file_system_is_left_alone() {
    let moved = "1*return(18)->board.exchange.before";
    let env = seeded();
    stages_beside(&env, env.update_command("app"), moved);

    let replaced = "1*return(18)->board.replace.before";
    let env = seeded();
    let command = failing(&env, "board.exchange.before=return(22)");
    stages_beside(&env, command, replaced);

    let published = "2*return(18)->board.publish.before";
    let env = TestEnv::new();
    std::fs::create_dir_all(env.board().parent().unwrap()).unwrap();
    stages_beside(&env, env.update_command("app"), published);
}

#[test]
fn what_neither_folder_takes_is_an_error_that_names_the_folder() {
    for errno in REFUSALS {
        let env = seeded();
        let before = env.read_board();
        let points = format!("board.create.before=return({errno})");
        let json = Said::from(failing(&env, &points).output().unwrap()).json();
        assert_eq!(json["action"], "skipped-write-failed", "{errno}: {json}");
        let note = json["note"].as_str().unwrap();
        let folder = env.board().parent().unwrap().to_owned();
        assert!(note.contains(folder.to_str().unwrap()), "{errno}: {note}");
        assert_eq!(env.read_board(), before);
    }
}

#[test]
fn leftovers_beside_the_board_are_adopted_wherever_the_next_update_stages() {
    adopts_beside(&[""]);
    // What was joined before the folder refused is joined by the update after it.
    adopts_beside(&["board.create.before=1*return(13)", ""]);
}

fn adopts_beside(updates: &[&str]) {
    let env = seeded();
    let points = [
        "1*return(18)->board.exchange.before",
        "board.exchange.after",
    ];
    let mut held = env.park_along(&points, env.update_command("one"));
    let planted = board_of(&format!("{SEED}{}{PROSE}", crate::env::situation::PLANTED));
    save(&env.board(), &planted);
    held.advance();
    held.kill();
    assert!(!env.read_board().contains("| planted |"), "it is displaced");
    for points in updates {
        let json = Said::from(failing(&env, points).output().unwrap()).json();
        assert_eq!(json["action"], "written", "{json}");
    }
    let board = env.read_board();
    for row in ["| seed |", "| one |", "| planted |", "| app |"] {
        assert!(board.contains(row), "{row} is not in\n{board}");
    }
    assert_eq!(env.litter(), [""; 0]);
}

#[test]
fn a_note_that_cannot_be_put_back_is_kept_where_a_person_sees_it() {
    let env = seeded();
    let command = failing(&env, "board.create.before=1*return(13)");
    let points = ["board.exchange.before", "board.swap-back.before"];
    let mut held = env.park_along(&points, command);
    save(&env.board(), NOTE);
    held.advance();
    save(&env.board(), "# My second note\n");
    let json = held.go().quietly().json();
    assert_eq!(json["action"], "skipped-handwritten", "{json}");
    assert_eq!(env.read_board(), "# My second note\n");
    let kept = beside(&env, ".kept.md");
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(kept[0].starts_with("board."), "not hidden: {kept:?}");
    let text = std::fs::read_to_string(env.board().with_file_name(&kept[0]));
    assert_eq!(text.unwrap(), NOTE);
}

#[test]
fn what_has_the_folders_name_and_is_none_is_named() {
    let env = seeded();
    std::fs::write(env.orchestrator(), "mine").unwrap();
    let mut command = env.update_command("app");
    command.env("BOARDSYNC_SKIP_LOCK", "1");
    let json = Said::from(command.output().unwrap()).json();
    assert_eq!(json["action"], "written", "{json}");
    let note = json["note"].as_str().unwrap();
    assert!(note.contains(".orchestrator` is not used: "), "{note}");
    assert_eq!(std::fs::read_to_string(env.orchestrator()).unwrap(), "mine");

    // One that cannot be made now is not named: it may be there in a moment.
    let env = seeded();
    let mut command = failing(&env, "folder.create.before=return(13)");
    command.env("BOARDSYNC_SKIP_LOCK", "1");
    let json = Said::from(command.output().unwrap()).json();
    assert_eq!(json["action"], "written", "{json}");
    assert!(json["note"].is_null(), "{json}");
}
