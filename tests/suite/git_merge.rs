//! The merge driver, run by git itself between two clones.

use crate::env::{TestEnv, board_of};
use std::path::Path;
use std::process::Command;

const BOARD: &str = "01-projects/_active-sessions.md";
const ROUNDS: usize = 10;

/// Two clones of one vault, and the repository that they push to.
struct Clones {
    env: TestEnv,
}

impl Clones {
    /// Both clones have the driver, and `start` as their board, if any.
    fn new(start: Option<&str>) -> Self {
        let clones = Self {
            env: TestEnv::new(),
        };
        let hub = clones.env.path("hub.git");
        let quiet = ["-q", "-b", "main"];
        run(clones
            .env
            .command_of("git")
            .args(["init", "--bare"])
            .args(quiet)
            .arg(&hub));
        for name in ["one", "two"] {
            let clone = clones.path(name);
            run(clones
                .env
                .command_of("git")
                .args(["clone", "-q"])
                .arg(&hub)
                .arg(&clone));
            clones.git(name, &["config", "user.name", name]);
            clones.git(name, &["config", "user.email", "name@example.org"]);
            clones.git(name, &["config", "pull.rebase", "false"]);
            clones.boardsync(name, &["init", "--git", "--yes"]);
            if name == "one" {
                let board = clone.join(BOARD);
                match start {
                    // A person's note, in place of the board that was set up.
                    Some(text) => std::fs::write(board, text).unwrap(),
                    // Each clone is to add its own.
                    None => std::fs::remove_file(board).unwrap(),
                }
                std::fs::write(clone.join(".gitignore"), ".orchestrator/\n").unwrap();
                clones.commit(name, "start");
                clones.git(name, &["push", "-q", "-u", "origin", "main"]);
            }
        }
        clones
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.env.home().join(name)
    }

    fn board(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name).join(BOARD)).unwrap()
    }

    fn edit(&self, name: &str, change: impl Fn(&str) -> String) {
        let board = self.path(name).join(BOARD);
        std::fs::write(&board, change(&self.board(name))).unwrap();
    }

    fn git(&self, name: &str, args: &[&str]) -> String {
        let mut git = self.env.command_of("git");
        run(git.arg("-C").arg(self.path(name)).args(args))
    }

    fn boardsync(&self, name: &str, args: &[&str]) -> String {
        let mut command = self.env.command(args);
        run(command.env("BOARDSYNC_VAULT", self.path(name)))
    }

    fn commit(&self, name: &str, message: &str) {
        self.git(name, &["add", "-A"]);
        self.git(name, &["commit", "-q", "-m", message]);
    }

    /// Updates a repository's row in one clone, and commits that.
    fn update(&self, name: &str, repo: &str, session: &str, minute: usize) {
        let repo = self.env.repo(repo);
        let beat = format!("2026-11-30T06:{minute:02}:00.000Z");
        let repo = repo.to_str().unwrap();
        self.boardsync(
            name,
            &[
                "update",
                "--repo",
                repo,
                "--status",
                "in-progress",
                "--session",
                session,
                "--heartbeat",
                &beat,
            ],
        );
        self.commit(name, &format!("{session} in {name}"));
    }

    fn assert_no_conflict(&self, name: &str) {
        assert_eq!(self.git(name, &["status", "--porcelain"]), "", "in {name}");
        let board = self.board(name);
        assert!(
            !board.contains("<<<<<<<") && !board.contains(">>>>>>>"),
            "{board}"
        );
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert!(output.status.success(), "{command:?}\n{out}{err}");
    out
}

