//! `boardsync watch`: the same view, live.

mod eyes;
mod screen;
mod stream;
mod wake;

use super::context::Context;
use super::outcome::{Exit, Failure};
use super::show::{Filters, Snapshot, lines};
use super::terminal::Terminal;
use crate::Timestamp;
use crate::vault::Place;
use clap::Args;
use eyes::Eyes;
use screen::Screen;
use std::io;
use std::time::{Duration, Instant};
use stream::Stream;
use wake::{Wake, Wakes};

/// A look at the files' metadata, for what no notification tells: changes from
/// other hosts, on network drives, and folders that come and go.
const POLL: Duration = Duration::from_secs(2);
/// How old an age on the screen may become.
const REFRESH: Duration = Duration::from_secs(30);
/// A burst of changes, like that of one update, is shown once.
const SETTLE: Duration = Duration::from_millis(50);

/// Is what `watch` takes.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  boardsync watch\n  boardsync watch --filter status=in-progress | tee board.log\n\n`q` or Ctrl-C ends it. Into a pipe it writes the table of `show` after each\nchange, below a line `--- TIME, N rows`; with --json, one object a change.\nA board that does not exist yet is waited for."
)]
pub struct WatchArgs {
    #[command(flatten)]
    filters: Filters,
}

/// Runs `boardsync watch`.
pub fn run(context: &Context, args: &WatchArgs) -> Result<Exit, Failure> {
    let watch = Watch {
        context,
        place: context.place()?,
        filters: &args.filters,
    };
    let terminal = Terminal::of_stdout(&context.env);
    let ended = match terminal.filter(|it| it.able && !context.global.json && !context.global.quiet)
    {
        Some(_) => watch.on_screen(),
        None => watch.as_stream(terminal),
    };
    match ended {
        Ok(()) => Ok(Exit::Success),
        // The reader has gone, or the terminal: nobody is left to tell.
        Err(error) if is_gone(&error) => Ok(Exit::Success),
        Err(error) => Err(Failure::Error(format!("cannot write to stdout: {error}"))),
    }
}

fn is_gone(error: &io::Error) -> bool {
    // 5 is EIO, what a terminal that was closed says.
    error.kind() == io::ErrorKind::BrokenPipe || (cfg!(unix) && error.raw_os_error() == Some(5))
}

struct Watch<'a> {
    context: &'a Context,
    place: Place,
    filters: &'a Filters,
}

impl Watch<'_> {
    fn on_screen(&self) -> io::Result<()> {
        let wakes = Wakes::of_a_screen()?;
        let mut eyes = self.eyes(&wakes);
        let mut screen = Screen::enter()?;
        loop {
            eyes.look();
            if let Some(terminal) = Terminal::of_stdout(&self.context.env) {
                screen.draw(&self.page(&terminal), &terminal)?;
            }
            match self.wait(&wakes, &mut eyes) {
                Wake::Look => {}
                Wake::Suspend => screen.suspend(wake::stop)?,
                Wake::Quit => return Ok(()),
                Wake::Die(signal) => {
                    drop(screen);
                    wake::die(signal);
                    return Ok(());
                }
            }
        }
    }

    fn as_stream(&self, terminal: Option<Terminal>) -> io::Result<()> {
        let wakes = Wakes::of_a_stream();
        let mut eyes = self.eyes(&wakes);
        let mut stream = Stream::new(self.context, terminal);
        loop {
            eyes.look();
            stream.print(self.snapshot(), &self.filters.filter)?;
            if self.wait(&wakes, &mut eyes) != Wake::Look {
                return Ok(());
            }
        }
    }

    fn eyes(&self, wakes: &Wakes) -> Eyes {
        let lock = self.context.lock_file(&self.place);
        Eyes::open([self.place.target.clone(), lock], wakes.sender())
    }

    fn snapshot(&self) -> Result<Snapshot, Failure> {
        let take = || Snapshot::take(self.context, &self.place, self.now());
        take().or_else(|_| {
            // An editor may have truncated the board, and be about to fill it.
            std::thread::sleep(SETTLE);
            take()
        })
    }

    fn now(&self) -> Timestamp {
        match self.context.env.get("BOARDSYNC_NOW") {
            Some(_) => self.context.now,
            None => Timestamp::now(),
        }
    }

    /// Gives what the screen shows: the board, or why there is none.
    fn page(&self, terminal: &Terminal) -> Vec<String> {
        match self.snapshot() {
            Ok(snapshot) => lines(&snapshot.view(&self.filters.filter), terminal),
            Err(failure) => screen::wrapped(&failure.to_string(), terminal.width),
        }
    }

    /// Waits until there is something to do.
    fn wait(&self, wakes: &Wakes, eyes: &mut Eyes) -> Wake {
        let due = Instant::now() + REFRESH;
        loop {
            let left = due.saturating_duration_since(Instant::now());
            match wakes.next(POLL.min(left)) {
                Some(Wake::Look) => return wakes.settle(SETTLE),
                Some(wake) => return wake,
                None if wake::reader_is_gone() => return Wake::Quit,
                None if eyes.see_a_change() || left.is_zero() => return Wake::Look,
                None => {}
            }
        }
    }
}
