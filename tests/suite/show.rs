//! `show`, as people, pipes and programs see it.

use crate::env::{Said, TestEnv, board_of};

const NOW: &str = "2026-11-30T07:00:00Z";

/// A board of several hosts, with a column that is not ours.
fn shared_board() -> String {
    board_of("")
        .replace("\n---\n\n#", "\nboardsync-shared: true\n---\n\n#")
        .replace("| Key |", "| Key | Host | Owner |")
        .replace(
            "|---|---|---|---|---|---|---|\n",
            "|---|---|---|---|---|---|---|---|---|\n",
        )
        + "| api | in-progress | main-2026-11-30-deep-1 | feature/rate-limits-per-tenant | deep | 2026-11-30T06:57:00.000Z | 1f2e3d4c | studio | me |\n\
         | docs | frei | — | — | — | — | cc2e3d4c | laptop | — |\n\
         | website | closed | main-2026-11-29-quick-2 | main | quick | 2026-11-29T06:58:00.000Z | 1f2e3d4d | studio | you \\| me |\n\
         | 日本語のリポジトリ | in-progress | 夜間 | main | deep | 2026-11-30T01:58:00.000Z | aa2e3d4c | laptop | — |\n\
         | 👩\u{200d}💻 tools | force-closed | — | — | — | once upon a time | bb2e3d4c | — | — |\n"
}

fn simple_board() -> String {
    board_of(
        "| api | in-progress | main-2026-11-30-deep-1 | feature/rate-limits | deep | 2026-11-30T06:57:00.000Z | 1f2e3d4c |\n\
         | docs | frei | — | — | — | — | cc2e3d4c |\n\
         | website | closed | main-2026-11-29-quick-2 | main | quick | 2026-11-29T06:58:00.000Z | 1f2e3d4d |\n",
    )
}

fn show(env: &TestEnv, args: &[&str]) -> Said {
    let mut command = env.command(&[&["show"], args].concat());
    command.env("BOARDSYNC_NOW", NOW).output().unwrap().into()
}

#[cfg(unix)]
fn on_terminal(env: &TestEnv, variables: &[(&str, &str)], columns: u16) -> String {
    let mut command = env.command(&["show"]);
    command
        .env("BOARDSYNC_NOW", NOW)
        .envs(variables.iter().copied());
    let (status, shown) = env.on_terminal(command, (columns, 24)).end();
    assert!(status.success(), "{shown}");
    shown.replace("\r\n", "\n")
}

/// Takes the colours off, to measure.
#[cfg(unix)]
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    first
        + &parts
            .map(|part| part.split_once('m').map_or(part, |(_, rest)| rest))
            .collect::<String>()
}

#[test]
fn a_pipe_gets_one_line_a_row_with_all_cells() {
    let env = TestEnv::new();
    env.write_board(&shared_board());
    insta::assert_snapshot!("pipe", show(&env, &[]).quietly().out);
}

#[test]
fn a_program_gets_all_cells() {
    let env = TestEnv::new();
    env.write_board(&shared_board());
    let mut json = show(&env, &["--json"]).quietly().json();
    let path = json["path"].take();
    assert_eq!(path, env.board().to_str().unwrap());
    insta::assert_snapshot!("json", serde_json::to_string_pretty(&json).unwrap());
}

#[cfg(unix)]
#[test]
fn a_terminal_gets_a_table_that_fits_it() {
    use unicode_width::UnicodeWidthStr;
    let env = TestEnv::new();
    for (name, board) in [("simple", simple_board()), ("shared", shared_board())] {
        env.write_board(&board);
        for columns in [160, 100, 80, 60, 40, 20] {
            let shown = on_terminal(&env, &[("NO_COLOR", "1")], columns);
            assert!(!shown.contains('\x1b'), "no colours: {shown:?}");
            for line in shown.lines() {
                assert!(line.width() <= usize::from(columns), "{line}");
            }
            insta::assert_snapshot!(format!("terminal_{name}_{columns}"), shown);
        }
    }
}

