//! A fail-open read-modify-write mutex for shared markdown boards.

pub mod board;
pub mod config;
pub mod disk;
pub mod ledger;
pub mod lock;
pub mod session;
mod timestamp;
pub mod vault;

pub use timestamp::Timestamp;
