//! Git's conflict markers: two versions of a text in one file.

/// Is a conflicted text taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The common ancestor, if every hunk shows it (`merge.conflictStyle diff3`).
    pub base: Option<String>,
    /// The upper version.
    pub ours: String,
    /// The lower version.
    pub theirs: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Open,
    Base,
    Middle,
    Close,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Ours,
    Base,
    Theirs,
}

/// Tells whether a text has a line that opens or closes a hunk.
pub fn has_markers(text: &str) -> bool {
    let marks = text.lines().map(mark);
    marks
        .flatten()
        .any(|mark| matches!(mark, Mark::Open | Mark::Close))
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
    let [mut base, mut ours, mut theirs] = [bom; 3].map(str::to_owned);
    let mut open: Vec<Section> = Vec::new();
    let (mut hunks, mut based) = (0, 0);
    for line in text.split_inclusive('\n') {
        let inner = open.last().copied();
        match (mark(line), inner) {
            (Some(Mark::Open), _) => {
                hunks += usize::from(open.is_empty());
                open.push(Section::Ours);
                continue;
            }
            (Some(Mark::Base), Some(Section::Ours)) => {
                based += usize::from(open.len() == 1);
                *open.last_mut()? = Section::Base;
                continue;
            }
            (Some(Mark::Middle), Some(Section::Ours | Section::Base)) => {
                *open.last_mut()? = Section::Theirs;
                continue;
            }
            (Some(Mark::Close), Some(Section::Theirs)) => {
                open.pop();
                continue;
            }
            (Some(Mark::Close), _) => return None,
            _ => {}
        }
        if open.iter().skip(1).any(|section| *section == Section::Base) {
            continue;
        }
        match open.first() {
            None => [&mut base, &mut ours, &mut theirs]
                .into_iter()
                .for_each(|side| side.push_str(line)),
            Some(Section::Ours) => ours.push_str(line),
            Some(Section::Base) => base.push_str(line),
            Some(Section::Theirs) => theirs.push_str(line),
        }
    }
    (open.is_empty() && hunks > 0).then_some(Sides {
        base: (based == hunks).then_some(base),
        ours,
        theirs,
    })
}

fn mark(line: &str) -> Option<Mark> {
    let line = line
        .trim_start_matches('\u{feff}')
        .trim_end_matches(['\n', '\r']);
    let of = |sign: &str| {
        let rest = line.strip_prefix(sign)?;
        (rest.is_empty() || rest.starts_with(' ')).then_some(())
    };
    [
        ("<<<<<<<", Mark::Open),
        ("|||||||", Mark::Base),
        ("=======", Mark::Middle),
        (">>>>>>>", Mark::Close),
    ]
    .into_iter()
    .find_map(|(sign, mark)| of(sign).map(|()| mark))
}

#[cfg(test)]
mod tests {
    use super::{Sides, has_markers, sides};

    fn split(text: &str) -> Option<(Option<String>, String, String)> {
        sides(text).map(|Sides { base, ours, theirs }| (base, ours, theirs))
    }

    fn all(
        base: Option<&str>,
        ours: &str,
        theirs: &str,
    ) -> Option<(Option<String>, String, String)> {
        Some((base.map(Into::into), ours.into(), theirs.into()))
    }

    #[test]
    fn hunks_are_two_versions_and_perhaps_their_ancestor() {
        let two = "a\n<<<<<<< x\nb\n=======\nc\n>>>>>>> y\nd\n<<<<<<<\n=======\ne\n>>>>>>>\n";
        assert_eq!(split(two), all(None, "a\nb\nd\n", "a\nc\nd\ne\n"));
        let diff3 = "<<<<<<< x\r\na\r\n||||||| base\r\nb\r\n=======\r\nc\r\n>>>>>>> y\r\n";
        assert_eq!(split(diff3), all(Some("b\r\n"), "a\r\n", "c\r\n"));
        let mixed = [two, diff3].concat();
        assert_eq!(split(&mixed).expect("is whole").0, None);
        let bom = "\u{feff}<<<<<<< x\na\n=======\n>>>>>>> y\n";
        assert_eq!(split(bom), all(None, "\u{feff}a\n", "\u{feff}"));
    }

    #[test]
    fn a_conflict_within_a_side_belongs_to_it() {
        let nested = "<<<<<<< x\n<<<<<<< x\na\n||||||| o\nn\n=======\nb\n>>>>>>> y\n=======\nc\n\
                      <<<<<<< x\nd\n=======\ne\n>>>>>>> y\n>>>>>>> z\n";
        assert_eq!(split(nested), all(None, "a\nb\n", "c\nd\ne\n"));
    }

    #[test]
    fn markers_that_do_not_pair_up_are_left_to_a_person() {
        for text in [
            "a\n",
            "=======\n",
            "<<<<<<< x\na\n",
            "<<<<<<< x\na\n=======\nb\n",
            "<<<<<<< x\na\n>>>>>>> y\n",
            "a\n>>>>>>> y\n",
        ] {
            assert_eq!(split(text), None, "{text}");
        }
        // A heading, and what only looks like a marker.
        assert!(!has_markers("a\n=======\n<<<<<<<<\n >>>>>>>\n"));
        assert!(has_markers("\u{feff}<<<<<<< x\n"));
    }
}
