//! Whose board it is: ours, somebody's note, or one that git left in conflict.

use super::Board;
use super::frontmatter::Frontmatter;

/// Marks a board that a generator may rewrite.
pub const GENERATOR: &str = "session-orchestrator-active-sessions@1";

/// Is who owns a document at the board's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A generator wrote it, and may write it again.
    Ours,
    /// A person wrote it.
    Handwritten,
    /// It is ours, but holds git's conflict markers.
    Conflicted,
}

impl Board<'_> {
    /// Tells whose document a text is, without reading its rows.
    pub fn origin_of(text: &str) -> Origin {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        origin(has_conflict(text), &Frontmatter::split(body).0)
    }

    /// Tells whose document this is; only one of [`Origin::Ours`] may be written.
    pub fn origin(&self) -> Origin {
        origin(self.conflicted, &self.frontmatter)
    }
}

fn origin(conflicted: bool, frontmatter: &Frontmatter<'_>) -> Origin {
    if conflicted {
        Origin::Conflicted
    } else if frontmatter.value("_generator") == Some(GENERATOR) {
        Origin::Ours
    } else {
        Origin::Handwritten
    }
}

/// Tells whether a text of ours holds an unresolved conflict.
///
/// The generator may stand anywhere, for the conflict may have torn the
/// frontmatter apart. `=======` alone is a heading.
pub(super) fn has_conflict(text: &str) -> bool {
    let line = |mark: &str| {
        // A search for one short needle is far cheaper than a walk over lines.
        text.contains(mark)
            && text
                .lines()
                .filter_map(|line| {
                    line.strip_prefix('\u{feff}')
                        .unwrap_or(line)
                        .strip_prefix(mark)
                })
                .any(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    line("<<<<<<<") && line(">>>>>>>") && text.contains(GENERATOR)
}
