//! One row of one table in any note, and not a byte of anything else.

use crate::env::{Said, TestEnv};

const NOTE: &str = "\u{feff}---\ntags: [x]\n---\n# Tasks\n\nprose | with a pipe\n\n\
    |Task  |  Who|Note |\n|:-----|---:|:-:|\n|release| me |  a \\| b |\n|  tidy |you|\n\n\
    ## Done\n\n| Task | When |\n|---|---|\n| start | monday |\nlast line";

fn note(env: &TestEnv, text: &str) {
    std::fs::write(env.vault().join("tasks.md"), text).unwrap();
}

fn read(env: &TestEnv) -> String {
    std::fs::read_to_string(env.vault().join("tasks.md")).unwrap()
}

fn row(env: &TestEnv, args: &[&str]) -> Said {
    let mut all = vec!["row", args[0], "--board", "tasks.md"];
    all.extend(&args[1..]);
    env.run(&all)
}

/// Changes a row of [`NOTE`], and gives the note.
fn changed(args: &[&str]) -> String {
    let env = TestEnv::new();
    note(&env, NOTE);
    let said = row(&env, args).quietly();
    assert!(said.out.starts_with("written: "), "{}", said.out);
    read(&env)
}

#[test]
fn only_the_row_changes() {
    let set = ["set", "--key", "Task=release", "--set", "Who=you"];
    let expected = NOTE.replace("|release| me |  a \\| b |", "| release | you | a \\| b |");
    assert_eq!(changed(&set), expected);
    // Titles in any case; a short row gets the cell that it lacked.
    let set = ["set", "--key", "TASK=tidy", "--set", "note=x|y\nz"];
    let expected = NOTE.replace("|  tidy |you|", "| tidy | you | x\\|y z |");
    assert_eq!(changed(&set), expected);
    // Line endings are those of the line.
    let env = TestEnv::new();
    let crlf = NOTE.replace('\n', "\r\n");
    note(&env, &crlf);
    row(&env, &["set", "--key", "Task=tidy", "--set", "Who=me"]).quietly();
    assert_eq!(
        read(&env),
        crlf.replace("|  tidy |you|", "| tidy | me |  |")
    );
}

#[test]
fn a_new_row_is_appended_to_its_table() {
    let set = ["set", "--key", "Task=new", "--set", "Who=me"];
    let expected = NOTE.replace("|  tidy |you|\n", "|  tidy |you|\n| new | me |  |\n");
    assert_eq!(changed(&set), expected);
    let set = [
        "set", "--table", "done", "--key", "Task=new", "--set", "When=now",
    ];
    let expected = NOTE.replace("| monday |\n", "| monday |\n| new | now |\n");
    assert_eq!(changed(&set), expected);
    // A note without a last line ending keeps having none.
    for (before, after) in [
        ("| a |\n|---|\n| 1 |", "| a |\n|---|\n| 1 |\n| 2 |"),
        ("| a |\r\n|---|", "| a |\r\n|---|\r\n| 2 |"),
        (
            "| a |\n|---|\n\n| b |\n|---|\n",
            "| a |\n|---|\n| 2 |\n\n| b |\n|---|\n",
        ),
    ] {
        let env = TestEnv::new();
        note(&env, before);
        row(&env, &["set", "--key", "a=2"]).quietly();
        assert_eq!(read(&env), after);
    }
}

#[test]
fn a_table_in_a_list_item_stays_in_it() {
    let env = TestEnv::new();
    let item = "1. item\n\n   | a | b |\n   |---|---|\n   | 1 | 2 |\n";
    note(&env, item);
    row(&env, &["set", "--key", "a=1", "--set", "b=9"]).quietly();
    row(&env, &["set", "--key", "a=5", "--set", "b=6"]).quietly();
    let expected = item.replace("| 1 | 2 |", "| 1 | 9 |") + "   | 5 | 6 |\n";
    assert_eq!(read(&env), expected);
}

#[test]
fn a_row_is_removed_with_its_line() {
    let remove = ["remove", "--key", "Task=release", "--key", "Who=me"];
    assert_eq!(
        changed(&remove),
        NOTE.replace("|release| me |  a \\| b |\n", "")
    );
    let env = TestEnv::new();
    note(&env, NOTE);
    let remove = ["remove", "--table", "Tasks", "--key", "Task=gone"];
    let said = row(&env, &remove).quietly();
    assert!(said.out.starts_with("skipped-noop"), "{}", said.out);
    assert_eq!(read(&env), NOTE);
}

