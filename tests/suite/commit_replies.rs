//! What the system replies to a commit, and what is on the disk whatever it replied.

use crate::env::situation::{NOTE, PROSE, failing, planted, seeded};
use crate::env::{Said, TestEnv, save};
use serde_json::Value;
use std::process::Command;

const NO_EXCHANGE: &str = "board.exchange.before=return(22)";
const IN_PLACE: &str = "board.exchange.before=return(16);board.replace.before=return(16)";

fn unborn() -> TestEnv {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.board().parent().unwrap()).unwrap();
    env
}

fn run(mut command: Command) -> Value {
    Said::from(command.output().unwrap()).json()
}

/// Asserts that an update is written though its steps reply these errors.
fn is_written(env: &TestEnv, points: &str) -> Value {
    let json = run(failing(env, points));
    assert_eq!(json["action"], "written", "{points}: {json}");
    assert!(env.read_board().contains("| app |"), "{points}");
    env.assert_no_litter();
    json
}

/// Asserts that an update is not written, and harms nothing.
fn is_refused(env: &TestEnv, points: &str) {
    let before = std::fs::read(env.board()).ok();
    let json = run(failing(env, points));
    assert_eq!(json["action"], "skipped-write-failed", "{points}: {json}");
    assert_eq!(std::fs::read(env.board()).ok(), before, "{points}");
}

#[test]
fn what_was_done_is_done_though_the_reply_was_an_error() {
    is_written(&unborn(), "board.publish.after=1*return(5)");
    is_written(&seeded(), "board.exchange.after=1*return(5)");
    let points = format!("{NO_EXCHANGE};board.replace.after=1*return(5)");
    is_written(&seeded(), &points);
    let points = format!("{IN_PLACE};board.write-over.after=return(5)");
    let json = is_written(&seeded(), &points);
    let note = json["note"].as_str().unwrap();
    assert!(note.contains("a power cut may lose"), "{note}");
}

#[test]
fn what_does_not_exist_here_is_done_in_another_way() {
    is_written(&unborn(), "board.publish.before=1*return(95)");
    is_written(&seeded(), "board.exchange.before=return(95)");
    is_written(
        &seeded(),
        &format!("{NO_EXCHANGE};board.replace.before=1*return(2)"),
    );
}

#[test]
fn what_was_not_done_is_an_error_and_the_board_as_it_was() {
    for env in [unborn(), seeded()] {
        is_refused(&env, "board.create.before=return(28)");
        is_refused(
            &env,
            "board.publish.before=return(28);board.exchange.before=return(28)",
        );
        env.assert_no_litter();
    }
    let env = seeded();
    is_refused(
        &env,
        &format!("{NO_EXCHANGE};board.replace.before=return(5)"),
    );
    env.assert_no_litter();
    is_refused(
        &env,
        &format!("{IN_PLACE};board.write-over.before=return(28)"),
    );
}

#[test]
fn a_full_folder_is_no_reason_to_stage_beside_the_board() {
    is_refused(&seeded(), "board.create.before=1*return(28)");
}

#[test]
fn a_board_that_another_has_made_meanwhile_is_joined() {
    let env = unborn();
    let held = env.park_along(&["board.publish.before"], env.update_command("app"));
    save(&env.board(), &planted());
    let json = held.go().quietly().json();
    assert_eq!(json["action"], "written", "{json}");
    for row in ["| app |", "| planted |", "| seed |"] {
        assert!(env.read_board().contains(row), "{row}");
    }
    env.assert_no_litter();
}

#[test]
fn what_changed_before_the_swap_is_read_again_and_swapped_once() {
    for outsiders in [planted(), planted().replace(PROSE, "\nAnother line.\n")] {
        let env = seeded();
        let command = failing(&env, "board.exchange.before=1*off->return(kill)");
        let held = env.park_along(&["board.stage.after"], command);
        save(&env.board(), &outsiders);
        let json = held.go().quietly().json();
        assert_eq!(json["lock"]["conflicts"], 1, "{json}");
        assert!(env.read_board().contains("| planted |"));
        env.assert_no_litter();
    }
}

#[test]
fn a_folder_in_the_boards_place_gets_its_place_back() {
    let env = seeded();
    let held = env.park_along(&["board.exchange.before"], env.update_command("app"));
    std::fs::remove_file(env.board()).unwrap();
    std::fs::create_dir(env.board()).unwrap();
    std::fs::write(env.board().join("precious"), "mine").unwrap();
    let json = held.go().json();
    let error = json["error"].as_str().unwrap();
    assert!(error.contains("it is a folder"), "{error}");
    let text = std::fs::read_to_string(env.board().join("precious"));
    assert_eq!(text.unwrap(), "mine");
    env.assert_no_litter();
}

#[test]
fn a_note_gets_its_place_back_whatever_the_swap_back_replies() {
    for points in [
        "board.swap-back.after=1*return(5)",
        "board.swap-back.before=1*return(16)",
    ] {
        let env = seeded();
        let held = env.park_along(&["board.exchange.before"], failing(&env, points));
        save(&env.board(), NOTE);
        let json = held.go().json();
        assert_eq!(json["action"], "skipped-handwritten", "{points}: {json}");
        assert_eq!(env.read_board(), NOTE, "{points}");
        env.assert_no_litter();
    }
}

#[test]
fn a_note_that_cannot_be_put_back_now_is_put_back_by_the_next_update() {
    let env = seeded();
    let command = failing(&env, "board.swap-back.before=return(5)");
    let held = env.park_along(&["board.exchange.before"], command);
    save(&env.board(), NOTE);
    let json = held.go().json();
    assert!(
        json["note"]
            .as_str()
            .unwrap()
            .contains("the next update tries again"),
        "{json}"
    );
    let json = run(env.update_command("next"));
    assert_eq!(json["action"], "skipped-handwritten", "{json}");
    assert_eq!(env.read_board(), NOTE);
}
