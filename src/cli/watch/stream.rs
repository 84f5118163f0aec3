//! A watch for pipes: the whole table again after each change.

use crate::cli::context::Context;
use crate::cli::outcome::{Failure, json_line, warn};
use crate::cli::show::{Page, View, object, page, plain};
use crate::cli::terminal::Terminal;
use std::io::{self, Write};

/// The printer of what has changed, which prints nothing twice.
pub struct Stream<'a> {
    context: &'a Context,
    /// Set on a terminal that can only print.
    terminal: Option<Terminal>,
    last: String,
}

impl<'a> Stream<'a> {
    pub fn new(context: &'a Context, terminal: Option<Terminal>) -> Self {
        let last = String::new();
        Self {
            context,
            terminal,
            last,
        }
    }

    /// Prints the board, or why it cannot be shown, unless that was printed last.
    pub fn print(&mut self, taken: Result<View, Failure>) -> io::Result<()> {
        let view = match taken {
            Ok(view) => view,
            Err(failure) => {
                let message = failure.to_string();
                if message != self.last {
                    warn(&message);
                    self.last = message;
                }
                return Ok(());
            }
        };
        let table = plain(&view);
        if table == self.last {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        if self.context.global.json {
            stdout.write_all(json_line(&object(&view))?.as_bytes())?;
        } else if !self.context.global.quiet {
            let rows = match view.items.len() {
                1 => "1 row".to_owned(),
                many => format!("{many} rows"),
            };
            writeln!(stdout, "--- {}, {rows}", view.now)?;
            match &self.terminal {
                Some(terminal) => {
                    let Page { mut head, body } = page(&view, terminal);
                    head.extend(body);
                    writeln!(stdout, "{}", head.join("\n"))?;
                }
                None => stdout.write_all(table.as_bytes())?,
            }
        }
        self.last = table;
        stdout.flush()
    }
}