/// Ten rounds in which both clones change their own rows, one row that both
/// have, and prose; `pull` brings the second clone up to the first's work.
fn ten_rounds(clones: &Clones, pull: &[&str]) {
    for round in 0..ROUNDS {
        let minute = round * 4;
        clones.update("one", "only-one", &format!("one-{round}"), minute);
        clones.update("one", "both", &format!("both-one-{round}"), minute + 1);
        clones.edit("one", |text| format!("{text}Note {round} of one\n"));
        clones.commit("one", "note");
        clones.update("two", "only-two", &format!("two-{round}"), minute + 2);
        clones.update("two", "both", &format!("both-two-{round}"), minute + 3);
        clones.edit("two", |text| {
            let note = format!("Note {round} of two\n\n# Active Sessions");
            text.replacen("# Active Sessions", &note, 1)
        });
        clones.commit("two", "note");

        clones.git("one", &["push", "-q"]);
        clones.git("two", pull);
        clones.assert_no_conflict("two");
        clones.git("two", &["push", "-q"]);
        clones.git("one", &["pull", "-q", "--ff-only"]);
        clones.assert_no_conflict("one");

        let board = clones.board("one");
        assert_eq!(board, clones.board("two"), "round {round}");
        for row in ["| only-one |", "| only-two |", "| both |"] {
            assert_eq!(
                board.matches(row).count(),
                1,
                "{row} in round {round}\n{board}"
            );
        }
        for last in [
            format!("| one-{round} |"),
            format!("| two-{round} |"),
            format!("| both-two-{round} |"),
        ] {
            assert!(board.contains(&last), "{last} in round {round}\n{board}");
        }
        for note in 0..=round {
            for side in ["one", "two"] {
                let note = format!("Note {note} of {side}\n");
                assert_eq!(
                    board.matches(&note).count(),
                    1,
                    "{note} in {round}\n{board}"
                );
            }
        }
    }
}

#[test]
fn two_clones_merge_without_a_conflict_or_a_lost_row() {
    let clones = Clones::new(Some(&(board_of("") + "\n")));
    ten_rounds(&clones, &["pull", "-q", "--no-edit", "--no-rebase"]);
}

#[test]
fn two_clones_rebase_without_a_conflict_or_a_lost_row() {
    let clones = Clones::new(Some(&(board_of("") + "\n")));
    ten_rounds(&clones, &["pull", "-q", "--rebase"]);
}

#[test]
fn boards_that_both_clones_added_become_one() {
    let clones = Clones::new(None);
    clones.git("two", &["pull", "-q", "origin", "main"]);
    clones.update("one", "a", "s", 1);
    clones.update("two", "b", "t", 2);
    clones.git("one", &["push", "-q"]);
    clones.git("two", &["pull", "-q", "--no-edit", "origin", "main"]);
    clones.assert_no_conflict("two");
    let board = clones.board("two");
    assert!(
        board.contains("| a |") && board.contains("| b |"),
        "{board}"
    );
    assert_eq!(board.matches("# Active Sessions").count(), 1, "{board}");
}

#[test]
fn a_note_at_the_boards_path_is_merged_as_text() {
    let clones = Clones::new(Some("one\n\n\n\nlast\n"));
    clones.git("two", &["pull", "-q", "origin", "main"]);
    clones.edit("one", |text| text.replace("one", "ONE"));
    clones.commit("one", "edit");
    clones.git("one", &["push", "-q"]);
    clones.edit("two", |text| text.replace("last", "LAST"));
    clones.commit("two", "edit");
    clones.git("two", &["pull", "-q", "--no-edit", "origin", "main"]);
    assert_eq!(clones.board("two"), "ONE\n\n\n\nLAST\n");

    // And where both changed one line, that is a conflict, with its markers.
    clones.edit("one", |text| text.replace("ONE", "mine"));
    clones.commit("one", "edit");
    clones.edit("two", |text| text.replace("ONE", "theirs"));
    clones.commit("two", "edit");
    clones.git("one", &["push", "-q", "--force"]);
    let two = clones.path("two");
    let mut pull = clones.env.command_of("git");
    pull.arg("-C")
        .arg(&two)
        .args(["pull", "-q", "--no-edit", "origin", "main"]);
    assert!(!pull.output().unwrap().status.success());
    let board = clones.board("two");
    assert!(board.contains("<<<<<<< ours\ntheirs\n"), "{board}");
    assert!(
        clones
            .git("two", &["status", "--porcelain"])
            .contains("UU ")
    );
}

