//! The content of a commit: how it is changed and joined.

/// Knows how a file's content is changed, and how two versions of it become one.
pub trait Document {
    /// The reason why a content is not to be touched.
    type Refusal;

    /// Returns why `content` must not be changed; `None` if it may be.
    fn refusal(&self, content: &[u8]) -> Option<Self::Refusal>;

    /// Returns the new content for the one on disk; `None` if there is no file.
    fn edit(&mut self, current: Option<&[u8]>) -> EditOutcome<Self::Refusal>;

    /// Returns whether a commit looks again before it is called done, and edits
    /// anew what an editor has saved over it meanwhile.
    ///
    /// For edits that change nothing when they are done twice.
    fn looks_again(&self) -> bool {
        false
    }

    /// Joins what was displaced with what displaced it; neither is refused.
    fn join(&self, displaced: &[u8], written: &[u8], when: Displaced) -> Vec<u8>;
}

/// The outcome of editing one content.
#[derive(Debug)]
pub enum EditOutcome<R> {
    /// Nothing to change: touch nothing.
    Unchanged,
    /// This is the new content.
    Write(Vec<u8>),
    /// This content is not to be touched.
    Refuse(R),
}

/// When a content was displaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Displaced<'a> {
    /// Just now, by our own write, which an outsider's had preceded.
    JustNow {
        /// What our own write expected to displace.
        expected: &'a [u8],
    },
    /// By a process that crashed before it had joined it; nobody knows from
    /// which version it was made.
    ByCrash,
}
