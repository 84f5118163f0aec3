//! Lines of ours in a text file that belongs to others.
//!
//! They stand below a comment that marks them, and go without a trace. What
//! the file ended in is kept in what it ends in now: one without a final
//! newline still has none, and one that was not there has one. So nothing has
//! to be remembered to give back the same bytes.

use super::Direction;
use super::file_edit::{Format, Rest};

/// A block of lines, and the comment above it.
pub struct Block {
    /// The comment, with its sign.
    pub mark: &'static str,
    /// The lines that are wanted.
    pub lines: Vec<String>,
    /// The lines that earlier versions of the block may hold besides.
    pub earlier: fn(&str) -> bool,
    /// Whether a line of the file does what one of ours would.
    pub covers: fn(theirs: &str, ours: &str) -> bool,
}

impl Block {
    /// Returns the lines that the text has nothing for.
    pub fn missing(&self, text: &str) -> Vec<&str> {
        let is_covered = |ours: &str| {
            text.lines()
                .any(|theirs| (self.covers)(theirs.trim_end(), ours))
        };
        let lines = self.lines.iter().map(String::as_str);
        lines.filter(|line| !is_covered(line)).collect()
    }

    fn is_ours(&self, line: &str) -> bool {
        self.lines.iter().any(|ours| ours == line) || (self.earlier)(line)
    }

    /// Splits the text into what belongs to others and the lines of our block.
    fn part<'t>(&self, text: &'t str) -> (String, Vec<&'t str>) {
        let (mut in_block, mut ends_in_block) = (false, false);
        let mut block = Vec::new();
        let mut rest = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let bare = line.trim_end();
            let is_mark = bare == self.mark;
            in_block = is_mark || in_block && self.is_ours(bare);
            ends_in_block = in_block;
            if !in_block {
                rest.push_str(line);
            } else if !is_mark {
                block.push(bare);
            }
        }
        if ends_in_block && !text.ends_with('\n') {
            let open = rest.strip_suffix('\n').unwrap_or(&rest);
            rest.truncate(open.strip_suffix('\r').unwrap_or(open).len());
        }
        (rest, block)
    }
}

impl Format for Block {
    fn add(&self, text: Option<&str>) -> Result<Option<String>, String> {
        let file = text.unwrap_or_default();
        let (rest, block) = self.part(file);
        let missing = self.missing(&rest);
        if missing.is_empty() || missing == block {
            return Ok(None);
        }
        let ending = if rest.contains("\r\n") { "\r\n" } else { "\n" };
        // A file with nothing but our block, which ends in a newline, is ours.
        let was_there = text.is_some() && !(rest.is_empty() && file.ends_with('\n'));
        let is_open = was_there && !rest.ends_with('\n');
        let joint = if is_open && !rest.is_empty() {
            ending
        } else {
            ""
        };
        let block = [&[self.mark], &*missing].concat().join(ending);
        let last = if is_open { "" } else { ending };
        Ok(Some([&rest, joint, &block, last].concat()))
    }

    fn remove(&self, text: &str) -> Result<Option<Rest>, String> {
        let (rest, _) = self.part(text);
        Ok(if rest == text {
            None
        } else if rest.is_empty() && text.ends_with('\n') {
            Some(Rest::NoFile)
        } else {
            Some(Rest::Text(rest))
        })
    }

    fn by_hand(&self, direction: Direction) -> String {
        match direction {
            Direction::SetUp => format!("add the lines {}", self.lines.join(" ")),
            Direction::Undo => format!("remove the lines below `{}`", self.mark),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(lines: &[&str]) -> Block {
        Block {
            mark: "# ours",
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            earlier: |line| line.starts_with("old"),
            covers: |theirs, ours| theirs == ours,
        }
    }

    #[test]
    fn lines_are_added_once_and_go_byte_for_byte() {
        let ours = block(&["a/", "b/"]);
        let texts = [
            "",
            "\n",
            "x\n",
            "x",
            "x\r\ny\r\n",
            "x\r\ny",
            "a/\n",
            "# mine\n\n\n",
        ];
        for text in texts.map(Some).into_iter().chain([None]) {
            let added = ours.add(text).unwrap().unwrap();
            assert!(added.starts_with(text.unwrap_or_default()), "{added:?}");
            for line in ["a/", "b/"] {
                let count = added.lines().filter(|other| *other == line).count();
                assert_eq!(count, 1, "{line} in {added:?}");
            }
            assert_eq!(ours.add(Some(&added)), Ok(None), "{added:?}");
            let rest = match text {
                Some(text) => Rest::Text(text.to_owned()),
                None => Rest::NoFile,
            };
            assert_eq!(ours.remove(&added), Ok(Some(rest)), "{added:?}");
        }
    }

    #[test]
    fn what_is_not_ours_stays() {
        let ours = block(&["a/"]);
        assert_eq!(ours.remove("a/\nx\n"), Ok(None), "no mark, not ours");
        let grown = "x\n# ours\na/\ny\n";
        assert_eq!(ours.remove(grown), Ok(Some(Rest::Text("x\ny\n".into()))));
    }

    #[test]
    fn a_block_of_an_earlier_version_is_brought_up_to_date() {
        let older = "x\n# ours\nold/\n";
        let added = block(&["a/"]).add(Some(older)).unwrap().unwrap();
        assert_eq!(added, "x\n# ours\na/\n");
        let grown = block(&["a/", "b/"]).add(Some(&added)).unwrap().unwrap();
        assert_eq!(grown, "x\n# ours\na/\nb/\n");
    }
}
