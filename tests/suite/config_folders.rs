//! The peer's folders are found where the peer looks for them.

use boardsync::internals::config::{
    Env, host_aliases_file, private_dir, registry_dir, sweep_roots,
};
use std::path::Path;

#[test]
fn variables_come_before_folders_and_blank_ones_do_not_count() {
    for (variables, private) in [
        (&[("HOME", "/h")][..], "/h/.config/session-orchestrator"),
        (
            &[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x")],
            "/x/session-orchestrator",
        ),
        (
            &[("HOME", "/h"), ("XDG_CONFIG_HOME", " ")],
            "/h/.config/session-orchestrator",
        ),
        (
            &[("XDG_CONFIG_HOME", "/x"), ("SO_CONFIG_HOME", "/so")],
            "/so",
        ),
    ] {
        let env: Env = variables.iter().copied().collect();
        let private = Path::new(private);
        assert_eq!(private_dir(&env).as_deref(), Some(private));
        assert_eq!(registry_dir(&env), Some(private.join("sessions")));
        assert_eq!(
            host_aliases_file(&env),
            Some(private.join("host-aliases.json"))
        );
    }
    let env: Env = [
        ("SO_SESSION_REGISTRY_DIR", "/r"),
        ("SO_HOST_ALIASES_FILE", "/a"),
    ]
    .into_iter()
    .collect();
    assert_eq!(private_dir(&env), None);
    assert_eq!(registry_dir(&env).as_deref(), Some(Path::new("/r")));
    assert_eq!(host_aliases_file(&env).as_deref(), Some(Path::new("/a")));
}

#[test]
fn configured_roots_are_searched_beside_the_default() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join(".config");
    std::fs::create_dir_all(config.join("boardsync")).unwrap();
    std::fs::write(
        config.join("boardsync/config.toml"),
        "roots = ['~/src', '/work']\n",
    )
    .unwrap();
    let env: Env = [("HOME", home.path()), ("XDG_CONFIG_HOME", config.as_path())]
        .into_iter()
        .collect();
    assert_eq!(
        sweep_roots(&env).unwrap(),
        [
            home.path().join("Projects"),
            home.path().join("src"),
            "/work".into()
        ]
    );
    std::fs::write(
        config.join("boardsync/config.toml"),
        "roots = ['~user/x']\n",
    )
    .unwrap();
    let error = sweep_roots(&env).unwrap_err().to_string();
    assert!(error.contains("`~user/x`"), "{error}");
}
