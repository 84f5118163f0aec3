//! What a person sees of thirty sessions, on a usual terminal and on a small one.

use crate::env::{TestEnv, board_of, wait_until};
use boardsync::internals::session::Repo;
use boardsync::internals::session::lease::Activity::{self, Idle, Waiting, Working};

const NOW: &str = "2026-11-30T07:00:00Z";
const SIZES: [(u16, u16); 2] = [(80, 24), (40, 20)];

/// Sessions of this host: repository, branch, title, activity, minutes since.
const RUNNING: [(&str, &str, &str, Activity, usize); 21] = [
    (
        "api",
        "fix/login",
        "Fix the login page for people without a cookie",
        Waiting,
        2,
    ),
    (
        "billing",
        "main",
        "Migrate to the new invoices API",
        Waiting,
        14,
    ),
    (
        "billing",
        "tests",
        "Write the tests for invoices",
        Working,
        1,
    ),
    ("android-app", "main", "", Working, 3),
    ("blog", "main", "Review", Idle, 5),
    ("crawler", "feat/robots", "Respect robots.txt", Working, 4),
    ("dashboards", "main", "Refactor the charts", Working, 6),
    (
        "data-warehouse-transformations",
        "main",
        "Backfill November",
        Waiting,
        31,
    ),
    ("dotfiles", "main", "", Idle, 50),
    ("design-system", "next", "Rename the colours", Working, 8),
    ("docs", "main", "日本語の説明を直す", Working, 9),
    ("etl", "main", "Find the leak", Working, 45),
    ("firmware", "v2", "Bisect the regression", Working, 11),
    ("gateway", "main", "Upgrade to HTTP/3", Working, 12),
    ("infra", "main", "Plan the move", Idle, 15),
    ("ios-app", "main", "Dark mode", Working, 16),
    ("notebooks", "main", "Tidy up", Idle, 18),
    ("payments", "main", "Retry on 503", Working, 19),
    ("search", "rank", "Tune the ranking", Working, 21),
    ("website", "main", "Rework the menu", Working, 22),
    ("wiki", "main", "Merge duplicates", Idle, 24),
];

/// Rows of which no session is known here: repository, status, heartbeat.
const OTHERS: [(&str, &str, &str); 10] = [
    ("laptop-only", "in-progress", "2026-11-30T06:58:00.000Z"),
    ("left-open", "in-progress", "2026-11-30T01:00:00.000Z"),
    ("killed", "force-closed", "2026-11-29T23:00:00.000Z"),
    ("archive", "closed", "2026-11-29T22:00:00.000Z"),
    ("backup", "closed", "2026-11-29T07:00:00.000Z"),
    ("cli", "closed", "2026-11-28T07:00:00.000Z"),
    ("fonts", "closed", "2026-11-27T07:00:00.000Z"),
    ("games", "closed", "2026-11-26T07:00:00.000Z"),
    ("holiday", "closed", "2026-11-25T07:00:00.000Z"),
    ("never", "frei", "—"),
];

fn thirty() -> TestEnv {
    let env = TestEnv::new();
    let rows = OTHERS.iter().map(|(name, status, heartbeat)| {
        let key = Repo::at(&env.path("src").join(name), &env.path("")).key;
        let session = if *status == "frei" {
            "—"
        } else {
            "main-2026-11-29-deep-1"
        };
        format!("| {name} | {status} | {session} | main | — | {heartbeat} | {key} |\n")
    });
    env.write_board(&board_of(&rows.collect::<String>()));
    let now = boardsync::Timestamp::parse(NOW).unwrap().as_millis();
    for (at, (name, branch, title, activity, minutes)) in RUNNING.iter().enumerate() {
        let time = now - i64::try_from(*minutes).unwrap() * 60_000;
        let time = boardsync::Timestamp::from_millis(time).to_string();
        let session = env.session(name, &format!("s{at:02}")).branch(branch);
        let session = match title.is_empty() {
            true => session,
            false => session.title(title),
        };
        session.activity(*activity).at(&time).plant();
    }
    env
}

fn command(env: &TestEnv, args: &[&str], locale: &str) -> std::process::Command {
    let mut command = env.command(args);
    // So that the repositories are below the home folder, as a person's are.
    command.env("BOARDSYNC_NOW", NOW).env("HOME", env.path(""));
    command.env("NO_COLOR", "1").env("LANG", locale);
    command
}

/// Gives what stands on the screen in the end, with its lines numbered as there.
fn screen(shown: &str) -> String {
    let frame = shown.rsplit("\x1b[H").next().unwrap();
    let frame = frame.split("\x1b[J").next().unwrap();
    frame.replace("\x1b[K", "").replace("\r\n", "\n")
}

fn assert_fits(picture: &str, (columns, lines): (u16, u16)) {
    use unicode_width::UnicodeWidthStr;
    let widest = picture.lines().map(UnicodeWidthStr::width).max().unwrap();
    assert!(widest <= usize::from(columns), "{picture}");
    assert!(picture.lines().count() <= usize::from(lines), "{picture}");
}

#[test]
fn show_has_who_waits_on_the_screen_and_counts_the_closed_rows_that_do_not_fit() {
    let env = thirty();
    for size in SIZES {
        let show = command(&env, &["show"], "C.UTF-8");
        let (status, shown) = env.on_terminal(show, size).end();
        assert!(status.success(), "{shown}");
        insta::assert_snapshot!(format!("show_{}", size.0), screen(&shown));
    }
    let all = command(&env, &["show", "--sort", "seen"], "C.UTF-8");
    let (_, all) = env.on_terminal(all, (80, 24)).end();
    assert_eq!(all.lines().count(), 3 + RUNNING.len() + OTHERS.len());
    // A screen that has room for all rows has all of them.
    let high = command(&env, &["show"], "C.UTF-8");
    let (_, high) = env.on_terminal(high, (120, 36)).end();
    insta::assert_snapshot!("show_120", screen(&high));
}

#[test]
fn a_terminal_without_utf_8_gets_a_table_of_ascii() {
    let env = thirty();
    let show = command(&env, &["show"], "C");
    let (_, shown) = env.on_terminal(show, (80, 24)).end();
    assert!(shown.is_ascii(), "{shown}");
    insta::assert_snapshot!("show_80_ascii", screen(&shown));
}

#[test]
fn watch_fills_the_screen_and_scrolls() {
    let env = thirty();
    for size in SIZES {
        let watch = command(&env, &["watch"], "C.UTF-8");
        let mut watch = env.on_terminal(watch, size);
        let last = |watch: &crate::env::pty::OnTerminal, text: &str| {
            let is_whole = || {
                let shown = watch.shown();
                shown
                    .rsplit("\x1b[H")
                    .next()
                    .is_some_and(|frame| frame.contains(text) && frame.contains("\x1b[?2026l"))
            };
            wait_until(text, is_whole);
            screen(&watch.shown())
        };
        let top = last(&watch, "0 above");
        assert_fits(&top, size);
        insta::assert_snapshot!(format!("watch_{}", size.0), top);
        watch.press("G");
        let bottom = last(&watch, "0 below");
        assert_fits(&bottom, size);
        insta::assert_snapshot!(format!("watch_{}_end", size.0), bottom);
        watch.press("q");
        assert!(watch.end().0.success());
    }
}

#[test]
fn status_is_one_short_line() {
    let env = thirty();
    let mut status = command(&env, &["status"], "C.UTF-8");
    let said: crate::env::Said = status.output().unwrap().into();
    insta::assert_snapshot!("status", said.quietly().out);
}
