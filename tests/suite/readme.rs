//! What README shows is what the program prints.

use crate::env::{Said, TestEnv};
use serde_json::json;

const README: &str = include_str!("../../README.md");

/// Gives the text of the first fenced block that has `text` in it.
fn block_with(text: &str) -> &'static str {
    let blocks = README.split("```").skip(1).step_by(2);
    let block = blocks.filter_map(|block| Some(block.split_once('\n')?.1));
    block
        .into_iter()
        .find(|block| block.contains(text))
        .unwrap()
}

#[cfg(unix)]
#[test]
fn the_sample_of_show_is_what_hooks_and_show_make() {
    let env = TestEnv::new();
    let notes = env.home().join("notes");
    std::fs::create_dir(&notes).unwrap();
    let at = |command: &mut std::process::Command, time: &str| {
        let time = format!("2026-11-30T{time}Z");
        command
            .env("BOARDSYNC_VAULT", &notes)
            .env("BOARDSYNC_NOW", time);
    };
    for (time, name, repo, branch, id, title) in [
        (
            "05:40:00",
            "SessionStart",
            "infra",
            "main",
            "b2a87e10",
            "Upgrade Terraform",
        ),
        (
            "06:10:00",
            "SessionEnd",
            "infra",
            "main",
            "b2a87e10",
            "Upgrade Terraform",
        ),
        (
            "06:50:00",
            "UserPromptSubmit",
            "api",
            "fix/login",
            "7f3a90c1",
            "Fix login",
        ),
        (
            "06:58:00",
            "Notification",
            "api",
            "fix/login",
            "7f3a90c1",
            "Fix login",
        ),
        (
            "06:59:40",
            "UserPromptSubmit",
            "website",
            "main",
            "90c11d55",
            "Rework the menu",
        ),
    ] {
        let folder = env.home().join("src").join(repo);
        std::fs::create_dir_all(folder.join(".git")).unwrap();
        let head = format!("ref: refs/heads/{branch}\n");
        std::fs::write(folder.join(".git/HEAD"), head).unwrap();
        let event = json!({
            "hook_event_name": name, "cwd": folder, "session_title": title,
            "session_id": format!("{id}-0000-4000-8000-000000000001"),
            "notification_type": "permission_prompt",
        });
        let mut hook = env.command(&["hook"]);
        at(&mut hook, time);
        env.feed(&mut hook, event.to_string().as_bytes()).quietly();
    }
    let sample = block_with("$ boardsync show");
    let (_, printed) = sample.split_once('\n').unwrap();
    let mut show = env.command(&["show"]);
    at(&mut show, "07:00:00");
    show.env("NO_COLOR", "1");
    let (status, shown) = env.on_terminal(show, (92, 24)).end();
    assert!(status.success(), "{shown}");
    assert_eq!(shown.replace("\r\n", "\n"), printed);
}

#[test]
fn the_sample_of_a_board_and_of_an_update_are_what_update_writes() {
    let env = TestEnv::new();
    let sample = block_with("| Repo |");
    let mut written = String::new();
    for row in sample.lines().skip(2) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let repo = env.repo(cells[0]);
        let mut update = env.command(&["update", "--repo", repo.to_str().unwrap()]);
        for (option, cell) in ["status", "session", "branch", "mode", "heartbeat"]
            .iter()
            .zip(&cells[1..6])
            .filter(|(_, cell)| **cell != "—")
        {
            update.arg(format!("--{option}={cell}"));
        }
        update.env("BOARDSYNC_NOW", "2026-11-30T07:00:00Z");
        let said: Said = update.output().unwrap().into();
        written = said.quietly().out;
        // The key is of the path, which is another one here.
        let key = env.cells(&[6]);
        let key = key.iter().map(|key| key.trim_end_matches(" |"));
        let shown: String = key.fold(env.read_board(), |board, key| board.replace(key, "KEY"));
        let row = row.replace(cells[6], "KEY");
        assert!(shown.contains(&row), "{row} is not in\n{shown}");
    }
    let header: String = sample.split_inclusive('\n').take(2).collect();
    assert!(env.read_board().contains(&header), "{header}");
    let board = env.board().display().to_string();
    let shown = written.replace(&board, "BOARD");
    let sample = block_with("written: ").trim_end();
    let path = sample.split('`').nth(1).unwrap();
    assert_eq!(
        shown.trim_end().replace("2 rows", "1 row"),
        sample.replace(path, "BOARD")
    );
}

#[test]
fn every_command_that_is_named_exists_with_its_options() {
    let env = TestEnv::new();
    let inline = README.split('`').skip(1).step_by(2);
    let blocks = README.split("```sh").skip(1);
    let lines = blocks.flat_map(|block| block.split("```").next().unwrap().lines());
    let lines = lines.filter_map(|line| line.strip_prefix("boardsync "));
    let lines = lines.map(|line| line.split(" #").next().unwrap());
    let inline = inline.filter_map(|text| text.strip_prefix("boardsync "));
    let mut count = 0;
    for command in inline.chain(lines) {
        // Help is printed only once the options before it were read.
        let args: Vec<&str> = command.split_whitespace().collect();
        let said = env.run(&[&args[..], &["--help"]].concat());
        assert_eq!((said.code, &*said.err), (Some(0), ""), "{command}");
        count += 1;
    }
    assert!(count > 10, "{count}");
}
