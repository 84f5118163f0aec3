//! When two rows are the same one: by host and key, without a key by name.

use std::borrow::Cow;

/// Is a row's identity in a merge.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot<'a> {
    /// The host; `None` on a board that does not tell hosts apart.
    pub host: Option<Cow<'a, str>>,
    /// The repository on that host.
    pub identity: Identity<'a>,
}

/// Is what tells repositories of one host apart.
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

    /// Names the same slot on a certain host.
    #[must_use]
    pub fn on(mut self, host: Option<&'a str>) -> Self {
        self.host = host.map(Cow::Borrowed);
        self
    }

    /// Gives the slot a life of its own.
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

/// Lower-cases a name, borrowing one that is.
pub(super) fn lower(name: &str) -> Cow<'_, str> {
    let lowered = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if name.bytes().all(lowered) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(name.to_lowercase())
    }
}
