//! The modules that our own tests, benchmarks and fuzzers look into.

#![allow(missing_docs, reason = "they are described where they are")]

pub use crate::conflict_copy::{CopyName, copy_name, is_conflict_copy};
pub use crate::printable::{is_acted_on, printable};

pub mod agent {
    pub use crate::agent::*;
}
pub mod commit {
    pub use crate::commit::*;
}
pub mod config {
    pub use crate::config::*;
}
pub mod disk {
    pub use crate::disk::*;
}
pub mod ledger {
    pub use crate::ledger::*;
}
pub mod note {
    pub use crate::note::*;
}
pub mod session {
    pub use crate::session::*;
}