#[cfg(unix)]
#[test]
fn colours_tell_the_status_and_nothing_else() {
    let env = TestEnv::new();
    env.write_board(&shared_board());
    let plain = on_terminal(&env, &[("NO_COLOR", "1")], 100);
    let coloured = on_terminal(&env, &[], 100);
    assert_eq!(without_colours(&coloured), plain);
    assert_eq!(on_terminal(&env, &[("TERM", "dumb")], 100), plain);
    assert_eq!(on_terminal(&env, &[("NO_COLOR", "")], 100), coloured);
    insta::assert_snapshot!("terminal_coloured", coloured.replace('\x1b', "␛"));
}

#[test]
fn filters_pick_rows() {
    let env = TestEnv::new();
    env.write_board(&shared_board());
    let repos = |args: &[&str]| {
        let said = show(&env, args).quietly();
        let lines = said.out.lines().skip(1);
        let repos: Vec<String> = lines
            .map(|line| line.split('\t').next().unwrap().to_owned())
            .collect();
        repos.join(" ")
    };
    assert_eq!(repos(&["--filter", "status=closed"]), "website");
    let two = ["--filter", "repo=docs", "--filter", "repo=API"];
    assert_eq!(repos(&two), "api docs");
    let both = ["--filter", "host=studio", "--filter", "status=in-progress"];
    assert_eq!(repos(&both), "api");
    assert_eq!(repos(&["--filter", "host="]), "👩\u{200d}💻 tools");
    assert_eq!(repos(&["--filter", "state=silent"]), "日本語のリポジトリ");
    assert_eq!(repos(&["--since", "2h"]), "api");
    assert_eq!(
        repos(&["--sort", "seen", "--since", "2d"]),
        "api 日本語のリポジトリ website"
    );
    for (name, wrong) in [
        ("unknown_key", "owner=me"),
        ("unknown_status", "status=done"),
        ("state_as_status", "status=waiting"),
    ] {
        let said = show(&env, &["--filter", wrong]);
        assert_eq!(said.code, Some(2));
        insta::assert_snapshot!(name, said.err);
    }
}

#[test]
fn what_is_no_board_is_one_line() {
    let env = TestEnv::new();
    let path = env.path("").display().to_string();
    let settings = || {
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(&regex_of(&path), "[DIR]/");
        settings
    };
    let check = |name: &str| {
        let said = show(&env, &[]);
        assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{name}");
        assert_eq!(said.err.lines().count(), 1, "{name}: {}", said.err);
        settings().bind(|| insta::assert_snapshot!(format!("error_{name}"), said.err));
        let json = show(&env, &["--json"]).json();
        let error = json["error"].as_str().unwrap();
        assert_eq!(format!("boardsync: {error}\n"), said.err);
    };
    check("missing");
    env.write_board("# My notes\n\n| Repo | Status |\n|---|---|\n| a | b |\n");
    check("handwritten");
    env.write_board(
        &simple_board().replace("| docs", "<<<<<<< ours\n=======\n>>>>>>> theirs\n| docs"),
    );
    check("conflicted");
    std::fs::write(env.board(), b"---\n\0\n---\n").unwrap();
    check("not_text");
    std::fs::remove_file(env.board()).unwrap();
    std::fs::create_dir(env.board()).unwrap();
    check("folder");
}

fn regex_of(text: &str) -> String {
    text.replace('.', "\\.")
}

#[test]
fn nothing_in_a_cell_reaches_the_terminal_as_a_command() {
    let env = TestEnv::new();
    let row = "| a\x1b[31m\u{9b}2J\u{202e}b | closed\x07 | s\u{8}\u{85}s | b\tb | \u{2066} | 2026\x1b]0;x\x07 | k\u{7f} |\n";
    env.write_board(&board_of(row));
    for args in [&[][..], &["--json"]] {
        let out = show(&env, args).quietly().out;
        let acted_on = |c: &char| *c != '\n' && *c != '\t' && boardsync::internals::is_acted_on(*c);
        assert_eq!(out.chars().find(acted_on), None, "{out:?}");
        assert_eq!(out.lines().count(), if args.is_empty() { 2 } else { 1 });
    }
    #[cfg(unix)]
    {
        let shown = without_colours(&on_terminal(&env, &[], 200));
        let acted_on = |c: &char| *c != '\n' && boardsync::internals::is_acted_on(*c);
        assert_eq!(shown.chars().find(acted_on), None, "{shown:?}");
        assert!(shown.contains("a[31m2Jb"), "{shown}");
    }
}

