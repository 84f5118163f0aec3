//! Ages, as people write and read them: `7d`, `3 min ago`.

use crate::Timestamp;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Reads an age like `30m`, `12h` or `7d` into ms.
pub fn parse(text: &str) -> Result<i64, String> {
    let wrong = || "it is no age: write 90s, 30m, 12h, 7d or 4w".to_owned();
    let unit = match text.chars().last() {
        Some('s') => SECOND,
        Some('m') => MINUTE,
        Some('h') => HOUR,
        Some('d') => DAY,
        Some('w') => 7 * DAY,
        _ => return Err(wrong()),
    };
    let number: u32 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    Ok(i64::from(number) * unit)
}

/// Says how long ago `then` was, in the largest unit that fits.
pub fn ago(then: Timestamp, now: Timestamp) -> String {
    match now.since(then) {
        ..0 => "in the future".to_owned(),
        age @ 0..MINUTE => format!("{} s ago", age / SECOND),
        age @ MINUTE..HOUR => format!("{} min ago", age / MINUTE),
        age @ HOUR..DAY => format!("{} h ago", age / HOUR),
        age => format!("{} d ago", age / DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_read_and_show() {
        assert_eq!(parse("7d"), Ok(7 * DAY));
        for wrong in ["", "d", "7", "-1d", "7 d", "7y", "ä"] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
        let now = Timestamp::from_millis(10 * DAY);
        let at = |age| ago(Timestamp::from_millis(10 * DAY - age), now);
        assert_eq!(at(3 * MINUTE + 5), "3 min ago");
        assert_eq!(at(0), "0 s ago");
        assert_eq!(at(-1), "in the future");
        assert_eq!(at(25 * HOUR), "1 d ago");
    }
}
