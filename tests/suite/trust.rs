//! A vault that only a repository names is used if it can be nobody's trick.

use crate::env::{Said, TestEnv};
use std::fs;
use std::path::{Path, PathBuf};

/// Clones a repository that names `vault_dir` into the home folder.
fn clone(env: &TestEnv, vault_dir: &str) -> PathBuf {
    let repo = env.home().join("src/clone");
    fs::create_dir_all(repo.join(".git")).unwrap();
    fs::write(repo.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let block = format!("vault-integration:\n  enabled: true\n  vault-dir: {vault_dir}\n");
    fs::write(repo.join("CLAUDE.md"), block).unwrap();
    repo
}

/// Updates the repository's row as a user without any set-up of their own.
fn update(env: &TestEnv, repo: &Path) -> Said {
    let mut command = env.command(&["update", "--status", "in-progress", "--repo"]);
    command.arg(repo).env_remove("BOARDSYNC_VAULT");
    command.output().unwrap().into()
}

fn own_config(env: &TestEnv, text: &str) {
    let config = env.path("config/boardsync/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(config, text).unwrap();
}

#[test]
fn the_command_that_allows_a_vault_runs_nothing_of_its_name() {
    let env = TestEnv::new();
    let repo = clone(&env, r#""~/a'; touch ran; b""#);
    let said = update(&env, &repo);
    let command = r"init --vault '~/a'\''; touch ran; b'`";
    assert!(said.out.contains(command), "{said:?}");
}

#[test]
fn the_command_that_sets_up_git_runs_nothing_of_the_vaults_name() {
    let env = TestEnv::new();
    let repo = clone(&env, r#""~/it's""#);
    fs::create_dir_all(env.home().join("it's/.git")).unwrap();
    let mut command = env.command(&["init", "--git", "--yes"]);
    command.env_remove("BOARDSYNC_VAULT").current_dir(&repo);
    let said: Said = command.output().unwrap().into();
    assert_eq!(said.code, Some(1), "{said:?}");
    let home = env.home();
    let command = format!(r"init --git --vault '{}/it'\''s'`", home.display());
    assert!(said.err.contains(&command), "{said:?}");
}

fn is_refused(env: &TestEnv, repo: &Path, why: &str) {
    let said = update(env, repo);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.starts_with("skipped-vault-disabled: ") && said.out.contains(why),
        "{why}: {said:?}"
    );
    assert!(
        said.out.contains("boardsync init --vault"),
        "no way out: {said:?}"
    );
    assert_eq!(said.out.lines().count(), 1, "{said:?}");
    assert_eq!(said.err, "", "one line, and that on stdout");
}

fn boards_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_board = path.ends_with("_active-sessions.md") || path.ends_with(".orchestrator");
        if is_board && !path.ends_with("src/clone/.orchestrator") {
            found.push(path);
        } else if entry.file_type().unwrap().is_dir() {
            found.extend(boards_below(&path));
        }
    }
    found
}

#[test]
fn with_nothing_else_set_up_a_repositorys_vault_is_used() {
    let env = TestEnv::new();
    let repo = clone(&env, "~/vault");
    let said = update(&env, &repo).quietly();
    assert!(is_on_the_board(&env, &repo), "{said:?}");
}

fn is_on_the_board(env: &TestEnv, repo: &Path) -> bool {
    let name = repo.file_name().unwrap().to_str().unwrap();
    env.read_board().contains(&format!("| {name} |"))
}

#[cfg(unix)]
#[test]
fn a_clone_cannot_name_what_is_no_vault() {
    use std::os::unix::fs::symlink;
    for (dir, why) in [
        ("~/src/clone/notes", "lies in that repository itself"),
        ("~/src/clone", "lies in that repository itself"),
        ("~/inner", "lies in that repository itself"),
        ("~/.ssh", "lies in a hidden folder"),
        ("~/.config/x/v", "lies in a hidden folder"),
        ("~/keys", "lies in a hidden folder"),
        ("~/nowhere", "does not exist"),
        ("~/file", "is not a folder"),
    ] {
        let env = TestEnv::new();
        let repo = clone(&env, dir);
        let home = env.home();
        for folder in [".ssh", ".config/x/v", "src/clone/notes"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        fs::write(home.join("file"), "").unwrap();
        symlink(".ssh", home.join("keys")).unwrap();
        symlink("src/clone/notes", home.join("inner")).unwrap();
        is_refused(&env, &repo, why);
        assert_eq!(boards_below(&home), [] as [PathBuf; 0], "{dir}");
    }
}

#[test]
fn a_folder_of_the_checkout_is_refused_from_everywhere_in_it() {
    let env = TestEnv::new();
    let repo = clone(&env, "~/src/clone/notes");
    fs::create_dir_all(repo.join("notes")).unwrap();
    let below = repo.join("packages/web");
    fs::create_dir_all(&below).unwrap();
    fs::copy(repo.join("CLAUDE.md"), below.join("CLAUDE.md")).unwrap();
    is_refused(&env, &below, "lies in that repository itself");

    let worktree = env.home().join("worktrees/side");
    fs::create_dir_all(&worktree).unwrap();
    let git = repo.join(".git/worktrees/side");
    fs::create_dir_all(&git).unwrap();
    fs::write(
        worktree.join(".git"),
        format!("gitdir: {}\n", git.display()),
    )
    .unwrap();
    fs::copy(repo.join("CLAUDE.md"), worktree.join("CLAUDE.md")).unwrap();
    is_refused(&env, &worktree, "lies in that repository itself");
}

#[test]
fn a_home_folder_under_git_came_from_nobody_else() {
    let env = TestEnv::new();
    let repo = clone(&env, "~/vault");
    fs::create_dir(env.home().join(".git")).unwrap();
    update(&env, &repo).quietly();
    assert!(is_on_the_board(&env, &repo));
}

#[cfg(unix)]
#[test]
fn links_in_such_a_vault_are_not_followed() {
    use std::os::unix::fs::symlink;
    let env = TestEnv::new();
    let repo = clone(&env, "~/vault");
    let other = env.home().join("other");
    fs::create_dir(&other).unwrap();
    symlink(&other, env.vault().join("01-projects")).unwrap();
    is_refused(&env, &repo, "is a link");
    assert_eq!(fs::read_dir(&other).unwrap().count(), 0);
    own_config(&env, "vaults = ['~/vault']\n");
    update(&env, &repo).quietly();
    assert!(
        other.join("_active-sessions.md").exists(),
        "a vault of the user's"
    );
}

#[test]
fn once_the_user_has_named_a_vault_others_must_be_allowed() {
    let env = TestEnv::new();
    let repo = clone(&env, "~/vault");
    let own = env.home().join("own");
    fs::create_dir(&own).unwrap();
    own_config(&env, "vaults = ['~/own']\n");
    is_refused(&env, &repo, "is not one of yours");

    own_config(&env, "vault = '~/own'\n");
    let said = update(&env, &repo);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("is not one of yours"), "{said:?}");
    assert_eq!(said.err.lines().count(), 1, "{said:?}");
    assert!(own.join("01-projects/_active-sessions.md").exists());
    assert!(!env.board().exists());

    own_config(&env, "vault = '~/own'\nvaults = ['~/vault']\n");
    update(&env, &repo).quietly();
    assert!(is_on_the_board(&env, &repo));
}
