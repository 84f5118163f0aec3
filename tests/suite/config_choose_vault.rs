//! The vault is chosen by the first source that names one.

use boardsync::internals::config::{
    Choice, ConfigError, Env, VaultChoice, VaultSource, choose_vault,
};
use std::fs;
use std::path::{Path, PathBuf};

/// A home folder of its own, with a repository in it.
struct Home {
    folder: tempfile::TempDir,
    env: Vec<(&'static str, String)>,
}

const BLOCK: &str = "vault-integration:\n  enabled: true\n  vault-name: team\n  vault-dir: ";

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("app")).unwrap();
        let variable = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let home = folder.path().to_str().unwrap().to_owned();
        Self {
            env: vec![
                (variable, home.clone()),
                ("XDG_CONFIG_HOME", format!("{home}/.config")),
                ("XDG_DATA_HOME", format!("{home}/data")),
            ],
            folder,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn owner(self, dir: &str) -> Self {
        self.file(
            ".config/session-orchestrator/owner.yaml",
            format!("paths:\n  vault-dir: {dir}\n"),
        )
    }

    fn own(self, text: &str) -> Self {
        self.file(".config/boardsync/config.toml", text)
    }

    fn block(self, dir: &str) -> Self {
        self.file("app/CLAUDE.md", format!("{BLOCK}{dir}\n"))
    }

    /// Makes a folder in the home folder.
    fn folder(self, name: &str) -> Self {
        fs::create_dir_all(self.path(name)).unwrap();
        self
    }

    fn set(mut self, name: &'static str, value: &str) -> Self {
        self.env.push((name, value.to_owned()));
        self
    }

    fn choose(&self, flag: Option<&str>) -> Result<Choice, ConfigError> {
        let env: Env = self.env.iter().cloned().collect();
        let repo = self.path("app");
        choose_vault(flag.map(Path::new), &env, Some(&repo), &self.path("cwd"))
    }

    fn vault(&self) -> VaultChoice {
        match self.choose(None).unwrap() {
            Choice::Vault(vault) => vault,
            Choice::Disabled { reason } => panic!("disabled: {reason}"),
        }
    }

    fn disabled(&self) -> String {
        match self.choose(None).unwrap() {
            Choice::Vault(vault) => panic!("not disabled: {vault:?}"),
            Choice::Disabled { reason } => reason,
        }
    }
}

#[test]
fn each_source_beats_all_below_it() {
    let all = || {
        Home::new()
            .own("vault = '~/own'\nvaults = ['~/block']\n")
            .block("~/block")
            .owner("~/owner")
    };
    let home = Home::new();
    assert_eq!(home.vault().source, VaultSource::Default);
    assert_eq!(home.vault().path, home.path("data/boardsync/vault"));

    let home = Home::new().own("vault = '~/own'\n");
    assert_eq!(home.vault().source, VaultSource::OwnConfig);
    assert_eq!(home.vault().path, home.path("own"));

    let home = Home::new().block("~/block").folder("block");
    let file = home.path("app/CLAUDE.md");
    assert_eq!(home.vault().source, VaultSource::SessionConfig(file));
    assert_eq!(home.vault().path, home.path("block"));

    let own = "vault = '~/own'\nvaults = ['~/block']\n";
    let home = Home::new().own(own).block("~/block");
    let file = home.path("app/CLAUDE.md");
    assert_eq!(home.vault().source, VaultSource::AllowedSessionConfig(file));
    assert_eq!(home.vault().path, home.path("block"));

    let home = all();
    assert_eq!(home.vault().source, VaultSource::OwnerYaml);
    assert_eq!(home.vault().path, home.path("owner"));

    let home = all().set("SO_VAULT_DIR", " ~/so ");
    assert_eq!(home.vault().source, VaultSource::SoVaultDir);
    assert_eq!(home.vault().path, home.path("so"));

    let home = all()
        .set("SO_VAULT_DIR", "~/so")
        .set("BOARDSYNC_VAULT", "/elsewhere/v");
    assert_eq!(home.vault().source, VaultSource::BoardsyncVault);
    assert_eq!(home.vault().path, Path::new("/elsewhere/v"), "not at home");

    let Choice::Vault(vault) = home.choose(Some("v/../w")).unwrap() else {
        panic!("a flag is never disabled")
    };
    assert_eq!(vault.source, VaultSource::Flag);
    assert_eq!(vault.path, home.path("cwd/w"));
}

