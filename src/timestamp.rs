//! A point in time, to the millisecond, as boards and records write it.

use chrono::{DateTime, Datelike, SecondsFormat, Utc};
use std::fmt;
use std::time::Duration;

/// Is a UTC time in milliseconds since the Unix epoch.
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

    /// Gives milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Reads an RFC 3339 time of any offset; anything else is `None`.
    ///
    /// So is one that in UTC falls out of the years 0 to 9999, which RFC 3339
    /// cannot write.
    pub fn parse(text: &str) -> Option<Self> {
        let time = DateTime::parse_from_rfc3339(text.trim()).ok()?;
        let is_writable = (0..=9999).contains(&time.to_utc().year());
        is_writable.then(|| Self(time.timestamp_millis()))
    }

    /// Gives the milliseconds from `earlier` to here, negative if it is later.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Gives how long ago it was, zero if it is yet to come.
    pub fn age_at(self, now: Self) -> Duration {
        Duration::from_millis(u64::try_from(now.since(self)).unwrap_or(0))
    }

    /// Gives the time that long before this one.
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
    fn what_cannot_be_written_is_not_read() {
        assert!(Timestamp::parse("9999-12-31T23:59:59Z").is_some());
        assert_eq!(Timestamp::parse("9999-12-31T23:59:59-01:00"), None);
        assert_eq!(Timestamp::parse("0000-01-01T00:00:00+01:00"), None);
    }
}
