//! A short way to read what runs on every session event.
//!
//! Defining and matching a command takes clap longer than an update takes its
//! lock. What is plainly right is read here; anything else, help and mistakes
//! included, is `None`, and clap says what there is to say.

use super::args::{Cli, Command, Global};
use super::close::CloseArgs;
use super::hook::HookArgs;
use super::update::{UpdateArgs, parse_heartbeat, parse_status};
use lexopt::{Arg, Parser};
use std::ffi::OsString;

/// Reads a command line, the program's name first.
pub fn read(args: &[OsString]) -> Option<Cli> {
    // Which words are options after `--` is for clap to say.
    if args.iter().any(|arg| arg == "--") {
        return None;
    }
    let mut line = Parser::from_args(args.iter().skip(1));
    let mut global = Global::default();
    let mut name = None;
    let mut update = UpdateArgs::default();
    while let Some(arg) = line.next().ok()? {
        let is_update = name == Some("update");
        let takes_repos = is_update || name == Some("close");
        match arg {
            Arg::Value(value) => set(&mut name, known(&value))?,
            Arg::Long("vault") => set(&mut global.vault, path(&mut line))?,
            Arg::Long("board") => set(&mut global.board, text(&mut line))?,
            Arg::Long("holder") => set(&mut global.holder, text(&mut line))?,
            Arg::Long("json") => raise(&mut global.json)?,
            Arg::Long("quiet") | Arg::Short('q') => raise(&mut global.quiet)?,
            Arg::Long("verbose") | Arg::Short('v') => raise(&mut global.verbose)?,
            Arg::Long("repo") if takes_repos => {
                for repo in line.values().ok()? {
                    update.repo.push(plain(repo)?.into());
                }
            }
            Arg::Long("dry-run") if takes_repos => raise(&mut update.dry_run)?,
            Arg::Long("status") if is_update => {
                set(&mut update.status, parse_status(&text(&mut line)?).ok())?;
            }
            Arg::Long("session") if is_update => set(&mut update.session, text(&mut line))?,
            Arg::Long("branch") if is_update => set(&mut update.branch, text(&mut line))?,
            Arg::Long("mode") if is_update => set(&mut update.mode, text(&mut line))?,
            Arg::Long("heartbeat") if is_update => {
                set(
                    &mut update.heartbeat,
                    parse_heartbeat(&text(&mut line)?).ok(),
                )?;
            }
            _ => return None,
        }
    }
    let command = match name? {
        "hook" => Command::Hook(HookArgs {}),
        _ if update.repo.is_empty() => return None,
        "update" => Command::Update(update),
        _ => Command::Close(CloseArgs {
            repo: update.repo,
            dry_run: update.dry_run,
        }),
    };
    Some(Cli { global, command })
}

fn known(name: &OsString) -> Option<&'static str> {
    ["hook", "update", "close"]
        .into_iter()
        .find(|known| name == known)
}

/// Keeps a value that is there, for the first time.
fn set<T>(slot: &mut Option<T>, value: Option<T>) -> Option<()> {
    if slot.is_some() {
        return None;
    }
    *slot = Some(value?);
    Some(())
}

fn raise(flag: &mut bool) -> Option<()> {
    let is_first = !*flag;
    *flag = true;
    is_first.then_some(())
}

fn path(line: &mut Parser) -> Option<std::path::PathBuf> {
    line.value().ok().and_then(plain).map(Into::into)
}

fn text(line: &mut Parser) -> Option<String> {
    line.value().ok().and_then(plain)?.into_string().ok()
}

/// Passes on what could be nothing but a value: clap has its own mind about
/// those that are empty or look like an option.
fn plain(value: OsString) -> Option<OsString> {
    let is_doubtful = value.is_empty() || value.as_encoded_bytes().starts_with(b"-");
    (!is_doubtful).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;
    use proptest::prelude::*;

    const OPTIONS: [&str; 19] = [
        "--vault",
        "--board",
        "--holder",
        "--json",
        "--quiet",
        "--verbose",
        "-q",
        "-v",
        "-qv",
        "--repo",
        "--dry-run",
        "--status",
        "--session",
        "--branch",
        "--mode",
        "--heartbeat",
        "--help",
        "--no-such",
        "--",
    ];
    const VALUES: [&str; 12] = [
        "closed",
        "CLOSED",
        "2026-11-30T07:00:00Z",
        " 2026-11-30T07:00:00Z ",
        "word",
        "a=b",
        "hook",
        "update",
        "-",
        "-1",
        "",
        "show",
    ];

    fn line(words: &[&str]) -> Vec<OsString> {
        ["boardsync"].iter().chain(words).map(Into::into).collect()
    }

    #[test]
    fn reads_what_hooks_and_scripts_say() {
        for words in [
            &["update", "--repo", ".", "--status", "in-progress"][..],
            &["--vault", "v", "--json", "update", "--repo", "a", "b", "-q"],
            &["close", "--repo=a", "--repo", "b", "--dry-run"],
            &["hook", "--vault", "v"],
        ] {
            assert!(read(&line(words)).is_some(), "{words:?}");
        }
    }

    /// Gives an option, mostly with a value in one of the two ways, or a value alone.
    fn part() -> impl Strategy<Value = Vec<String>> {
        let any = |words| prop::sample::select(words);
        (any(&OPTIONS[..]), any(&VALUES[..]), 0..8).prop_map(|(option, value, shape)| match shape {
            0 => vec![value.to_owned()],
            1 => vec![option.to_owned()],
            2 | 3 => vec![format!("{option}={value}")],
            _ => vec![option.to_owned(), value.to_owned()],
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn reads_nothing_otherwise_than_clap(
            before in prop::collection::vec(part(), 0..2),
            command in prop::sample::select(&["update --repo r", "update", "close --repo=r", "hook"][..]),
            after in prop::collection::vec(part(), 0..5),
        ) {
            let command = command.split(' ').map(str::to_owned).collect();
            let words = [before.concat(), command, after.concat()].concat();
            let line = line(&words.iter().map(|word| &**word).collect::<Vec<_>>());
            if let Some(read) = read(&line) {
                let told = Cli::try_parse_from(&line);
                prop_assert!(told.is_ok(), "{words:?}: {told:?}");
                prop_assert_eq!(format!("{:?}", told.unwrap()), format!("{read:?}"), "{:?}", words);
            }
        }
    }
}
