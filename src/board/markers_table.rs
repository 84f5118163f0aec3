//! The table of conflicts, as git and jj write them.

use super::{Sides, has_conflict, sides};

fn split(text: &str) -> Option<(Option<String>, String, String)> {
    sides(text).map(|Sides { base, ours, theirs }| (base, ours, theirs))
}

fn all(base: Option<&str>, ours: &str, theirs: &str) -> Option<(Option<String>, String, String)> {
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
fn markers_have_any_length_from_five() {
    for length in [5, 15, 32] {
        let [open, base, middle, close] = ["<", "|", "=", ">"].map(|c| c.repeat(length));
        let text = format!("{open} x\na\n=======\n========\n{base}\nb\n{middle}\nc\n{close} y\n");
        let ours = "a\n=======\n========\n";
        assert_eq!(split(&text), all(Some("b\n"), ours, "c\n"), "{text}");
        assert!(has_conflict(&text));
    }
    assert!(!has_conflict("<<<< x\n====\n>>>> y\n"));
    assert!(!has_conflict("<<<<<< x\n>>>>> y\n"), "two lengths");
}

#[test]
fn conflicts_of_jj_are_taken_apart() {
    let diff = "a\n<<<<<<< Conflict 1 of 1\n%%%%%%% Changes from base to side #1\n\\\\\\\\\\\\\\ to\n\
                \x20b\n-c\n+d\n+++++++ Contents of side #2\ne\n-f\n>>>>>>> Conflict 1 of 1 ends\ng\n";
    assert!(has_conflict(diff));
    assert_eq!(
        split(diff),
        all(Some("a\nb\nc\ng\n"), "a\nb\nd\ng\n", "a\ne\n-f\ng\n")
    );
    let snapshot = "<<<<<<<\n+++++++ one\na\n------- base\nb\n+++++++ two\nc\n>>>>>>>\n";
    assert_eq!(split(snapshot), all(Some("b\n"), "a\n", "c\n"));
    let three = "<<<<<<<\n+++++++\na\n-------\nb\n+++++++\nc\n-------\nb\n+++++++\nd\n>>>>>>>\n";
    assert_eq!(split(three), None, "three sides");
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
        "<<<<<<< x\na\n=======\nb\n>>>>>>> y\n>>>>>>> z\n",
    ] {
        assert_eq!(split(text), None, "{text}");
    }
    // A heading, and what only looks like a marker.
    assert!(!has_conflict("a\n=======\n<<<<<<<<<\n >>>>>>>>>\n"));
    assert!(has_conflict("\u{feff}<<<<<<< x\n>>>>>>>\n"));
}