#[test]
fn what_the_row_says_already_touches_nothing() {
    let env = TestEnv::new();
    note(&env, NOTE);
    let before = std::fs::metadata(env.vault().join("tasks.md")).unwrap();
    let said = row(
        &env,
        &["set", "--key", "Task=release", "--set", "Note= a | b "],
    )
    .quietly();
    assert!(said.out.starts_with("skipped-noop"), "{}", said.out);
    let after = std::fs::metadata(env.vault().join("tasks.md")).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());
    assert_eq!(read(&env), NOTE);
}

#[test]
fn a_row_is_printed_for_people_and_programs() {
    let env = TestEnv::new();
    note(&env, NOTE);
    let said = row(&env, &["get", "--table", "Tasks", "--key", "Task=release"]).quietly();
    assert_eq!(said.out, "Task: release\nWho: me\nNote: a | b\n");
    let said = row(&env, &["get", "--json", "--key", "Who=you"])
        .quietly()
        .json();
    assert_eq!(said["table"], "Tasks");
    assert_eq!(
        said["rows"],
        serde_json::json!([{"Task": "tidy", "Who": "you"}])
    );
    let said = row(&env, &["get", "--key", "Who=nobody"]);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""));
    assert!(said.err.contains("no row has that key"), "{}", said.err);
}

#[test]
fn what_cannot_be_told_apart_is_refused_by_name() {
    let env = TestEnv::new();
    note(&env, NOTE);
    for (args, words) in [
        (
            &["remove", "--key", "Task=release"][..],
            &[
                "several tables have the columns `Task`",
                "--table",
                "under `Tasks` with `Task`, `Who`, `Note`; under `Done` with `Task`, `When`",
            ][..],
        ),
        (
            &["set", "--key", "Task=x", "--set", "Colour=red"],
            &[
                "no table has the columns `Task`, `Colour`",
                "under `Done` with `Task`, `When`",
            ],
        ),
        (
            &[
                "set", "--table", "Tasks", "--key", "Task=x", "--set", "When=now",
            ],
            &["no table has the columns `Task`, `When` under `Tasks`"],
        ),
    ] {
        let said = row(&env, args);
        assert_eq!(said.code, Some(1), "{said:?}");
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
        for word in words {
            assert!(said.err.contains(word), "{word} is not in {}", said.err);
        }
        assert_eq!(read(&env), NOTE);
    }
    note(
        &env,
        "| a | b | A |\n|---|---|---|\n| 1 | x | 2 |\n| 3 | x | 4 |\n",
    );
    let said = row(&env, &["set", "--key", "a=1", "--set", "b=2"]);
    assert!(said.err.contains("several columns `a`"), "{}", said.err);
    let said = row(&env, &["remove", "--key", "b=x"]);
    assert!(said.err.contains("2 rows have that key"), "{}", said.err);
}

