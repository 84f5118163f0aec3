//! A repository that somebody else made runs nothing, whatever its git says.

use crate::env::{Said, TestEnv};
use std::fs;
use std::path::{Path, PathBuf};

/// Makes a repository at `folder` whose configuration names a program for all
/// that git would run by itself; gives the file that this program makes.
fn plant(env: &TestEnv, folder: &Path, bare: bool) -> PathBuf {
    let ran = env.path("ran");
    let mut git = env.command_of("git");
    git.args(["init", "-q"]);
    if bare {
        git.arg("--bare");
    }
    assert!(git.arg(folder).status().unwrap().success());
    let dir = if bare {
        folder.to_owned()
    } else {
        folder.join(".git")
    };
    let program = format!("sh -c 'touch {}; echo'", ran.display());
    let settings = [
        ("core.fsmonitor", program.as_str()),
        ("core.editor", &program),
        ("core.pager", &program),
        ("core.sshCommand", &program),
        ("diff.external", &program),
        ("core.bare", "false"),
        ("core.worktree", folder.to_str().unwrap()),
    ];
    for (key, value) in settings {
        let mut git = env.command_of("git");
        git.arg("config").arg("--file").arg(dir.join("config"));
        assert!(git.args([key, value]).status().unwrap().success());
    }
    for hook in [
        "post-index-change",
        "fsmonitor-watchman",
        "reference-transaction",
    ] {
        let path = dir.join("hooks").join(hook);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\ntouch {}\n", ran.display())).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    ran
}

/// Runs all that could call git.
fn run_all(env: &TestEnv, folder: &Path, vault: Option<&Path>) {
    for args in [
        &["doctor"][..],
        &["init", "--yes", "--git"],
        &["update", "--repo", ".", "--status", "in-progress"],
        &["doctor"],
        &["sweep"],
        &["show"],
        &["init", "--undo", "--yes"],
    ] {
        let mut command = env.command(args);
        command.env_remove("BOARDSYNC_VAULT").current_dir(folder);
        if let Some(vault) = vault {
            command.env("BOARDSYNC_VAULT", vault);
        }
        let said: Said = command.output().unwrap().into();
        assert_ne!(said.code, Some(2), "{args:?}: {said:?}");
    }
}

#[test]
fn the_trap_goes_off_without_care() {
    let env = TestEnv::new();
    let ran = plant(&env, &env.vault(), false);
    let mut git = env.command_of("git");
    git.arg("-C")
        .arg(env.vault())
        .args(["check-ignore", "-q", "x"]);
    let _ = git.status().unwrap();
    assert!(ran.exists(), "else the tests below would prove nothing");
}

#[test]
fn a_clone_with_an_embedded_bare_repository_runs_nothing() {
    let env = TestEnv::new();
    let clone = env.home().join("clone");
    let vault = clone.join("notes");
    fs::create_dir_all(&vault).unwrap();
    let ran = plant(&env, &vault, true);
    fs::create_dir_all(clone.join(".git")).unwrap();
    fs::write(clone.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let block =
        "## Session Config\n\nvault-integration: { enabled: true, vault-dir: ~/clone/notes }\n";
    fs::write(clone.join("CLAUDE.md"), block).unwrap();
    run_all(&env, &clone, None);
    run_all(&env, &vault, None);
    // Nor if the user names it.
    run_all(&env, &clone, Some(&vault));
    assert!(!ran.exists());
}

#[test]
fn a_vault_that_the_user_named_runs_nothing_of_its_own() {
    let env = TestEnv::new();
    let ran = plant(&env, &env.vault(), false);
    run_all(&env, &env.home(), Some(&env.vault()));
    run_all(&env, &env.vault(), Some(&env.vault()));
    assert!(!ran.exists());
}

#[test]
fn the_repository_of_a_running_hook_is_not_the_vaults() {
    let env = TestEnv::new();
    let other = env.repo("other");
    for folder in [&env.vault(), &other] {
        let mut git = env.command_of("git");
        assert!(
            git.args(["init", "-q"])
                .arg(folder)
                .status()
                .unwrap()
                .success()
        );
    }
    let mut command = env.command(&["init", "--git", "--yes"]);
    command
        .env("GIT_DIR", other.join(".git"))
        .env("GIT_INDEX_FILE", other.join(".git/index"))
        .env("GIT_WORK_TREE", &other);
    Said::from(command.output().unwrap()).quietly();
    let config = |folder: &Path| fs::read_to_string(folder.join(".git/config")).unwrap();
    assert!(config(&env.vault()).contains("boardsync"));
    assert!(!config(&other).contains("boardsync"));
}

#[test]
fn doctor_asks_git_for_what_holds() {
    let env = TestEnv::new();
    let vault = env.vault();
    let git = |args: &[&str]| {
        let mut git = env.command_of("git");
        let said = git.arg("-C").arg(&vault).args(args).output().unwrap();
        assert!(said.status.success(), "{args:?}: {said:?}");
    };
    git(&["init", "-q"]);
    env.run(&["init", "--git", "--yes"]).quietly();
    let doctor = || env.run(&["doctor"]).out;
    assert!(doctor().contains("git merges the board with `boardsync merge`"));
    // The attribute of this clone alone is enough, as on an old branch.
    let attributes = vault.join(".gitattributes");
    let kept = fs::read_to_string(&attributes).unwrap();
    fs::remove_file(&attributes).unwrap();
    assert!(doctor().contains("git merges the board with `boardsync merge`"));
    fs::write(&attributes, kept).unwrap();
    git(&["config", "extensions.worktreeConfig", "true"]);
    git(&["config", "--worktree", "merge.boardsync.driver", "other %A"]);
    let said = doctor();
    assert!(said.contains("config.worktree`: `other %A`"), "{said}");
    git(&["config", "--worktree", "--unset", "merge.boardsync.driver"]);
    fs::remove_file(vault.join(".git/info/attributes")).unwrap();
    fs::write(&attributes, "").unwrap();
    let said = doctor();
    assert!(
        said.contains("no git attribute assigns the board to `boardsync merge`"),
        "{said}"
    );
}
