//! When two rows are the same one: by host and key, without a key by name.

use crate::host_name;
use std::borrow::Cow;

/// A row's identity in a merge.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot<'a> {
    /// The host, normalised; `None` on a board that does not tell hosts apart.
    pub host: Option<Cow<'a, str>>,
    /// The repository on that host.
    pub identity: Identity<'a>,
}

/// The identity of a repository among those of one host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identity<'a> {
    /// The row's key.
    Key(Cow<'a, str>),
    /// The lower-cased name of a legacy row without a key.
    Name(Cow<'a, str>),
}

impl<'a> Slot<'a> {
    /// Names the slot of a key.
    pub fn keyed(key: &'a str) -> Self {
        Self {
            host: None,
            identity: Identity::Key(Cow::Borrowed(key)),
        }
    }

    /// Names the slot of a legacy row without a key.
    pub fn named(repo: &'a str) -> Self {
        Self {
            host: None,
            identity: Identity::Name(lower(repo)),
        }
    }

    /// Names the same slot on a certain host, whose name may be spelt as it likes.
    #[must_use]
    pub fn on(mut self, host: Option<&str>) -> Self {
        self.host = host.map(|host| Cow::Owned(host_name::normalise(host)));
        self
    }

    /// Detaches the slot from the row that it borrows.
    pub fn into_owned(self) -> Slot<'static> {
        let own = |text: Cow<'a, str>| Cow::Owned(text.into_owned());
        Slot {
            host: self.host.map(own),
            identity: match self.identity {
                Identity::Key(key) => Identity::Key(own(key)),
                Identity::Name(name) => Identity::Name(own(name)),
            },
        }
    }
}

/// Reads a key of ours: eight hex digits, in capitals or not, perhaps in
/// `` `code` ``, `**bold**`, `*italics*` or `[[link]]`.
pub(super) fn key(text: &str) -> Option<Cow<'_, str>> {
    let digits = text.trim_matches(['`', '*', '_', '[', ']', ' ']);
    let is_key = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_key.then(|| lower(digits))
}

/// Lower-cases a name, borrowing one that is.
pub(super) fn lower(name: &str) -> Cow<'_, str> {
    let lowered = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if name.bytes().all(lowered) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(name.to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn a_key_is_known_in_markup_and_capitals() {
        for text in [
            "1f2e3d4c",
            "`1f2e3d4c`",
            "**1F2E3D4C**",
            "*1f2e3d4c*",
            "[[1f2e3d4c]]",
        ] {
            assert_eq!(key(text).as_deref(), Some("1f2e3d4c"), "{text}");
        }
        for text in ["", "1f2e3d4", "1f2e3d4c0", "1f2e3d4x", "—"] {
            assert_eq!(key(text), None, "{text}");
        }
    }
}