#[test]
fn without_the_binary_git_merges_the_board_as_text() {
    let clones = Clones::new(Some(&board_of("")));
    let config = clones.path("two").join(".git/config");
    let text = std::fs::read_to_string(&config).unwrap();
    let gone = text.replace(env!("CARGO_BIN_EXE_boardsync"), "/gone/boardsync");
    assert_ne!(gone, text);
    std::fs::write(&config, gone).unwrap();
    clones.update("one", "a", "s", 1);
    clones.git("one", &["push", "-q"]);
    clones.update("two", "b", "t", 2);
    let mut pull = clones.env.command_of("git");
    pull.arg("-C").arg(clones.path("two"));
    pull.args(["pull", "-q", "--no-edit"]);
    assert!(!pull.output().unwrap().status.success());
    let board = clones.board("two");
    assert!(board.contains("<<<<<<< ours\n"), "{board}");
    // Which is what `merge --resolve` is for.
    clones.boardsync("two", &["merge", "--resolve"]);
    let board = clones.board("two");
    assert!(
        board.contains("| a |") && board.contains("| b |"),
        "{board}"
    );
}

#[test]
fn without_git_a_version_that_is_no_board_is_an_error_and_ours_stays() {
    let env = TestEnv::new();
    let write = |name: &str, text: &str| {
        std::fs::write(env.path(name), text).unwrap();
    };
    let row = |repo: &str| {
        format!(
            "| {repo} | frei | — | — | — | — | 0000000{} |\n",
            repo.len()
        )
    };
    write("base", "");
    write("ours", &board_of(&row("a")));
    write("note", "a note\n");
    let said = env.run(&["merge", "base", "ours", "note"]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.err.contains("`note`: it is not a board of ours"),
        "{}",
        said.err
    );
    let read = |name: &str| std::fs::read_to_string(env.path(name)).unwrap();
    assert_eq!(read("ours"), board_of(&row("a")));

    write("theirs", &board_of(&row("bb")));
    env.run(&["merge", "base", "ours", "theirs", "-o", "out"])
        .quietly();
    assert_eq!(read("ours"), board_of(&row("a")), "only OUT is written");
    assert_eq!(read("out"), board_of(&(row("a") + &row("bb"))));
    assert_eq!(
        env.run(&["merge", "base", "ours", "theirs", "-o", "-"])
            .quietly()
            .out,
        read("out")
    );
    env.run(&["merge", "base", "ours", "theirs"]).quietly();
    assert_eq!(read("ours"), read("out"));
    assert_eq!(env.run(&["merge", "base", "ours"]).code, Some(2));
}

#[cfg(unix)]
#[test]
fn the_result_goes_through_a_link_and_into_a_pipe() {
    let env = TestEnv::new();
    let path = |name: &str| env.path(&format!("home/{name}"));
    env.update("app", "closed").quietly();
    let board = env.read_board();
    std::fs::write(path("ours"), board.replace("closed", "frei")).unwrap();
    for name in ["base", "theirs", "other"] {
        std::fs::write(path(name), &board).unwrap();
    }
    std::os::unix::fs::symlink("other", path("link")).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), mode).unwrap();
    let merge = |out: &str| {
        let args = ["merge", "base", "ours", "theirs", "-o", out];
        let mut command = env.command(&args);
        command.current_dir(env.path("home"));
        command
    };
    crate::env::Said::from(merge("link").output().unwrap()).quietly();
    let is_link = std::fs::symlink_metadata(path("link"))
        .unwrap()
        .is_symlink();
    let merged = std::fs::read_to_string(path("other")).unwrap();
    assert!(is_link && merged.contains("| app | frei |"), "{merged}");
    let pipe = path("pipe");
    let reader = std::thread::spawn(move || std::fs::read_to_string(pipe).unwrap());
    crate::env::Said::from(merge("pipe").output().unwrap()).quietly();
    let kind = std::fs::symlink_metadata(path("pipe")).unwrap().file_type();
    assert!(std::os::unix::fs::FileTypeExt::is_fifo(&kind));
    assert_eq!(reader.join().unwrap(), merged);
}

