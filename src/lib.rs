//! A fail-open read-modify-write mutex for shared markdown boards.

pub mod board;
pub mod commit;
pub mod disk;
pub mod lock;
mod printable;
mod timestamp;
pub mod vault;

pub use lock::with_board_lock;
pub use printable::{is_acted_on, printable};
pub use timestamp::Timestamp;
