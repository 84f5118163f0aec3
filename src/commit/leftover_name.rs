//! The name of what a crashed process left, taken apart.

use crate::disk::Token;

/// The name of a file that a process left, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub struct LeftoverName<'n> {
    /// Who made it.
    pub maker: Token,
    /// The hashes of its first content and of what that was made from; `None`
    /// for a file that was not complete.
    pub hashes: Option<(&'n str, &'n str)>,
    /// Whether a board that is written in place is restored from it.
    pub is_journal: bool,
}

impl<'n> LeftoverName<'n> {
    /// Reads `.<stem>.<token>.pending` or `<stem>.<token>.<made>.<base>.tmp`,
    /// which may have a dot before it and `.journal` before its ending.
    pub fn parse(stem: &str, name: &'n str) -> Option<Self> {
        let bare = name.strip_prefix('.').unwrap_or(name);
        let rest = bare.strip_prefix(stem)?.strip_prefix('.')?;
        if let Some(token) = rest.strip_suffix(".pending") {
            return Some(Self {
                maker: Token::parse(token).filter(|_| bare != name)?,
                hashes: None,
                is_journal: false,
            });
        }
        let rest = rest.strip_suffix(".tmp")?;
        let whole = rest.strip_suffix(".journal");
        let (token, hashes) = whole.unwrap_or(rest).split_once('.')?;
        let (made, base) = hashes.split_once('.')?;
        let is_hash = |hash: &str| hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        Some(Self {
            maker: Token::parse(token).filter(|_| is_hash(made) && is_hash(base))?,
            hashes: Some((made, base)),
            is_journal: whole.is_some(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::LeftoverName;

    #[test]
    fn names_of_leftovers_are_told_from_all_others() {
        let token = "0123456789abcdef0123456789abcdef";
        let hash = "0123456789abcdef";
        let is_left = |name: &str| LeftoverName::parse("board", name).is_some();
        assert!(is_left(&format!(".board.{token}.pending")));
        assert!(is_left(&format!("board.{token}.{hash}.{hash}.tmp")));
        assert!(is_left(&format!(".board.{token}.{hash}.{hash}.tmp")));
        let journal = format!("board.{token}.{hash}.{hash}.journal.tmp");
        assert!(LeftoverName::parse("board", &journal).unwrap().is_journal);
        for other in [
            format!("board.{token}.pending"),
            format!("boards.{token}.{hash}.{hash}.tmp"),
            format!("board.{token}.{hash}.tmp"),
            format!("board.{token}.{hash}.{hash}.kept.md"),
            "board.lock".to_owned(),
            "board.md".to_owned(),
        ] {
            assert!(!is_left(&other), "{other}");
        }
    }
}
