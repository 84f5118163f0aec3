//! The model.

#[path = "model/checking.rs"]
mod checking;
#[path = "model/lock/mod.rs"]
mod lock;
