//! The lock: a mutex that knows nothing of boards.