#[test]
fn the_driver_is_registered_and_taken_back() {
    let env = TestEnv::new();
    let vault = env.vault();
    let attributes = vault.join(".gitattributes");
    run(env
        .command_of("git")
        .arg("-C")
        .arg(&vault)
        .args(["init", "-q"]));
    std::fs::write(&attributes, "*.md text").unwrap();
    let planned = || env.run(&["init", "--git", "--dry-run"]).quietly().out;
    let step = "have git merge the board with `boardsync merge`: `";
    assert!(planned().contains(step), "{}", planned());
    env.run(&["init", "--git", "--yes"]).quietly();
    assert_eq!(planned(), "nothing to do\n");
    let once = std::fs::read_to_string(&attributes).unwrap();
    let mark = "# boardsync: the board is merged by its rows";
    assert_eq!(once, format!("*.md text\n{mark}\n/{BOARD} merge=boardsync"));
    let local = std::fs::read_to_string(vault.join(".git/info/attributes")).unwrap();
    assert!(
        local.ends_with(&format!("{mark}\n/{BOARD} merge=boardsync\n")),
        "{local}"
    );
    env.run(&["init", "--git", "--yes"]).quietly();
    assert_eq!(std::fs::read_to_string(&attributes).unwrap(), once);
    let attribute = |path: &Path| {
        let mut git = env.command_of("git");
        run(git
            .arg("-C")
            .arg(&vault)
            .args(["check-attr", "merge", "--"])
            .arg(path))
    };
    assert!(attribute(Path::new(BOARD)).ends_with(": boardsync\n"));
    assert!(attribute(Path::new("other.md")).ends_with(": unspecified\n"));

    let doctor = || env.run(&["doctor"]).out;
    assert!(doctor().contains("git merges the board with `boardsync merge`"));
    // As in a clone, which gets the attribute alone.
    let driver = ["config", "--unset", "merge.boardsync.driver"];
    run(env.command_of("git").arg("-C").arg(&vault).args(driver));
    assert!(
        doctor().contains("run `boardsync init --git`"),
        "{}",
        doctor()
    );
    env.run(&["init", "--git", "--yes"]).quietly();

    env.run(&["init", "--undo", "--yes"]).quietly();
    assert_eq!(std::fs::read_to_string(&attributes).unwrap(), "*.md text");
    assert!(!vault.join(".git/info/attributes").exists());
    env.run(&["init", "--undo", "--yes"]).quietly();
    let config = std::fs::read_to_string(vault.join(".git/config")).unwrap();
    assert!(!config.contains("boardsync"), "{config}");
}

#[test]
fn a_board_whose_name_looks_like_an_option_is_merged_by_its_rows() {
    let clones = Clones::new(None);
    let board = "-x; touch ran.md";
    for name in ["one", "two"] {
        clones.git(name, &["pull", "-q", "--no-edit"]);
        let attributes = clones.path(name).join(".git/info/attributes");
        std::fs::write(attributes, "-x* merge=boardsync\n").unwrap();
    }
    let path = |name: &str| clones.path(name).join(board);
    let with = |rows: &str| board_of(rows);
    std::fs::write(path("one"), with("")).unwrap();
    clones.commit("one", "the board");
    clones.git("one", &["push", "-q"]);
    clones.git("two", &["pull", "-q", "--no-edit"]);
    let row = |repo: &str, key: &str| {
        format!("| {repo} | closed | s | — | — | 2026-11-30T06:00:00.000Z | {key} |\n")
    };
    std::fs::write(path("one"), with(&row("app", "1f2e3d4c"))).unwrap();
    clones.commit("one", "app");
    clones.git("one", &["push", "-q"]);
    std::fs::write(path("two"), with(&row("lib", "2f2e3d4c"))).unwrap();
    clones.commit("two", "lib");
    clones.git("two", &["pull", "-q", "--no-edit"]);
    let merged = std::fs::read_to_string(path("two")).unwrap();
    assert!(
        merged.contains("| app |") && merged.contains("| lib |"),
        "{merged}"
    );
    assert!(!clones.path("two").join("ran.md").exists());
}
