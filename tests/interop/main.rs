//! Beside the Node writer that shares the board: session-orchestrator, the real
//! package at the version of `package.json`, installed by `scripts/install-peer`.

#[path = "../suite/env/mod.rs"]
mod env;
mod guard;
mod histories;
mod hooks;
mod host_column;
mod locks;
mod peer;
mod same_bytes;
mod writers;
