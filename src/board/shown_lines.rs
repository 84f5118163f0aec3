//! Which lines of a markdown note a person sees as text, and not as code or a
//! comment.
//!
//! CommonMark 0.31 (4.4, 4.5, 4.6) and Obsidian's `%% … %%`, as far as a table
//! can hide in them. List items and quotes are followed only to see a code
//! fence in them end.

/// A note that is read line by line.
#[derive(Debug, Default)]
pub(super) struct ShownLines {
    inside: Inside,
}

#[derive(Debug, Default)]
enum Inside {
    #[default]
    Text,
    Fence {
        mark: char,
        length: usize,
        container: Container,
    },
    /// A block goes on over blank lines, a comment in a paragraph does not.
    Comment { end: &'static str, block: bool },
}

/// A block that a line is nested in: a quote, or a list item by its indent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Container {
    quoted: bool,
    indent: usize,
}

impl ShownLines {
    /// Takes the next line; true if a table could start on it.
    pub(super) fn takes(&mut self, line: &str) -> bool {
        match self.inside {
            Inside::Fence {
                mark,
                length,
                container,
            } if container.holds(line) => {
                if closes(line, mark, length, container) {
                    self.inside = Inside::Text;
                }
                false
            }
            Inside::Comment { end, block } if block || !line.trim().is_empty() => {
                if let Some((_, rest)) = line.split_once(end) {
                    self.inside = open_comment(rest).unwrap_or_default();
                }
                false
            }
            _ => {
                self.inside = Inside::Text;
                self.takes_text(line)
            }
        }
    }

    fn takes_text(&mut self, line: &str) -> bool {
        if indent(line) >= 4 {
            return false;
        }
        let (container, content) = Container::strip(line);
        if let Some((mark, length)) = opens(content) {
            self.inside = Inside::Fence {
                mark,
                length,
                container,
            };
            return false;
        }
        if let Some(comment) = open_comment(content) {
            self.inside = comment;
        }
        let is_comment = content.starts_with("<!--") || content.starts_with("%%");
        !is_comment && container == Container::default()
    }
}

/// Finds the comment that a line opens and does not close.
fn open_comment(line: &str) -> Option<Inside> {
    let mut rest = line;
    loop {
        let start = |mark| rest.find(mark).map(|at| (at, mark));
        let (at, mark) = start("<!--").into_iter().chain(start("%%")).min()?;
        let (end, inner) = match mark {
            // `<!-->` is a whole comment.
            "<!--" => ("-->", at + 2),
            _ => ("%%", at + 2),
        };
        match rest[inner..].split_once(end) {
            Some((_, after)) => rest = after,
            None => {
                let block = rest.len() == line.len() && at == 0;
                return Some(Inside::Comment { end, block });
            }
        }
    }
}

/// Returns whether a line added at the end of the text would be code or comment.
pub(super) fn ends_hidden(text: &str) -> bool {
    let mut shown = ShownLines::default();
    for line in text.split_inclusive('\n') {
        shown.takes(line);
    }
    // The blank line before the addition ends a comment in a paragraph, and a
    // quote with all that is open in it.
    shown.takes("\n");
    !matches!(shown.inside, Inside::Text)
}

impl Container {
    /// Takes quote and list markers off a line.
    fn strip(line: &str) -> (Self, &str) {
        let mut container = Self::default();
        let mut rest = line.trim_start_matches([' ', '\t']);
        loop {
            let inner = if let Some(inner) = rest.strip_prefix('>') {
                container.quoted = true;
                inner
            } else if let Some(inner) = strip_bullet(rest) {
                container.indent = line.len() - inner.len();
                inner
            } else {
                return (container, rest);
            };
            rest = inner.trim_start_matches([' ', '\t']);
        }
    }

    /// Returns whether a line still belongs to what was opened in here.
    fn holds(self, line: &str) -> bool {
        if self.quoted {
            line.trim_start().starts_with('>')
        } else {
            line.trim().is_empty() || indent(line) >= self.indent
        }
    }
}

