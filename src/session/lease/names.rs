//! What people call sessions and folders.

use crate::git;
use std::collections::HashMap;
use std::path::Path;

/// The number of characters that tell an id from others.
const SHORT: usize = 8;

/// Returns the part of a session's id that a person reads.
///
/// The first 8 digits of a UUID. Where these are a time (version 7), and in
/// other long ids, it is the end that differs.
pub fn short_id(id: &str) -> &str {
    let id = id.trim();
    if id.chars().count() <= 2 * SHORT {
        return id;
    }
    let is_timed = id.len() == 36 && id.as_bytes()[14] == b'7';
    let is_uuid = id.len() == 36 && id.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    let count = id.chars().count();
    let at = |skip| id.char_indices().nth(skip).map_or(id.len(), |(at, _)| at);
    match is_uuid && !is_timed {
        true => &id[..at(SHORT)],
        false => &id[at(count - SHORT)..],
    }
}

/// Returns the name of the folder `repo`: `app/feat` for a worktree of `app`.
pub fn name_of(repo: &Path) -> String {
    let own = last(repo);
    match git::main_checkout(repo) {
        Some(main) if main != repo => format!("{}/{own}", last(&main)),
        _ => own,
    }
}

fn last(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Makes the names of different folders differ: each gets the shortest end of
/// its path that tells it from the others of its name.
pub fn tell_apart(folders: &[(&Path, &str)]) -> Vec<String> {
    let mut names: Vec<String> = folders.iter().map(|(_, name)| (*name).to_owned()).collect();
    for depth in 2.. {
        let mut count: HashMap<String, usize> = HashMap::new();
        for name in &names {
            *count.entry(name.to_lowercase()).or_default() += 1;
        }
        let mut changed = false;
        for (name, (path, _)) in names.iter_mut().zip(folders) {
            if count[&name.to_lowercase()] > 1 {
                let longer = end_of(path, depth);
                changed |= longer != *name;
                *name = longer;
            }
        }
        if !changed {
            break;
        }
    }
    names
}

/// Returns the last `depth` components of a path, `/` between them.
fn end_of(path: &Path, depth: usize) -> String {
    let all: Vec<_> = path
        .iter()
        .map(|part| part.to_string_lossy())
        .filter(|part| part != "/")
        .collect();
    all[all.len().saturating_sub(depth)..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_cut_to_what_tells_it_apart() {
        for (id, short) in [
            ("e8db4fb6-3a76-447c-9871-fba3354c428f", "e8db4fb6"),
            ("01a22e5c-452f-7e71-b22b-a31d7a8ef931", "7a8ef931"),
            ("conv_1796075821828_igeymrl", "_igeymrl"),
            ("fix-login", "fix-login"),
            ("ééééééééééééééééé", "éééééééé"),
            ("", ""),
        ] {
            assert_eq!(short_id(id), short, "{id}");
        }
    }

    #[test]
    fn folders_of_one_name_get_the_shortest_path_that_differs() {
        let told = |paths: &[(&str, &str)]| {
            let folders: Vec<_> = paths
                .iter()
                .map(|(path, name)| (Path::new(path), *name))
                .collect();
            tell_apart(&folders)
        };
        assert_eq!(
            told(&[("/s/a/web", "web"), ("/s/b/web", "web"), ("/s/api", "api")]),
            ["a/web", "b/web", "api"]
        );
        assert_eq!(
            told(&[("/x/a/web", "web"), ("/y/a/web", "web"), ("/web", "web")]),
            ["x/a/web", "y/a/web", "web"]
        );
        assert_eq!(
            told(&[("/s/app/.t/f", "app/f"), ("/s/web/.t/f", "web/f")]),
            ["app/f", "web/f"]
        );
        assert_eq!(
            told(&[("/s/web", "web"), ("/s/web", "web")]),
            ["s/web", "s/web"]
        );
    }
}
