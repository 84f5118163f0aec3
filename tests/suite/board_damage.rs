//! Damage is not content: what a person does not see is not the board, and a
//! board never gets a second table. Each input here gave 0.1.0 a second table,
//! a second row or invalid frontmatter.

use crate::env::{TestEnv, board_of};

const KEY: &str = "00000001";

fn row() -> String {
    format!("| other | frei | — | — | — | — | {KEY} |\n")
}

/// Writes a board, updates it, and asserts that nothing was written; gives what
/// was said.
fn refused(text: &str) -> String {
    let env = TestEnv::new();
    env.write_board(text);
    let said = env.update("app", "closed");
    assert_eq!(env.read_board(), text, "{said:?}");
    assert!(said.out.starts_with("skipped-conflicted: "), "{said:?}");
    said.out
}

/// Writes a board, updates it, and gives the new one.
fn updated(text: &str) -> String {
    let env = TestEnv::new();
    env.write_board(text);
    let said = env.update("app", "closed").quietly();
    assert!(said.out.starts_with("written: "), "{said:?}");
    env.read_board()
}

#[test]
fn conflict_markers_of_any_length_and_of_jj_are_refused_and_repaired() {
    for length in [5, 7, 15, 32] {
        let [open, middle, close] = ["<", "=", ">"].map(|c| c.repeat(length));
        let ours = row();
        let theirs = ours.replace("frei", "closed");
        let text = board_of(&format!(
            "{open} HEAD\n{ours}{middle}\n{theirs}{close} other\n"
        ));
        refused(&text);
        let env = TestEnv::new();
        env.write_board(&text);
        env.run(&["merge", "--resolve"]).quietly();
        let repaired = env.read_board();
        assert!(repaired.ends_with(&theirs), "{repaired}");
        assert!(!repaired.contains(&open), "{repaired}");
    }
    let theirs = row().replace("frei", "closed");
    let jj = board_of(&format!(
        "<<<<<<< Conflict 1 of 1\n%%%%%%% Changes from base to side #1\n-{}+{}+++++++ Contents of side #2\n{theirs}>>>>>>> Conflict 1 of 1 ends\n",
        row().replace("frei", "in-progress"),
        row(),
    ));
    refused(&jj);
    let env = TestEnv::new();
    env.write_board(&jj);
    env.run(&["merge", "--resolve"]).quietly();
    let repaired = env.read_board();
    assert_eq!(repaired.matches(KEY).count(), 1, "{repaired}");
    assert!(!repaired.contains("%%%%%%%"), "{repaired}");
}

#[test]
fn a_hidden_table_is_not_read_and_not_followed_by_a_second() {
    let whole = board_of(&row());
    let (front, table) = whole.split_at(whole.find("| Repo").unwrap());
    for hidden in [
        format!("{front}%%\n{table}%%\n"),
        format!("{front}<!--\n{table}-->\n"),
        format!("{front}```\n{table}"),
        format!("{front}```\n{table}```\n"),
        whole.replace("|---|\n", "|\n"),
        whole.replace("|---|\n", "|---|---|\n"),
    ] {
        assert!(refused(&hidden).contains("line "), "{hidden}");
    }
}

#[test]
fn a_row_outside_of_any_table_is_named() {
    let torn = board_of(&row()) + "\nText.\n\n" + &row().replace(KEY, "00000002");
    assert!(refused(&torn).contains("line 19 of"));
    let split = board_of(&row()) + "```\n" + &row().replace(KEY, "00000002");
    refused(&split);
}

#[test]
fn an_archive_and_examples_of_a_person_stay() {
    let head = "| Repo | Status | Session | Branch | Mode | Last heartbeat | Key |\n|---|---|---|---|---|---|---|\n";
    let archive = format!("\n# Archive\n\n{head}{}", row());
    let example = format!("\n```\n{}```\n", row());
    for below in [archive, example] {
        let after = updated(&(board_of(&row()) + &below));
        assert!(after.ends_with(&below), "{after}");
    }
}

#[test]
fn a_key_in_markup_or_capitals_is_that_key() {
    let env = TestEnv::new();
    env.update("app", "in-progress").quietly();
    let text = env.read_board();
    let key = text.trim_end().rsplit("| ").next().unwrap();
    let key = key.trim_end_matches(" |");
    for written in [
        format!("`{key}`"),
        format!("**{key}**"),
        format!("*{key}*"),
        format!("[[{key}]]"),
        key.to_uppercase(),
    ] {
        env.write_board(&text.replace(key, &written));
        env.update("app", "closed").quietly();
        let after = env.read_board();
        assert_eq!(after.matches("| app |").count(), 1, "{after}");
        assert!(after.contains("| app | closed |"), "{after}");
    }
}

