//! Paths, refusals, `~`.
