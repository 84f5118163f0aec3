//! Names of temporaries: who made them, and whether that process still lives.

use std::fmt;

/// The name of one writer, used once: 32 hexadecimal digits.
///
/// Eight for its host, eight for its process, sixteen at random. The first
/// two let a successor on the same host clear away what a killed process left
/// behind at once, instead of after the staleness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    host: u32,
    pid: u32,
    nonce: u64,
}

impl Token {
    /// Makes a new token of this process on the host tagged `host`.
    pub fn new(host: u32) -> Self {
        Self {
            host,
            pid: std::process::id(),
            // A system without random numbers has a clock and a process number at least.
            nonce: getrandom::u64().unwrap_or_else(|_| fastrand::u64(..)),
        }
    }

    /// Reads the 32 digits; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        Some(Self {
            host: u32::from_str_radix(&text[..8], 16).ok()?,
            pid: u32::from_str_radix(&text[8..16], 16).ok()?,
            nonce: u64::from_str_radix(&text[16..], 16).ok()?,
        })
    }

    /// Makes another token of the same writer.
    pub fn successor(self) -> Self {
        Self {
            nonce: self.nonce.wrapping_add(1),
            ..self
        }
    }

    /// Returns whether it was made on `self`'s host by a process that is gone.
    pub fn knows_dead(self, other: Self) -> bool {
        other.host == self.host && !is_running(i64::from(other.pid))
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}{:08x}{:016x}", self.host, self.pid, self.nonce)
    }
}

/// Returns whether a process of this host has the number `pid`.
///
/// One that we may not signal (`EPERM`) runs. Numbers that no process can
/// have do not run. Where it cannot be asked, the answer is yes.
#[cfg(unix)]
pub fn is_running(pid: i64) -> bool {
    use rustix::process::{Pid, test_kill_process};
    // Rustix refuses a negative number, which names a group, with a panic.
    let pid = i32::try_from(pid).ok().filter(|pid| *pid > 0);
    pid.and_then(Pid::from_raw)
        .is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// Returns whether a process of this host has the number `pid`; assumed here.
#[cfg(not(unix))]
pub fn is_running(_pid: i64) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_back_and_knows_its_living() {
        let mine = Token::new(7);
        assert_eq!(Token::parse(&mine.to_string()), Some(mine));
        assert_eq!(mine.to_string().len(), 32);
        assert!(!mine.knows_dead(mine), "this very process runs");
        let elsewhere = Token {
            host: 8,
            pid: 0,
            ..mine
        };
        assert!(
            !mine.knows_dead(elsewhere),
            "nothing is known of another host"
        );
        let dead = Token {
            pid: u32::MAX,
            ..mine
        };
        assert!(mine.knows_dead(dead), "no process has such a number");
        assert_eq!(Token::parse("5f0c"), None);
    }
}
