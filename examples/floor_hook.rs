//! The floor under `boardsync hook`: a program that starts, reads stdin to its
//! end, and reads one file. `cargo run --release --example floor_hook -- FILE`

use std::io::Read;

fn main() -> std::io::Result<()> {
    let mut event = Vec::new();
    std::io::stdin().lock().read_to_end(&mut event)?;
    let board = std::env::args_os().nth(1).unwrap_or_default();
    let board = std::fs::read(board)?;
    std::hint::black_box((event, board));
    Ok(())
}
