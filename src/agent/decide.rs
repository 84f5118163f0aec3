//! Whether an event of one session changes the row of its repository; pure.
//!
//! A row shows one session, the one that it belongs to. It is that session's to
//! refresh and to close. Another session of the same repository takes it by
//! starting, or by living on once the row has been quiet for a while: so two
//! sessions in one repository do not take it from each other every minute, and
//! neither closes the row of the other.

use super::kind::Kind;
use crate::Timestamp;
use crate::board::{FORCE_CLOSE_AFTER_MS, Field, Row, Status};
use crate::session::FRESH_FOR_MS;

/// How old a heartbeat may grow before it is written anew, in ms.
pub const REFRESH_AFTER_MS: i64 = 60_000;

/// After this silence of a row's session, in ms, another living one takes the
/// row: as long as the host's registry believes an entry.
pub const QUIET_FOR_MS: i64 = FRESH_FOR_MS;

/// A heartbeat further ahead than this, in ms, is a wrong clock's. Two hooks
/// that overtake each other are seconds apart, since each ends within 2 s.
const AHEAD_MS: i64 = 60_000;

/// Says what an event comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The row is written.
    Write,
    /// The row showed this session, alive or at its end, a moment ago.
    Fresh,
    /// The row belongs to another session.
    Anothers,
    /// The row shows something later.
    Outdated,
}

/// Decides on an event at `now` of the session that `is_ours` recognises.
///
/// | event | no row | ours | another's, in progress | another's, over |
/// |---|---|---|---|---|
/// | start | write | write | write | write |
/// | beat | write | write each minute | write after [`QUIET_FOR_MS`] | write |
/// | end | write | write | write after 4 h | write |
///
/// But never over something later. A row that names no session is ours. One that
/// we closed is not opened for a minute: that beat was overtaken by our end.
pub fn decide(
    kind: Kind,
    row: Option<&Row<'_>>,
    is_ours: impl Fn(&str) -> bool,
    now: Timestamp,
) -> Verdict {
    let Some(row) = row else {
        return Verdict::Write;
    };
    let age = row.heartbeat().map(|heartbeat| now.since(heartbeat));
    // A heartbeat that cannot be read, or cannot be right, protects nothing.
    let age = age.filter(|age| *age >= -AHEAD_MS);
    let is_younger_than = |limit| age.is_some_and(|age| age < limit);
    let runs = row.status() == Some(Status::InProgress);
    let is_closed = row.status() == Some(Status::Closed);
    let ours = row.get(Field::Session).as_deref().is_none_or(is_ours);
    match kind {
        Kind::Beat if (runs || is_closed) && ours && is_younger_than(REFRESH_AFTER_MS) => {
            Verdict::Fresh
        }
        _ if is_younger_than(0) => Verdict::Outdated,
        Kind::Beat if runs && !ours && is_younger_than(QUIET_FOR_MS) => Verdict::Anothers,
        Kind::End if runs && !ours && is_younger_than(FORCE_CLOSE_AFTER_MS) => Verdict::Anothers,
        Kind::Start | Kind::Beat | Kind::End => Verdict::Write,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Field;
    use Kind::{Beat, End, Start};
    use Verdict::{Anothers, Fresh, Outdated, Write};

    const MINUTE: i64 = 60_000;

    /// A row `age` ms old, as a session with the id `session` left it.
    fn row(status: Status, session: &str, age: i64) -> Row<'static> {
        let beat = Timestamp::from_millis(1_000 * MINUTE - age);
        Row::new("app", status)
            .with(Field::Session, session)
            .with(Field::Heartbeat, &beat.to_string())
    }

    fn decided(kind: Kind, row: Option<&Row>) -> Verdict {
        let now = Timestamp::from_millis(1_000 * MINUTE);
        decide(kind, row, |id| id == "mine", now)
    }

    #[test]
    fn a_row_belongs_to_the_session_that_it_shows() {
        const RUNS: Status = Status::InProgress;
        const OVER: Status = Status::Closed;
        for (status, session, age, start, beat, end) in [
            (RUNS, "mine", 0, Write, Fresh, Write),
            (RUNS, "mine", MINUTE - 1, Write, Fresh, Write),
            (RUNS, "mine", MINUTE, Write, Write, Write),
            (RUNS, "mine", 600 * MINUTE, Write, Write, Write),
            (RUNS, "mine", -1, Outdated, Fresh, Outdated),
            (RUNS, "other", 0, Write, Anothers, Anothers),
            (RUNS, "other", 15 * MINUTE - 1, Write, Anothers, Anothers),
            (RUNS, "other", 15 * MINUTE, Write, Write, Anothers),
            (RUNS, "other", 240 * MINUTE, Write, Write, Write),
            (RUNS, "other", -1, Outdated, Outdated, Outdated),
            (RUNS, "", 0, Write, Fresh, Write),
            (OVER, "mine", 0, Write, Fresh, Write),
            (OVER, "mine", MINUTE - 1, Write, Fresh, Write),
            (OVER, "mine", MINUTE, Write, Write, Write),
            (OVER, "mine", -1, Outdated, Fresh, Outdated),
            (OVER, "other", 1, Write, Write, Write),
            (OVER, "other", -1, Outdated, Outdated, Outdated),
            (Status::ForceClosed, "mine", 1, Write, Write, Write),
            (Status::Frei, "", 1, Write, Write, Write),
            // A clock that is wrong by more than a minute.
            (RUNS, "other", -2 * MINUTE, Write, Write, Write),
        ] {
            let row = row(status, session, age);
            let got = [Start, Beat, End].map(|kind| decided(kind, Some(&row)));
            assert_eq!(got, [start, beat, end], "{status} `{session}` {age} ms");
        }
    }

    #[test]
    fn without_a_row_or_a_heartbeat_nothing_stands_in_the_way() {
        let timeless = row(Status::InProgress, "other", 0).with(Field::Heartbeat, "soon");
        for kind in [Start, Beat, End] {
            assert_eq!(decided(kind, None), Write);
            assert_eq!(decided(kind, Some(&timeless)), Write);
        }
    }
}
