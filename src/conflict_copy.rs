//! Which names sync tools give to the loser of a conflict.
//!
//! A name alone proves nothing: what has one is merged only if it is a board of
//! ours too. So the rules lean towards yes where a tool's name says "conflict",
//! and towards no where a person may have made it.

/// Says whether `candidate` is a sync tool's name for a copy of the board.
///
/// Both are names without folders. A copy of a copy is one, too.
pub fn is_conflict_copy(board_file_name: &str, candidate: &str) -> bool {
    let (stem, extension) = match board_file_name.rfind('.') {
        Some(at) if at > 0 => board_file_name.split_at(at),
        _ => (board_file_name, ""),
    };
    let between = candidate
        .strip_prefix(stem)
        .and_then(|rest| rest.strip_suffix(extension));
    let Some(mut mark) = between.filter(|mark| !mark.is_empty()) else {
        return false;
    };
    while !mark.is_empty() {
        let Some(rest) = syncthing(mark)
            .or_else(|| parenthesised(mark))
            .or_else(|| numbered(mark))
            .or_else(|| in_words(mark))
        else {
            return false;
        };
        mark = rest;
    }
    true
}

/// Takes `.sync-conflict-20260101-120000-ABCDEFG`; old ones name no device.
fn syncthing(mark: &str) -> Option<&str> {
    let rest = mark.strip_prefix(".sync-conflict-")?;
    let rest = digits(rest, 8)?.strip_prefix('-')?;
    let rest = digits(rest, 6)?;
    let device = rest.strip_prefix('-').filter(|device| {
        let id = device.bytes().take_while(u8::is_ascii_alphanumeric);
        id.count() == 7
    });
    Some(device.map_or(rest, |device| &device[7..]))
}

/// Takes ` (1)`, or ` (…)` that says "conflict" and when or from whom.
fn parenthesised(mark: &str) -> Option<&str> {
    let inner = mark.strip_prefix(" (").or_else(|| mark.strip_prefix('('))?;
    let end = closing(inner)?;
    let (inner, rest) = (&inner[..end], &inner[end + 1..]);
    (is_small_number(inner, 1) || tells_of_conflict(inner)).then_some(rest)
}

/// Takes ` 2`, which Finder and iCloud append; a year is a person's.
fn numbered(mark: &str) -> Option<&str> {
    let rest = mark.strip_prefix(' ')?;
    let end = rest.bytes().take_while(u8::is_ascii_digit).count();
    is_small_number(&rest[..end], 2).then_some(&rest[end..])
}

/// Takes what is not in parentheses: all the rest, if it tells of a conflict.
///
/// ` conflict from HOST …`, `_conflict-20260101-120000` (ownCloud),
/// `_HOST_Jan-01-120000-2026_Conflict` (Synology Drive).
fn in_words(mark: &str) -> Option<&str> {
    let words = mark.strip_prefix([' ', '_', '-', '.'])?;
    let is_one = tells_of_conflict(words) || words.ends_with("_Conflict");
    is_one.then_some("")
}

/// Says whether a text has the word, in the languages of the tools, and a day
/// or a host to go with it.
fn tells_of_conflict(text: &str) -> bool {
    let text = text.to_lowercase();
    let word = ["conflict", "konflikt", "conflit"];
    text.contains("conflict from ") || word.iter().any(|word| text.contains(word)) && has_day(&text)
}

/// Finds `2026-01-01` or `20260101`.
fn has_day(text: &str) -> bool {
    text.char_indices().any(|(at, _)| {
        let text = &text[at..];
        let dashed = || {
            let rest = digits(text, 4)?.strip_prefix('-')?;
            digits(digits(rest, 2)?.strip_prefix('-')?, 2)
        };
        text.starts_with("20") && (digits(text, 8).is_some() || dashed().is_some())
    })
}

/// Takes that many digits off the start.
fn digits(text: &str, count: usize) -> Option<&str> {
    let (head, rest) = text.split_at_checked(count)?;
    head.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then_some(rest)
}

fn is_small_number(text: &str, least: u8) -> bool {
    !text.starts_with('0') && text.parse::<u8>().is_ok_and(|n| (least..100).contains(&n))
}

/// Finds the parenthesis that closes the one before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::is_conflict_copy;

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
            "_active-sessions.sync-conflict-20260101-120000-ABCDEFG2.md",
            "~syncthing~_active-sessions.md.tmp",
            "._active-sessions 2.md.icloud",
            "my _active-sessions 2.md",
            "_active-session 2.md",
        ] {
            assert!(!is_one(name), "{name}");
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