#[test]
fn a_blank_variable_counts_as_unset() {
    let home = Home::new()
        .block("~/block")
        .folder("block")
        .set("SO_VAULT_DIR", "  ")
        .set("BOARDSYNC_VAULT", "");
    assert_eq!(home.vault().path, home.path("block"));
}

#[test]
fn nothing_but_an_explicit_vault_enables_what_the_repository_disables() {
    for text in [
        "vault-integration:\n  enabled: false\n",
        "vault-integration:\n  vault-dir: ~/v\n",
        "vault-integration: no\n",
        "",
        " \n",
        "\u{feff}",
    ] {
        let home = Home::new()
            .file("app/CLAUDE.md", text)
            .file("app/AGENTS.md", format!("{BLOCK}~/agents\n"))
            .owner("~/owner")
            .own("vault = '~/own'\n")
            .set("SO_VAULT_DIR", "~/so");
        assert!(home.disabled().contains("CLAUDE.md"), "{text:?}");
        let explicit = home.choose(Some("/v")).unwrap();
        assert!(matches!(explicit, Choice::Vault(_)), "{text:?}");
        let home = home.set("BOARDSYNC_VAULT", "/v");
        assert_eq!(home.vault().source, VaultSource::BoardsyncVault, "{text:?}");
    }
}

#[test]
fn a_file_that_says_nothing_of_a_vault_leaves_the_choice_to_the_next_source() {
    let home = Home::new()
        .file("app/CLAUDE.md", "# Rules\n")
        .file("app/AGENTS.md", format!("{BLOCK}~/agents\n"))
        .set("SO_VAULT_DIR", "~/so");
    assert_eq!(home.vault().path, home.path("so"));
    let home = Home::new().file("app/CLAUDE.md", "vault-integration: { enabled: true }\n");
    assert_eq!(home.vault().source, VaultSource::Default);
}

#[test]
fn the_platform_decides_which_file_is_looked_at_first() {
    let both = || {
        Home::new()
            .block("~/claude")
            .folder("claude")
            .folder("agents")
            .file("app/AGENTS.md", format!("{BLOCK}~/agents\n"))
    };
    let home = both();
    assert_eq!(home.vault().path, home.path("claude"));
    for platform in ["codex", "pi"] {
        let home = both().set("SO_PLATFORM", platform);
        assert_eq!(home.vault().path, home.path("agents"), "{platform}");
    }
    let home = Home::new()
        .block("~/claude")
        .folder("claude")
        .set("SO_PLATFORM", "pi");
    assert_eq!(home.vault().path, home.path("claude"));
}

#[test]
fn a_vault_that_only_a_file_names_must_lie_under_the_home_folder() {
    for (dir, fault) in [
        ("~", "is the home folder itself"),
        ("~/", "is the home folder itself"),
        ("~/x/..", "is the home folder itself"),
        ("/srv/v", "lies outside the home folder"),
        ("~/../v", "lies outside the home folder"),
        ("v/w", "is a relative path"),
        ("$HOME/v", "is a relative path"),
        ("~user/v", "is in another user's home folder"),
    ] {
        let by_block = Home::new().block(dir);
        let reason = by_block.disabled();
        assert!(
            reason.contains(fault) && reason.contains("CLAUDE.md"),
            "{dir}: {reason}"
        );
        assert!(
            reason.contains("; "),
            "{dir}: the remedy is missing: {reason}"
        );
        let reason = Home::new().set("SO_VAULT_DIR", dir).disabled();
        assert!(
            reason.contains(fault) && reason.contains("SO_VAULT_DIR"),
            "{reason}"
        );
        // In quotes, for YAML takes a bare `~` for null.
        let reason = Home::new().owner(&format!("'{dir}'")).disabled();
        assert!(reason.contains("owner.yaml"), "{reason}");
        let own = Home::new().own(&format!("vault = '{dir}'\n"));
        if fault.contains("outside") {
            assert_eq!(
                own.vault().source,
                VaultSource::OwnConfig,
                "the user's word"
            );
        } else {
            let reason = own.disabled();
            assert!(reason.contains("config.toml"), "{reason}");
        }
    }
    let home = Home::new().block("~/x/../My Vault").folder("My Vault");
    assert_eq!(home.vault().path, home.path("My Vault"));
}