#[test]
fn the_frontmatter_is_mended_and_stays_yaml() {
    let whole = board_of(&row());
    let line = whole
        .lines()
        .find(|line| line.starts_with("updated: "))
        .unwrap();
    let time = line.strip_prefix("updated: ").unwrap();
    for written in [
        format!("updated: >-\n  {time}"),
        format!("updated: 2026-11-29T00:00:00.000Z\n{line}"),
        format!("\"updated\": {time} # by hand"),
    ] {
        let after = updated(&whole.replace(line, &written));
        let times = after.matches("updated").count();
        assert_eq!(times, 1, "{after}");
        let front = after.split("---").nth(1).unwrap();
        assert!(front.lines().all(|line| !line.starts_with(' ')), "{after}");
    }
}

#[test]
fn a_quoted_generator_is_ours() {
    let whole = board_of(&row());
    for written in ["\"_generator\":", "'_generator':"] {
        updated(&whole.replace("_generator:", written));
    }
    updated(&whole.replace("@1\n", "@1 # do not touch\n"));
}

#[test]
fn a_cell_is_shown_and_not_acted_on() {
    let env = TestEnv::new();
    for session in [
        "<img src=x>",
        "![[Secret]]",
        "[x](obsidian://y)",
        "`$= 1`",
        "<% tp %>",
        "%% a %%",
        "a|b",
    ] {
        let repo = env.path("app");
        std::fs::create_dir_all(&repo).unwrap();
        let repo = repo.to_str().unwrap();
        let args = [
            "update",
            "--repo",
            repo,
            "--status",
            "in-progress",
            "--session",
        ];
        env.run(&[&args[..], &[session]].concat()).quietly();
        let text = env.read_board();
        let table = &text[text.find("| Repo").unwrap()..];
        for live in ["<", "[[", "](", "`", "$=", "%%"] {
            assert!(!table.contains(live), "{live} in {table}");
        }
        let json = env.run(&["show", "--json"]).json();
        assert_eq!(json["rows"][0]["session"], session, "reads back");
        let again = env.run(&[&args[..], &[session]].concat()).quietly();
        assert!(again.out.starts_with("written"), "{again:?}");
        assert_eq!(env.read_board().matches("| app |").count(), 1);
    }
    let long = "x".repeat(100_000);
    let repo = env.path("app");
    let args = [
        "update",
        "--repo",
        repo.to_str().unwrap(),
        "--status",
        "closed",
    ];
    env.run(&[&args[..], &["--session", &long]].concat())
        .quietly();
    let json = env.run(&["show", "--json"]).json();
    let shown = json["rows"][0]["session"].as_str().unwrap();
    assert_eq!(shown.chars().count(), 256);
    assert!(shown.ends_with("x…"));
}

#[test]
fn a_byte_that_is_not_utf_8_is_carried_along() {
    let env = TestEnv::new();
    let text = board_of(&row()) + "\nprose: ?\n";
    let mut bytes = text.replace("other", "oth?er").into_bytes();
    bytes
        .iter_mut()
        .filter(|byte| **byte == b'?')
        .for_each(|byte| *byte = 0xe4);
    env.write_board("");
    std::fs::write(env.board(), &bytes).unwrap();
    let said = env.update("app", "closed").quietly();
    assert!(said.out.starts_with("written: "), "{said:?}");
    let after = std::fs::read(env.board()).unwrap();
    let holds = |part: &[u8]| after.windows(part.len()).any(|window| window == part);
    assert!(holds(b"oth\xe4er") && holds(b"prose: \xe4\n"));
    assert_eq!(after.iter().filter(|byte| **byte == 0xe4).count(), 2);
    let again = env.update("app", "closed").quietly();
    assert!(!again.out.contains("handwritten"), "{again:?}");
    for not_text in [&b"\xff\xfea\0"[..], b"---\n\0"] {
        std::fs::write(env.board(), not_text).unwrap();
        env.update("app", "closed");
        assert_eq!(std::fs::read(env.board()).unwrap(), not_text);
    }
}
