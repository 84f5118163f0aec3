//! The board document; pure, no I/O.
