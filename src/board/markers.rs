//! Conflict markers of git and jj: two versions of a text in one file.
//!
//! A marker is a run of five or more of one character at the start of a line
//! (git's `conflict-marker-size`, and jj lengthens its own where a text has such
//! runs). All markers of one conflict have one length.

/// A conflicted text taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The common ancestor, if every conflict shows it (git's `diff3`, and jj).
    pub base: Option<String>,
    /// The upper version.
    pub ours: String,
    /// The lower version.
    pub theirs: String,
}

const SHORTEST: usize = 5;

/// A line that is a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Marker {
    character: u8,
    length: usize,
}

/// Returns whether a text has a conflict: it is opened and closed.
///
/// `=======` alone is a heading.
pub fn has_conflict(text: &str) -> bool {
    // A search for one short needle is far cheaper than a walk over lines.
    if !text.contains("<<<<<") || !text.contains(">>>>>") {
        return false;
    }
    let lengths = |character| {
        let markers = text.lines().filter_map(marker);
        markers
            .filter(move |marker| marker.character == character)
            .map(|marker| marker.length)
    };
    let opened: Vec<usize> = lengths(b'<').collect();
    lengths(b'>').any(|length| opened.contains(&length))
}

/// Takes a conflicted text apart; `None` if its markers do not pair up.
///
/// A conflict within a side belongs whole to that side: its two versions follow
/// each other there, and its ancestor is nobody's any more.
pub fn sides(text: &str) -> Option<Sides> {
    let (bom, text) = match text.strip_prefix('\u{feff}') {
        Some(text) => ("\u{feff}", text),
        None => ("", text),
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut whole = Versions::new(bom);
    let (mut at, mut conflicts) = (0, 0);
    while let Some(line) = lines.get(at) {
        let taken = match marker(line) {
            Some(open) if open.character == b'<' => {
                conflicts += 1;
                conflict(&lines[at..], open.length, &mut whole)?
            }
            Some(close) if close.character == b'>' => return None,
            _ => {
                whole.push_all(line);
                1
            }
        };
        at += taken;
    }
    (conflicts > 0).then_some(Sides {
        base: whole.has_base.then_some(whole.base),
        ours: whole.ours,
        theirs: whole.theirs,
    })
}

/// The versions of a text, as far as it has been read.
struct Versions {
    base: String,
    /// Whether every conflict so far shows the ancestor.
    has_base: bool,
    ours: String,
    theirs: String,
}

impl Versions {
    fn new(start: &str) -> Self {
        Self {
            base: start.to_owned(),
            has_base: true,
            ours: start.to_owned(),
            theirs: start.to_owned(),
        }
    }

    fn push_all(&mut self, line: &str) {
        for version in [&mut self.base, &mut self.ours, &mut self.theirs] {
            version.push_str(line);
        }
    }
}

/// Reads the conflict that the first line opens, and gives how many lines it has.
fn conflict(lines: &[&str], length: usize, whole: &mut Versions) -> Option<usize> {
    let first = lines.get(1).and_then(|line| marker(line));
    let is_jj = first.is_some_and(|marker| {
        marker.length == length && matches!(marker.character, b'%' | b'+' | b'-')
    });
    match is_jj {
        true => conflict_of_jj(lines, length, whole),
        false => conflict_of_git(lines, length, whole),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Ours,
    Base,
    Theirs,
}

fn conflict_of_git(lines: &[&str], length: usize, whole: &mut Versions) -> Option<usize> {
    // The open conflicts, the innermost last.
    let mut open = vec![(length, Section::Ours)];
    let mut has_base = false;
    for (at, line) in lines.iter().enumerate().skip(1) {
        let (length, section) = open.last_mut()?;
        match marker(line) {
            Some(inner) if inner.character == b'<' => {
                open.push((inner.length, Section::Ours));
                continue;
            }
            Some(marker) if marker.length != *length => {}
            Some(marker) => match (marker.character, *section) {
                (b'|', Section::Ours) => {
                    *section = Section::Base;
                    has_base |= open.len() == 1;
                    continue;
                }
                (b'=', Section::Ours | Section::Base) => {
                    *section = Section::Theirs;
                    continue;
                }
                (b'>', Section::Theirs) => {
                    open.pop();
                    if open.is_empty() {
                        whole.has_base &= has_base;
                        return Some(at + 1);
                    }
                    continue;
                }
                (b'>', _) => return None,
                _ => {}
            },
            None => {}
        }
        if open
            .iter()
            .skip(1)
            .any(|(_, section)| *section == Section::Base)
        {
            continue;
        }
        match open[0].1 {
            Section::Ours => whole.ours.push_str(line),
            Section::Base => whole.base.push_str(line),
            Section::Theirs => whole.theirs.push_str(line),
        }
    }
    None
}

/// Reads a conflict as jj writes it: sides in full (`+++++++`), the ancestor in
/// full (`-------`), or a side as its difference from the ancestor (`%%%%%%%`).
///
/// One of more than two sides is left to a person.
fn conflict_of_jj(lines: &[&str], length: usize, whole: &mut Versions) -> Option<usize> {
    let mut sides: Vec<String> = Vec::new();
    let mut base: Option<String> = None;
    let mut section = b'\\';
    for (at, line) in lines.iter().enumerate().skip(1) {
        match marker(line).filter(|marker| marker.length == length) {
            Some(marker) => match marker.character {
                b'>' => {
                    let [ours, theirs] = &sides[..] else {
                        return None;
                    };
                    whole.ours.push_str(ours);
                    whole.theirs.push_str(theirs);
                    whole.base.push_str(&base?);
                    return Some(at + 1);
                }
                b'\\' => {}
                b'%' | b'+' | b'-' => {
                    section = marker.character;
                    if section != b'+' && base.replace(String::new()).is_some() {
                        return None;
                    }
                    if section != b'-' {
                        sides.push(String::new());
                    }
                }
                _ => return None,
            },
            None => match (section, line.split_at_checked(1)?) {
                (b'+', _) => sides.last_mut()?.push_str(line),
                (b'-', _) => base.as_mut()?.push_str(line),
                (b'%', (" ", text)) => {
                    sides.last_mut()?.push_str(text);
                    base.as_mut()?.push_str(text);
                }
                (b'%', ("+", text)) => sides.last_mut()?.push_str(text),
                (b'%', ("-", text)) => base.as_mut()?.push_str(text),
                // Some editors strip the space of an empty line.
                (b'%', ("\n", _)) => {
                    sides.last_mut()?.push_str(line);
                    base.as_mut()?.push_str(line);
                }
                _ => return None,
            },
        }
    }
    None
}

fn marker(line: &str) -> Option<Marker> {
    let line = line
        .trim_start_matches('\u{feff}')
        .trim_end_matches(['\n', '\r']);
    let character = *line.as_bytes().first()?;
    if !b"<|=>%+-\\".contains(&character) {
        return None;
    }
    let length = line.bytes().take_while(|byte| *byte == character).count();
    let rest = &line[length..];
    let is_marker = length >= SHORTEST && (rest.is_empty() || rest.starts_with(' '));
    is_marker.then_some(Marker { character, length })
}

#[cfg(test)]
#[path = "markers_table.rs"]
mod table;
