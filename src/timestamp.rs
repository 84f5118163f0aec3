//! A point in time, to the millisecond, as boards and records write it.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, SecondsFormat, Utc};
use std::fmt;
use std::time::Duration;

/// A UTC time in milliseconds since the Unix epoch.
///
/// Shown as JavaScript's `toISOString` shows it (`2026-11-30T07:00:00.000Z`),
/// the form that every peer of the board writes and compares.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(into = "String", try_from = "String")]
pub struct Timestamp(i64);

impl Timestamp {
    /// Reads the system clock.
    pub fn now() -> Self {
        Self(Utc::now().timestamp_millis())
    }

    /// Takes milliseconds since the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Reads an RFC 3339 time of any offset, or another that JavaScript's
    /// `Date.parse` reads and that means the same everywhere: without seconds,
    /// with an offset like `+0100`, a day alone (in UTC), or RFC 2822.
    ///
    /// `None` is anything else, a time without an offset (JavaScript takes the
    /// reader's), and one that in UTC falls out of the years 0 to 9999, which
    /// RFC 3339 cannot write.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let time = DateTime::parse_from_rfc3339(text)
            .ok()
            .or_else(|| parse_loosely(text))?;
        let is_writable = (0..=9999).contains(&time.to_utc().year());
        is_writable.then(|| Self(time.timestamp_millis()))
    }

    /// Returns whether it is more than a minute ahead of `now`: a clock was wrong.
    pub fn is_ahead_of(self, now: Self) -> bool {
        const TOLERANCE_MS: i64 = 60_000;
        self.since(now) > TOLERANCE_MS
    }

    /// Returns the time that is written for an event said to be at this one: now,
    /// if that is ahead of it.
    pub fn or_now_if_ahead(self, now: Self) -> Self {
        match self.is_ahead_of(now) {
            true => now,
            false => self,
        }
    }

    /// Returns the milliseconds from `earlier` to here, negative if it is later.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns how long ago it was, zero if it is yet to come.
    pub fn age_at(self, now: Self) -> Duration {
        Duration::from_millis(u64::try_from(now.since(self)).unwrap_or(0))
    }

    /// Returns the time that long before this one.
    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(millis))
    }
}

impl From<Timestamp> for String {
    fn from(time: Timestamp) -> Self {
        time.to_string()
    }
}

impl TryFrom<String> for Timestamp {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("invalid RFC 3339 time")
    }
}

fn parse_loosely(text: &str) -> Option<DateTime<FixedOffset>> {
    // All of them begin with a digit, or with a weekday and a comma.
    if !text.starts_with(|c: char| c.is_ascii_digit()) && text.as_bytes().get(3) != Some(&b',') {
        return None;
    }
    let with_offset = ["%Y-%m-%dT%H:%M%#z", "%Y-%m-%dT%H:%M:%S%.f%#z"];
    let time = with_offset
        .into_iter()
        .find_map(|format| DateTime::parse_from_str(text, format).ok());
    let day = || {
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        let is_whole = text.len() == "2026-11-30".len();
        let midnight = day.and_hms_opt(0, 0, 0)?.and_utc().fixed_offset();
        is_whole.then_some(midnight)
    };
    time.or_else(day)
        .or_else(|| DateTime::parse_from_rfc2822(text).ok())
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match DateTime::from_timestamp_millis(self.0) {
            Some(time) => f.write_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true)),
            None => write!(f, "{} ms", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn reads_and_shows_the_form_of_the_peers() {
        let text = "2026-11-30T07:00:00.000Z";
        let time = Timestamp::parse(text).expect("is RFC 3339");
        assert_eq!(time.to_string(), text);
        assert_eq!(Timestamp::parse("2026-11-30T08:00:00+01:00"), Some(time));
        assert_eq!(Timestamp::parse("yesterday"), None);
    }

    #[test]
    fn times_of_javascript_are_read_where_they_mean_the_same_everywhere() {
        let time = Timestamp::parse("2026-11-30T07:00:00.000Z");
        for text in [
            "2026-11-30T07:00Z",
            "2026-11-30T08:00:00+0100",
            "2026-11-30T08:00+01:00",
            "Mon, 30 Nov 2026 07:00:00 GMT",
        ] {
            assert_eq!(Timestamp::parse(text), time, "{text}");
        }
        let day = Timestamp::parse("2026-11-30T00:00:00Z");
        assert_eq!(Timestamp::parse("2026-11-30"), day);
        for text in [
            "2026-11-30T07:00:00",
            "2026-11-30T07:00",
            "2026",
            "1",
            "",
            "2026-11-3",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_far_ahead_is_a_wrong_clocks() {
        let now = Timestamp::from_millis(1_000_000);
        let at = |ahead: i64| Timestamp::from_millis(1_000_000 + ahead).or_now_if_ahead(now);
        assert_eq!(at(60_001), now);
        assert_eq!(at(60_000), Timestamp::from_millis(1_060_000));
        assert_eq!(at(-5), Timestamp::from_millis(999_995));
    }

    #[test]
    fn what_cannot_be_written_is_not_read() {
        assert!(Timestamp::parse("9999-12-31T23:59:59Z").is_some());
        assert_eq!(Timestamp::parse("9999-12-31T23:59:59-01:00"), None);
        assert_eq!(Timestamp::parse("0000-01-01T00:00:00+01:00"), None);
    }
}
