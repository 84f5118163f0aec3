//! The `boardsync` command.
fn main() {}