fn strip_bullet(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let marker = match digits {
        0 => text.strip_prefix(['-', '*', '+']),
        1..=9 => text[digits..].strip_prefix(['.', ')']),
        _ => None,
    }?;
    marker.starts_with([' ', '\t']).then_some(marker)
}

fn opens(content: &str) -> Option<(char, usize)> {
    let mark = content.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = content.trim_start_matches(mark);
    let length = content.len() - info.len();
    // ```` ```x``` ```` is code in a line of text, not a fence.
    let fence = length >= 3 && (mark == '~' || !info.contains('`'));
    fence.then_some((mark, length))
}

fn closes(line: &str, mark: char, length: usize, container: Container) -> bool {
    let free = container == Container::default();
    let line = match container.quoted {
        true => line.trim_start_matches([' ', '\t', '>']),
        false => line,
    };
    let run = line.trim();
    (!free || indent(line) < 4) && run.len() >= length && run.chars().all(|c| c == mark)
}

fn indent(line: &str) -> usize {
    let mut column = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => column += 1,
            b'\t' => column += 4 - column % 4,
            _ => break,
        }
    }
    column
}

#[cfg(test)]
mod tests {
    use super::{ShownLines, ends_hidden};

    fn seen(text: &str) -> Vec<&str> {
        let mut shown = ShownLines::default();
        text.lines().filter(|line| shown.takes(line)).collect()
    }

    #[test]
    fn fences_hide_what_is_in_them() {
        assert_eq!(seen("a\n```\nb\n~~~\n```\nc"), ["a", "c"]);
        assert_eq!(seen("~~~~ sh\na\n~~~\nb\n~~~~~ \nc"), ["c"]);
        assert_eq!(seen("```x```\nb"), ["```x```", "b"]);
        assert_eq!(seen("    ```\nb"), ["b"]);
        assert_eq!(seen("```\na\n    ```\nb\n```\nc"), ["c"]);
    }

    #[test]
    fn fences_in_lists_and_quotes_end_with_them() {
        assert_eq!(seen("- ```\n  a\n  ```\nb"), ["b"]);
        assert_eq!(seen("1. ```\n   a\nb"), ["b"]);
        assert_eq!(seen("> ```\n> a\nb"), ["b"]);
        assert_eq!(seen("> ```\n> a\n> ```\nb"), ["b"]);
    }

    #[test]
    fn comments_hide_what_is_in_them() {
        assert_eq!(seen("<!-- a\n\nb\n--> c\nd"), ["d"]);
        assert_eq!(seen("<!-- a -->\nb"), ["b"]);
        assert_eq!(seen("a <!-- b\nc\n\nd"), ["a <!-- b", "", "d"]);
        assert_eq!(seen("a <!-- b\nc --> d\ne"), ["a <!-- b", "e"]);
    }

    #[test]
    fn obsidians_comments_hide_what_is_in_them() {
        assert_eq!(seen("%%\na\n\nb\n%%\nc"), ["c"]);
        assert_eq!(seen("%% a %%\nb"), ["b"]);
        assert_eq!(seen("a %% b %% c\nd"), ["a %% b %% c", "d"]);
        assert_eq!(seen("a %% b\nc\n\nd"), ["a %% b", "", "d"]);
        assert_eq!(seen("%% <!-- %%\nb\n```\n%%\n```\nc"), ["b", "c"]);
        assert!(ends_hidden("%%\na\n"));
    }

    #[test]
    fn an_end_can_be_hidden() {
        assert!(ends_hidden("a\n```\nb"));
        assert!(ends_hidden("<!-- a\n\n"));
        assert!(!ends_hidden("```\n```\n"));
        assert!(ends_hidden("> a\n```\nb"));
        assert!(!ends_hidden("a <!-- b"));
        assert!(!ends_hidden("> ```\n> a"));
        assert!(ends_hidden("- ```\n  a"), "more may follow in the item");
    }
}
