//! Every environment variable that the source names is in docs/configuration.md.

use std::collections::BTreeSet;
use std::path::Path;

/// Variables that other programs' files or commands hold, or that only tests use.
const NOT_SETTINGS: [&str; 8] = [
    "CARGO_PKG_VERSION",
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_OPTIONAL_LOCKS",
    "PATH",
    "PWD",
];

fn names_in(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            names_in(&path, names);
        } else if !path.to_string_lossy().ends_with("_table.rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("\nmod tests {").next().unwrap();
            let is_name = |word: &&str| {
                let mut parts = word.split('_');
                word.contains('_')
                    && parts.all(|part| {
                        !part.is_empty() && part.bytes().all(|b| b.is_ascii_uppercase())
                    })
            };
            // Every second piece between quotes is a literal, or the text between two.
            names.extend(text.split('"').filter(is_name).map(str::to_owned));
        }
    }
}

#[test]
fn every_variable_is_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = std::fs::read_to_string(root.join("docs/configuration.md")).unwrap();
    let mut names = BTreeSet::new();
    names_in(&root.join("src"), &mut names);
    assert!(names.contains("BOARDSYNC_VAULT"), "{names:?}");
    let missing: Vec<_> = names
        .iter()
        .filter(|name| !NOT_SETTINGS.contains(&&***name))
        .filter(|name| !docs.contains(&format!("`{name}`")))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/configuration.md lacks {missing:?}"
    );
}
