//! Which names sync tools give to the loser of a conflict.
//!
//! A name alone proves nothing: what has one is merged only if it is a board of
//! ours too. So the rules lean towards yes where a tool's name says "conflict",
//! and towards no where a person may have made it.

use regex::Regex;
use std::sync::OnceLock;

/// The meaning of the name of a file beside the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CopyName {
    /// A sync tool's name for the loser of a conflict: a board of ours is merged.
    Known(&'static str),
    /// Any other name: a board of ours is reported, and left alone.
    Unknown,
}

/// Tool, and what it puts between the stem and the extension of a name.
///
/// `{conflict}`, `{any}` and `{day}` are those of [`pattern`]. Sources are the tools'
/// own, as far as they are open, else their help pages and reports.
const TOOLS: &[(&str, &str)] = &[
    // lib/model/folder_sendrecv.go, conflictName; old versions name no device
    ("Syncthing", r"\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?"),
    // Help: "What's a conflicted copy?"; in each client's language, a second
    // one of a day is numbered, and not each has a date
    (
        "Dropbox",
        r" \([^()]*{conflict}[^()]*(?:{day}[^()]*)?(?: \(\d{1,2}\))?\)",
    ),
    // sync client: " (case clash from USER, DATE)"; csync_rename.cpp: _conflict-
    (
        "Nextcloud",
        r" \(case clash from [^()]+\)|_conflict-[^()]*\d{8}-\d{6}",
    ),
    // Help: "Version history and conflicts"
    ("Obsidian Sync", r" \(Conflicted copy [^()]+ \d{8,12}\)"),
    // Finder and iCloud number from 2; a year is a person's
    ("iCloud", r" (?:[2-9]|[1-9]\d)"),
    // Help: "Fix file conflicts"
    ("Google Drive", r" ?\([1-9]\d?\)"),
    // Windows names a computer in capitals; other words may be a person's
    (
        "OneDrive",
        r"-[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*(?:-\d{1,2})?| \([A-Z]+(?:-[A-Z0-9]+)+\)",
    ),
    // common/…/conflictresolver: " (Conflict a4ab3033)"
    ("Cryptomator", r" \([Cc]onflict [0-9a-f]{8}\)"),
    // Help: "What happens with conflicts?"
    (
        "Synology Drive",
        r"_[^()]+_[A-Z][a-z]{2}-\d\d-\d{6}-\d{4}_Conflict",
    ),
    // CmisSync: SyncFolderSynchronizer.cs; Logseq numbers with an underscore
    ("CmisSync", r"_[^()_ ]+-version|_[2-9]"),
    // Seafile, Resilio, pCloud and others say so with a date or a host
    (
        "a sync tool",
        r" \([^()]*{any}[^()]*{day}[^()]*\)| \(conflict from [^()]+\)| conflict from [^()]+|[ _-][^().]*{any}[^()]*{day}[^()]*",
    ),
];

/// The words for a conflicted copy, in the languages of the tools.
const CONFLICT: &str = "conflict(?:ed|ing) copy|(?:case|white ?space|unicode encoding|selective sync|read-only) conflict\
    |konflikt|conflit|conflicto|conflitto|conflito|conflicterende|konflikcie|konfliktkopi|motstridende|kolid|çakış|\
    bentrok|競合|冲突|衝突|충돌|конфликт|конфлікт";

/// Returns what a sibling of the board is, by its name; `None` if the name does
/// not begin and end as the board's does, or is the board's.
///
/// Both are names without folders. A copy of a copy is one, too.
pub fn copy_name(board: &str, candidate: &str) -> Option<CopyName> {
    let (stem, extension) = match board.rfind('.') {
        Some(at) if at > 0 => board.split_at(at),
        _ => (board, ""),
    };
    let mark = candidate.strip_prefix(stem)?.strip_suffix(extension)?;
    if mark.is_empty() {
        return None;
    }
    let tool = pattern().captures(mark).and_then(|captures| {
        let names = TOOLS.iter().enumerate();
        let is_meant = |(at, _): &(usize, &(&str, &str))| captures.get(at + 1).is_some();
        names.filter(is_meant).map(|(_, (tool, _))| *tool).next()
    });
    Some(tool.map_or(CopyName::Unknown, CopyName::Known))
}

/// Returns whether `candidate` is a sync tool's name for a copy of the board.
pub fn is_conflict_copy(board: &str, candidate: &str) -> bool {
    matches!(copy_name(board, candidate), Some(CopyName::Known(_)))
}

/// Returns the table as one expression, in which each tool is a group.
fn pattern() -> &'static Regex {
    static PATTERN: OnceLock<Regex> = OnceLock::new();
    PATTERN.get_or_init(|| {
        let group = |(_, mark): &(&str, &str)| format!("({mark})");
        let groups: Vec<String> = TOOLS.iter().map(group).collect();
        let any = groups
            .join("|")
            .replace("{conflict}", &format!("(?:{})", in_any_case(CONFLICT)))
            .replace(
                "{any}",
                &format!("(?:{}|{})", in_any_case("conflict"), in_any_case(CONFLICT)),
            )
            .replace("{day}", r"20\d\d-?\d\d-?\d\d")
            .replace(r"\d", "[0-9]");
        Regex::new(&format!("^(?:{any})+$")).expect("the table is well-formed")
    })
}

