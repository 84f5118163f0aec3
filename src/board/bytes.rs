//! Any bytes as text and back, so that a byte that is not UTF-8 in someone's
//! cell or prose is carried along.

use std::borrow::Cow;

/// Byte `0x80` is read as this character plus `0x80`, and so on: the end of the
/// last private-use plane, in which nobody's text lies.
const FIRST: u32 = 0x10_FF00;

/// The error for bytes that are not text in any way: UTF-16, or with a NUL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("NUL or UTF-16 at byte {at}")]
pub struct NotText {
    /// Where that is seen first.
    pub at: usize,
}

/// Reads bytes as text; [`to_bytes`] gives the same bytes back.
///
/// # Errors
///
/// They begin as UTF-16 does, or hold a NUL.
pub fn to_text(bytes: &[u8]) -> Result<Cow<'_, str>, NotText> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(NotText { at: 0 });
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(NotText { at });
    }
    match str::from_utf8(bytes) {
        Ok(text) if !has_stand_in(text) => return Ok(Cow::Borrowed(text)),
        _ => {}
    }
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match is_stand_in(character) {
                true => text.extend(character.encode_utf8(&mut [0; 4]).bytes().map(stand_in)),
                false => text.push(character),
            }
        }
        text.extend(chunk.invalid().iter().copied().map(stand_in));
    }
    Ok(Cow::Owned(text))
}

/// Returns the bytes that a text was read from.
pub fn to_bytes(text: String) -> Vec<u8> {
    if !has_stand_in(&text) {
        return text.into_bytes();
    }
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match u32::from(character).checked_sub(FIRST).map(u8::try_from) {
            Some(Ok(byte)) if is_stand_in(character) => bytes.push(byte),
            _ => bytes.extend(character.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    bytes
}

fn stand_in(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn has_stand_in(text: &str) -> bool {
    /// The first byte of each of them, which few texts have.
    const LEAD: u8 = 0xf4;
    text.as_bytes().contains(&LEAD) && text.contains(is_stand_in)
}

fn is_stand_in(character: char) -> bool {
    character >= '\u{10ff80}'
}

#[cfg(test)]
mod tests {
    use super::{NotText, to_bytes, to_text};
    use std::borrow::Cow;

    #[test]
    fn any_bytes_come_back() {
        for bytes in [
            &b"plain"[..],
            "ä—日\u{10ff7f}".as_bytes(),
            b"a\xe4b\xff\x80",
            b"\xf0\x9f\x98",
            "\u{10ff80} \u{10ffff}\u{10ffe4}".as_bytes(),
            b"\xf4\x8f\xbf\xbf\xff",
        ] {
            let text = to_text(bytes).expect("has no NUL").into_owned();
            assert_eq!(to_bytes(text), bytes);
        }
        assert!(matches!(to_text("ä".as_bytes()), Ok(Cow::Borrowed("ä"))));
    }

    #[test]
    fn nuls_and_utf_16_are_not_text() {
        assert_eq!(to_text(b"a\0"), Err(NotText { at: 1 }));
        assert_eq!(to_text(b"\xff\xfea\0"), Err(NotText { at: 0 }));
        assert_eq!(to_text(b"\xfe\xff"), Err(NotText { at: 0 }));
    }
}