#[cfg(unix)]
#[test]
fn a_symlink_out_of_the_home_folder_is_found_out() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    for (target, dir, fault) in [
        (outside.path(), "~/link", Some("by a symlink")),
        (outside.path(), "~/link/not/there", Some("by a symlink")),
        (Path::new("nowhere"), "~/link", Some("a dangling symlink")),
        (Path::new("link"), "~/link/v", Some("cannot be reached")),
        (Path::new("vault"), "~/link", None),
        (
            Path::new("vault"),
            "~/link/not/there",
            Some("does not exist"),
        ),
    ] {
        let home = Home::new().block(dir).folder("vault");
        symlink(target, home.path("link")).unwrap();
        match fault {
            Some(fault) => assert!(
                home.disabled().contains(fault),
                "{dir}: {}",
                home.disabled()
            ),
            None => assert!(home.vault().path.starts_with(home.path("link"))),
        }
    }
}

#[cfg(unix)]
#[test]
fn a_home_folder_that_is_a_symlink_is_home_all_the_same() {
    let home = Home::new();
    let alias = home.path("alias");
    let real = home.path("real");
    fs::create_dir_all(real.join("app")).unwrap();
    std::os::unix::fs::symlink(&real, &alias).unwrap();
    let env: Env = [("HOME", alias.to_str().unwrap()), ("SO_VAULT_DIR", "~/v")]
        .into_iter()
        .collect();
    let choice = choose_vault(None, &env, None, Path::new("/")).unwrap();
    assert!(matches!(choice, Choice::Vault(vault) if vault.path == alias.join("v")));
}

#[test]
fn a_broken_owner_file_is_passed_over_with_a_warning() {
    let home = Home::new().block("~/v").folder("v").owner("[");
    let vault = home.vault();
    assert_eq!(vault.path, home.path("v"));
    assert_eq!(vault.warnings.len(), 1);
    assert!(
        vault.warnings[0].contains("owner.yaml"),
        "{:?}",
        vault.warnings
    );
}

#[test]
fn a_broken_config_file_of_our_own_is_an_error_with_its_place() {
    for (text, place) in [
        (&b"\xff\xfe"[..], "invalid UTF-8 at byte 0"),
        (b"vault = '~/v'\nvualt = 1\n", "line 2"),
        (b"vault = 5\n", "line 1"),
        (b"vault = [\n", "line"),
    ] {
        let home = Home::new().file(".config/boardsync/config.toml", text);
        let error = home.choose(None).unwrap_err().to_string();
        assert!(
            error.contains(place) && error.contains("config.toml"),
            "{error}"
        );
        assert!(!error.contains('\n'), "{error}");
        let unread = Home::new()
            .set("SO_VAULT_DIR", "~/v")
            .file(".config/boardsync/config.toml", text);
        assert_eq!(unread.vault().path, unread.path("v"), "it is not even read");
    }
}

#[test]
fn a_session_config_that_is_not_utf_8_is_read_all_the_same() {
    let mut text = b"\xff\xfe\xe9\n".to_vec();
    text.extend(format!("{BLOCK}~/v\n").bytes());
    let home = Home::new().file("app/CLAUDE.md", text).folder("v");
    assert_eq!(home.vault().path, home.path("v"));
}

#[test]
fn a_session_config_that_cannot_be_read_disables() {
    let home = Home::new().set("SO_VAULT_DIR", "~/v");
    fs::create_dir(home.path("app/CLAUDE.md")).unwrap();
    assert!(home.disabled().contains("is not a regular file"));
    let home = Home::new().file("app/CLAUDE.md", vec![b' '; 5 * 1024 * 1024]);
    assert!(home.disabled().contains("larger than"));
}

#[test]
fn an_explicit_vault_has_its_tilde_expanded_and_nothing_else() {
    let home = Home::new();
    for (given, meant) in [("~", ""), ("~/v", "v"), ("./~x", "cwd/~x")] {
        let Choice::Vault(vault) = home.choose(Some(given)).unwrap() else {
            panic!("a flag is never disabled")
        };
        assert_eq!(vault.path, home.path(meant), "{given}");
    }
    for given in ["~user/v", "", "  "] {
        let error = home.choose(Some(given)).unwrap_err().to_string();
        assert!(error.starts_with("`--vault` names no vault"), "{error}");
    }
}

#[test]
fn without_a_home_folder_only_an_explicit_vault_works() {
    let env = Env::default();
    let cwd = Path::new("/");
    let error = choose_vault(None, &env, None, cwd).unwrap_err();
    assert!(error.to_string().contains("`--vault`"), "{error}");
    assert!(choose_vault(Some(Path::new("/v")), &env, None, cwd).is_ok());
}
