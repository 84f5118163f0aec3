//! The model.

#[path = "model/checking.rs"]
mod checking;
#[path = "model/lock/mod.rs"]
mod lock;
#[path = "model/commit/mod.rs"]
mod commit;