#[test]
fn notes_that_are_not_to_be_touched_are_not() {
    let env = TestEnv::new();
    let conflicted = "<<<<<<< a\n| a |\n|---|\n=======\n>>>>>>> b\n";
    note(&env, conflicted);
    let said = row(&env, &["set", "--key", "a=1", "--set", "a=1"]);
    assert_eq!(said.code, Some(2), "both key and set: {said:?}");
    let said = row(&env, &["remove", "--key", "a=1"]);
    assert!(said.err.contains("conflict markers"), "{}", said.err);
    assert_eq!(read(&env), conflicted);

    let overview = env.vault().join("_overview.md");
    std::fs::write(&overview, NOTE).unwrap();
    let said = env.run(&[
        "row",
        "remove",
        "--board",
        "_overview.md",
        "--key",
        "Who=you",
    ]);
    assert!(said.err.contains("overview"), "{}", said.err);
    assert_eq!(std::fs::read_to_string(&overview).unwrap(), NOTE);

    let said = env.run(&[
        "row", "set", "--board", "new.md", "--key", "a=1", "--set", "b=2",
    ]);
    assert!(said.err.contains("does not create notes"), "{}", said.err);
    assert!(!env.vault().join("new.md").exists());

    let said = env.run(&["row", "remove", "--key", "a=1"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("--board"), "{}", said.err);
    assert_eq!(
        env.run(&["row", "remove", "--board", "tasks.md", "--key", "a"])
            .code,
        Some(2)
    );
    // The option may stand before the command, too.
    note(&env, NOTE);
    env.run(&["--board", "tasks.md", "row", "get", "--key", "Who=you"])
        .quietly();
}

#[test]
fn each_note_has_a_lock_of_its_own() {
    let env = TestEnv::new();
    note(&env, NOTE);
    let record = r#"{"pid": 1, "host": "elsewhere"}"#;
    env.plant_lock(record, std::time::Duration::ZERO);
    let said = row(
        &env,
        &["set", "--json", "--key", "Task=tidy", "--set", "Who=me"],
    );
    let said = said.quietly().json();
    assert_eq!(said["lock"]["locked"], true, "{said}");
    let path = said["lock"]["lockPath"].as_str().unwrap();
    assert!(path.ends_with(".orchestrator/tasks.lock"), "{path}");
}

#[test]
fn sixteen_writers_of_one_note_lose_no_row() {
    for variable in ["BOARDSYNC_SYNC", "BOARDSYNC_SKIP_LOCK"] {
        let env = TestEnv::new();
        note(&env, NOTE);
        let set = |writer: usize, value: usize| {
            let (key, cell) = (format!("Task=t{writer:02}"), format!("Who=w{value}"));
            let args = [
                "row", "set", "--board", "tasks.md", "--key", &key, "--set", &cell,
            ];
            let value = if variable == "BOARDSYNC_SYNC" {
                "none"
            } else {
                "1"
            };
            let said: Said = env
                .command(&args)
                .env(variable, value)
                .output()
                .unwrap()
                .into();
            said.quietly();
        };
        std::thread::scope(|scope| {
            for writer in 0..16 {
                let set = &set;
                scope.spawn(move || (0..5).for_each(|value| set(writer, value)));
            }
        });
        let text = read(&env);
        for writer in 0..16 {
            assert!(
                text.contains(&format!("| t{writer:02} | w4 |  |\n")),
                "{text}"
            );
        }
        assert_eq!(text.lines().count(), NOTE.lines().count() + 16);
    }
}

#[cfg(feature = "failpoints")]
const SET: [&str; 8] = [
    "row",
    "set",
    "--board",
    "tasks.md",
    "--key",
    "Task=tidy",
    "--set",
    "Who=me",
];

#[cfg(feature = "failpoints")]
#[test]
fn an_editors_write_meanwhile_is_joined() {
    let env = TestEnv::new();
    note(&env, NOTE);
    let parked = env.park("board.exchange.before", &SET);
    let edited = NOTE
        .replace("last line", "another line\n")
        .replace("|release| me |", "|release| us |");
    note(&env, &edited);
    parked.go().quietly();
    assert_eq!(
        read(&env),
        edited.replace("|  tidy |you|", "| tidy | me |  |")
    );

    // Where the edit means nothing any more, the editor's note stays.
    note(&env, NOTE);
    let parked = env.park("board.exchange.before", &SET);
    note(&env, "no table\n");
    let said = parked.go();
    assert_eq!(said.code, Some(1));
    assert!(
        said.err.contains("no table has the columns"),
        "{}",
        said.err
    );
    assert_eq!(read(&env), "no table\n");
}

#[cfg(feature = "failpoints")]
#[test]
fn what_a_killed_writer_displaced_is_kept_only_if_it_may_be_somebodys() {
    let env = TestEnv::new();
    let again = [
        "row",
        "set",
        "--board",
        "tasks.md",
        "--key",
        "Task=tidy",
        "--set",
        "Who=us",
    ];
    let backups = || {
        let entries = std::fs::read_dir(env.orchestrator().join("backups"));
        let paths = entries
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path());
        paths.collect::<Vec<_>>()
    };
    note(&env, NOTE);
    env.park("board.exchange.after", &SET).kill();
    env.run(&again).quietly();
    assert!(backups().is_empty(), "only its own row differed");

    // It dies when it has displaced what an editor had just written.
    note(&env, NOTE);
    let reached = env.path("here.reached");
    let points = format!(
        "board.exchange.before=1*return(park:{});board.exchange.after=return(kill)",
        env.path("here").display()
    );
    let mut writer = env.command(&SET).env("FAILPOINTS", points).spawn().unwrap();
    crate::env::wait_until("it is about to exchange", || reached.exists());
    let edited = NOTE.replace("last line", "another line");
    note(&env, &edited);
    std::fs::write(env.path("here.go"), "").unwrap();
    assert!(!writer.wait().unwrap().success());
    let said = env.run(&again);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.err.contains(".orchestrator/backups/tasks.md"),
        "{}",
        said.err
    );
    let kept = backups();
    assert_eq!(kept.len(), 1);
    assert_eq!(std::fs::read_to_string(&kept[0]).unwrap(), edited);
}