#[test]
fn who_holds_the_lock_is_said_and_the_lock_left_alone() {
    let env = TestEnv::new();
    env.write_board(&simple_board());
    assert!(show(&env, &["--json"]).quietly().json()["lock"].is_null());
    assert!(!env.orchestrator().exists(), "looking makes nothing");
    let record = r#"{"pid": 4242, "host": "elsewhere", "acquiredAt": "2026-11-30T06:58:00.000Z", "holder": "theirs", "cmd": "make all"}"#;
    env.plant_lock(record, std::time::Duration::ZERO);
    let json = show(&env, &["--json"]).quietly().json();
    assert_eq!(json["lock"]["holder"]["pid"], 4242);
    assert_eq!(json["lock"]["verdict"], "held");
    let line = "lock held: pid 4242 on `elsewhere`, taken 2 min ago (`make all`)";
    let said = show(&env, &[]);
    assert_eq!(said.err, format!("boardsync: {line}\n"));
    assert_eq!(said.out.lines().count(), 4, "rows only: {}", said.out);
    #[cfg(unix)]
    assert!(on_terminal(&env, &[("NO_COLOR", "1")], 80).contains(line));
    assert_eq!(std::fs::read_to_string(env.lock()).unwrap(), record);
}

#[cfg(unix)]
#[test]
fn a_terminal_without_utf_8_gets_ascii() {
    let env = TestEnv::new();
    env.write_board(&shared_board());
    for columns in [160, 60] {
        let utf8 = on_terminal(&env, &[("NO_COLOR", "1")], columns);
        let ascii = on_terminal(&env, &[("NO_COLOR", "1"), ("LC_ALL", "C")], columns);
        assert!(!utf8.is_ascii() && ascii.is_ascii(), "{ascii}");
        assert_eq!(utf8.lines().count(), ascii.lines().count());
    }
}

#[test]
fn a_dead_session_is_shown_as_dead_before_the_board_knows() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    let key = boardsync::internals::session::Repo::at(&repo, &repo).key;
    env.write_board(&board_of(&format!(
        "| app | in-progress | s1 | main | — | 2026-11-30T06:58:00.000Z | {key} |\n"
    )));
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_boardsync"))
        .args(["hook"])
        .stdin(std::process::Stdio::piped())
        .env("BOARDSYNC_HOOK_TIMEOUT_MS", "60000")
        .env("BOARDSYNC_HOOK_END_TIMEOUT_MS", "60000")
        .spawn()
        .unwrap();
    env.session("app", "s1")
        .at("2026-11-30T06:58:00Z")
        .process(child.id())
        .trouble("the lock was held")
        .plant();
    let state = || {
        let json = show(&env, &["--json"]).json();
        json["rows"][0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state(), "working");
    let said = show(&env, &[]);
    assert_eq!(
        said.err,
        "boardsync: the hook of `app` reported: the lock was held\n"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(state(), "died");
    env.run(&["sweep", "--root", env.path("src").to_str().unwrap()]);
    let json = show(&env, &["--json"]).json();
    let session = &json["rows"][0]["sessions"][0]["state"];
    // The board says so now.
    assert_eq!(
        (state().as_str(), session),
        ("force-closed", &"force-closed".into())
    );
}

#[test]
fn a_session_whose_row_was_not_written_is_shown() {
    let env = TestEnv::new();
    env.write_board(&simple_board());
    env.session("new", "s1").at("2026-11-30T06:58:00Z").plant();
    let json = show(&env, &["--json", "--filter", "repo=new"])
        .quietly()
        .json();
    let row = &json["rows"][0];
    assert_eq!(row["path"], env.path("src/new").to_str().unwrap());
    assert_eq!(
        (&row["activity"], &row["since"]),
        (&"working".into(), &"2026-11-30T06:58:00.000Z".into())
    );
    assert_eq!(row["sessions"][0]["session_id"], "s1");
}