/// Writes each letter of an expression in both cases.
///
/// What `(?i)` and `\d` take of Unicode is a hundred kilobytes of tables with
/// addresses in them, which the loader goes through at every start.
fn in_any_case(expression: &str) -> String {
    let both = |c: char| match c.is_lowercase() {
        true => format!("[{c}{}]", c.to_uppercase()),
        false => c.to_string(),
    };
    expression.chars().map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::{CopyName, copy_name, is_conflict_copy};

    fn is_one(candidate: &str) -> bool {
        is_conflict_copy("_active-sessions.md", candidate)
    }

    #[test]
    fn every_tools_name_is_known() {
        for name in [
            // Syncthing, with and without a device.
            "_active-sessions.sync-conflict-20260101-120000-ABCDEFG.md",
            "_active-sessions.sync-conflict-20260101-120000.md",
            // Dropbox, also a second one of a day, and in other languages.
            "_active-sessions (Test Laptop's conflicted copy 2026-01-01).md",
            "_active-sessions (Test Laptop's conflicted copy 2026-01-01 (1)).md",
            "_active-sessions (In Konflikt stehende Kopie von Studio 2026-01-01).md",
            "_active-sessions (Copie en conflit de Studio 2026-01-01).md",
            // Obsidian Sync.
            "_active-sessions (Conflicted copy test-laptop 202601011200).md",
            // iCloud and Finder.
            "_active-sessions 2.md",
            "_active-sessions 13.md",
            // Nextcloud, and ownCloud before it.
            "_active-sessions (conflicted copy 2026-01-01 120000).md",
            "_active-sessions_conflict-20260101-120000.md",
            // Google Drive.
            "_active-sessions (1).md",
            "_active-sessions(1).md",
            // Others.
            "_active-sessions (CONFLICT 20260101T120000).md",
            "_active-sessions conflict from studio.md",
            "_active-sessions (conflict from studio 2026-01-01).md",
            "_active-sessions_studio_Jan-01-120000-2026_Conflict.md",
            // Dropbox without a date, about cases and such, and in more languages.
            "_active-sessions (studio's conflicted copy).md",
            "_active-sessions (Case Conflict).md",
            "_active-sessions (case conflict 1).md",
            "_active-sessions (Unicode Encoding Conflict).md",
            "_active-sessions (white space conflict).md",
            "_active-sessions (Studio の競合コピー 2026-01-01).md",
            "_active-sessions (Studio 的冲突副本 2026-01-01).md",
            "_active-sessions (Studio 的衝突複本 2026-01-01).md",
            "_active-sessions (Studio의 충돌하는 사본 2026-01-01).md",
            "_active-sessions (Конфликтующая копия с Studio 2026-01-01).md",
            "_active-sessions (Copia en conflicto de Studio 2026-01-01).md",
            "_active-sessions (studio's conflicted copy 2026-01-01) (studio's conflicted copy 2026-01-02).md",
            // Nextcloud, where two names differ by case.
            "_active-sessions (case clash from me, 2026-01-01).md",
            // Cryptomator, CmisSync, Logseq.
            "_active-sessions (Conflict a4ab3033).md",
            "_active-sessions_me-version.md",
            "_active-sessions_2.md",
            // OneDrive.
            "_active-sessions-DESKTOP-AB12CD3.md",
            "_active-sessions-STUDIO-2.md",
            "_active-sessions (DESKTOP-AB12CD3).md",
            // Seafile and others.
            "_active-sessions (conflicting copy 2026-01-01).md",
            "_active-sessions conflict 2026-01-01 studio.md",
            // A copy of a copy.
            "_active-sessions (1) 2.md",
            "_active-sessions 2.sync-conflict-20260101-120000-ABCDEFG.md",
        ] {
            assert!(is_one(name), "{name}");
        }
    }

    #[test]
    fn a_persons_name_is_none() {
        for name in [
            "_active-sessions.md",
            "_active-sessions-old.md",
            "_active-sessions 2024 plan.md",
            "_active-sessions 2024.md",
            "_active-sessions 1.md",
            "_active-sessions 02.md",
            "_active-sessions 2 plan.md",
            "_active-sessions copy.md",
            "_active-sessions (0).md",
            "_active-sessions (draft).md",
            "_active-sessions (2026-01-01).md",
            "_active-sessions (conflicts of interest).md",
            "_active-sessions conflicts.md",
            "_active-sessions (1.md",
            "_active-sessions 2.txt",
            "_active-sessions 2",
            "_active-sessions.sync-conflict-2026-120000-ABCDEFG.md",
            "~syncthing~_active-sessions.md.tmp",
            "._active-sessions 2.md.icloud",
            "my _active-sessions 2.md",
            "_active-session 2.md",
        ] {
            assert!(!is_one(name), "{name}");
        }
    }

    #[test]
    fn a_tool_is_named_and_other_siblings_are_unknown() {
        let name = |candidate| copy_name("_active-sessions.md", candidate);
        let known = "_active-sessions-DESKTOP-AB12CD3.md";
        assert_eq!(name(known), Some(CopyName::Known("OneDrive")));
        for sibling in ["_active-sessions-old.md", "_active-sessions (draft).md"] {
            assert_eq!(name(sibling), Some(CopyName::Unknown), "{sibling}");
        }
        for other in ["_active-sessions.md", "_active-sessions 2.txt", "notes.md"] {
            assert_eq!(name(other), None, "{other}");
        }
    }

    #[test]
    fn a_board_without_an_extension_has_copies_too() {
        assert!(is_conflict_copy("board", "board 2"));
        assert!(is_conflict_copy(".md", ".md (1)"));
        assert!(!is_conflict_copy("board", "board 2.md"));
        assert!(!is_conflict_copy("ü.md", "ü"));
    }
}
