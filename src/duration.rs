//! Durations and ages, as people write and read them: `7d`, `3 min ago`.

use crate::Timestamp;
use std::time::Duration;

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The error for a text that is not a number and a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid duration; use e.g. 500ms, 90s, 30m, 12h, 7d or 4w")]
pub struct InvalidDuration;

/// Reads a duration like `90s`, `30m`, `12h` or `7d`.
///
/// # Errors
///
/// The text is not a whole number directly followed by `ms`, `s`, `m`, `h`,
/// `d` or `w`, or the duration is too long to count in milliseconds.
pub fn parse(text: &str) -> Result<Duration, InvalidDuration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match &text[digits.len()..] {
        "ms" => 1,
        "s" => SECOND,
        "m" => MINUTE,
        "h" => HOUR,
        "d" => DAY,
        "w" => 7 * DAY,
        _ => return Err(InvalidDuration),
    };
    let number = digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.then(|| digits.parse::<u64>().ok()).flatten();
    number
        .and_then(|number| number.checked_mul(scale))
        .map(Duration::from_millis)
        .ok_or(InvalidDuration)
}

/// Reads a duration of which a bare number is milliseconds.
///
/// # Errors
///
/// As [`parse`], but that the unit may be missing.
pub fn parse_millis(text: &str) -> Result<Duration, InvalidDuration> {
    let is_bare = text.ends_with(|c: char| c.is_ascii_digit());
    if is_bare {
        parse(&format!("{text}ms"))
    } else {
        parse(text)
    }
}

/// Returns how long ago `then` was, in the largest unit that fits.
pub fn ago(then: Timestamp, now: Timestamp) -> String {
    let Ok(age) = u64::try_from(now.since(then)) else {
        return "in the future".to_owned();
    };
    match age {
        0..MINUTE => format!("{} s ago", age / SECOND),
        MINUTE..HOUR => format!("{} min ago", age / MINUTE),
        HOUR..DAY => format!("{} h ago", age / HOUR),
        _ => format!("{} d ago", age / DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::{DAY, HOUR, MINUTE, ago, parse, parse_millis};
    use crate::Timestamp;

    #[test]
    fn a_duration_is_a_number_and_a_unit() {
        let millis = |text| parse(text).ok().map(|time| time.as_millis());
        for (text, expected) in [
            ("500ms", Some(500)),
            ("90s", Some(90_000)),
            ("7d", Some(u128::from(7 * DAY))),
            ("4w", Some(u128::from(28 * DAY))),
            ("0s", Some(0)),
            ("18446744073709551615d", None),
        ] {
            assert_eq!(millis(text), expected, "{text:?}");
        }
        for wrong in ["", "d", "7", "-1d", "+1d", "1.5s", "7 d", "7y", "ä", "7D"] {
            assert_eq!(millis(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_bare_number_may_be_milliseconds() {
        let millis = |text| parse_millis(text).ok().map(|time| time.as_millis());
        assert_eq!(millis("250"), Some(250));
        assert_eq!(millis("2m"), Some(120_000));
        assert_eq!(millis("s"), None);
        assert_eq!(millis("-5"), None);
    }

    #[test]
    fn an_age_is_shown_in_its_largest_unit() {
        let now = Timestamp::from_millis(10 * DAY as i64);
        let at = |age: i64| ago(Timestamp::from_millis(10 * DAY as i64 - age), now);
        assert_eq!(at(3 * MINUTE as i64 + 5), "3 min ago");
        assert_eq!(at(0), "0 s ago");
        assert_eq!(at(-1), "in the future");
        assert_eq!(at(25 * HOUR as i64), "1 d ago");
    }
}
