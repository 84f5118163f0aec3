//! The old address of [`crate::config::vault`].

pub use crate::config::vault::{
    AllowedLinks, BoardPlace as Place, DEFAULT_BOARD, ORCHESTRATOR, VaultError,
};
