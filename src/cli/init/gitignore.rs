//! The step that keeps locks and temporaries of a vault out of git.

use super::text_file::{self, Format};
use super::{Plan, Setup, Way};
use crate::cli::outcome::Failure;
use std::path::Path;

/// Marks our lines; they end at the first line that is none of them.
const MARK: &str = "# boardsync: locks, temporaries and backups of the board";

/// What only this host, and only now, has a use for.
pub const PATTERNS: [&str; 6] = [
    ".orchestrator/*.lock",
    ".orchestrator/*.acquire",
    ".orchestrator/*.pending",
    ".orchestrator/*.tmp",
    ".orchestrator/backups/",
    ".orchestrator/merged/",
];

/// Plans the step: only where git, or at least its file, is in use.
pub fn plan<'a>(setup: &'a Setup<'a>, way: Way) -> Result<Option<Plan<'a>>, Failure> {
    let vault = &setup.vault.path;
    let path = vault.join(".gitignore");
    if way == Way::Do && !is_in_git(vault) && !path.exists() {
        return Ok(None);
    }
    let what = match way {
        Way::Do => "have git ignore locks and temporaries",
        Way::Undo => "remove the lines of boardsync",
    };
    text_file::plan("gitignore", what.to_owned(), path, &Ignore, way).map_err(Failure::Error)
}

/// Says whether a folder lies in a git repository.
pub fn is_in_git(folder: &Path) -> bool {
    folder
        .ancestors()
        .any(|folder| folder.join(".git").exists())
}

struct Ignore;

impl Format for Ignore {
    fn add(&self, text: &str) -> Result<Option<String>, String> {
        let missing: Vec<&str> = PATTERNS
            .into_iter()
            .filter(|pattern| !is_covered(text, pattern))
            .collect();
        if missing.is_empty() {
            return Ok(None);
        }
        let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut new = text.to_owned();
        if !new.is_empty() && !new.ends_with('\n') {
            new.push_str(ending);
        }
        // Lines that a newer version adds join the block that is there.
        let lines =
            |lines: &[&str]| -> String { lines.iter().flat_map(|line| [*line, ending]).collect() };
        match new.find(&format!("{MARK}{ending}")) {
            Some(at) => new.insert_str(at + MARK.len() + ending.len(), &lines(&missing)),
            None => new.push_str(&lines(&[&[MARK], &*missing].concat())),
        }
        Ok(Some(new))
    }

    fn remove(&self, text: &str) -> Result<Option<String>, String> {
        let mut ours = false;
        let kept: String = text
            .split_inclusive('\n')
            .filter(|line| {
                let line = line.trim_end();
                ours = line == MARK || ours && PATTERNS.contains(&line);
                !ours
            })
            .collect();
        Ok((kept != text).then_some(kept))
    }

    fn same(&self, one: &str, other: &str) -> bool {
        one.trim_end() == other.trim_end()
    }

    fn has_own_folder(&self) -> bool {
        false
    }

    fn by_hand(&self, way: Way) -> String {
        match way {
            Way::Do => format!("add the lines {}", PATTERNS.join(" ")),
            Way::Undo => format!("remove the lines below `{MARK}`"),
        }
    }
}

/// Says whether a line of the text ignores what the pattern means.
pub fn is_covered(text: &str, pattern: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_end();
        let line = line.strip_prefix('/').unwrap_or(line);
        line == pattern
            || matches!(
                line,
                ".orchestrator" | ".orchestrator/" | ".orchestrator/*" | ".orchestrator/**"
            )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_once_and_go_without_a_trace() {
        for text in ["", "a\n", "a", "a\r\nb\r\n", ".orchestrator/*.lock\n"] {
            let added = Ignore.add(text).unwrap().unwrap();
            assert!(added.starts_with(text), "{added:?}");
            for pattern in PATTERNS {
                let lines = added.lines().filter(|line| *line == pattern);
                assert_eq!(lines.count(), 1, "{pattern} in {added:?}");
            }
            assert_eq!(Ignore.add(&added), Ok(None));
            let back = Ignore.remove(&added).unwrap().unwrap();
            assert!(Ignore.same(&back, text), "{back:?}");
            assert_eq!(Ignore.remove(text), Ok(None), "only what we added");
        }
    }

    #[test]
    fn a_folder_that_is_ignored_whole_needs_nothing() {
        for text in [
            ".orchestrator/\n",
            "/.orchestrator\r\n",
            "x\n.orchestrator/*",
        ] {
            assert_eq!(Ignore.add(text), Ok(None), "{text:?}");
        }
    }

    #[test]
    fn a_block_of_an_older_version_grows() {
        let older = format!("a\n{MARK}\n.orchestrator/*.lock\nb\n");
        let added = Ignore.add(&older).unwrap().unwrap();
        assert_eq!(added.matches(MARK).count(), 1, "{added}");
        assert_eq!(Ignore.remove(&added), Ok(Some("a\nb\n".to_owned())));
    }
}
