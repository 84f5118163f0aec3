//! The lock and the commit, explored exhaustively: every order of steps, a crash at every step, a
//! pause past the staleness wherever somebody could notice. What is promised, the bounds and the
//! figures stand in docs/model.md.
//!
//! Two models, because the layers do not lean on each other. The model of the commit has no lock in
//! it, so it contains every run that a lock would allow; the model of the lock has no board in it.
//!
//! Each step of a model is one atomic action of the code and bears its name:
//!
//! | step | in the code | what is atomic |
//! |---|---|---|
//! | `Gate::try_take` | lock/gate.rs | the kernel grants the gate or not |
//! | `look, judge: …` | lock/search.rs, lock/judge.rs | one read of the lock, one pure verdict |
//! | `Gate::pause` | lock/acquire.rs | the gate has been let go of, if the lock is foreign |
//! | `look: it has moved`, `it stands still` | lock/acquire.rs | a read, 2 s after the first |
//! | `publish` | lock/publish.rs | a hard link, which never clobbers |
//! | `Guard::take` | lock/guard.rs | a hard link |
//! | `Guard::remove_dead/look`, `/unlink`, the same after `sweep` | lock/guard.rs | a read; an unlink by name |
//! | `take_over/relook`, `/rename`, `/drop guard` | lock/take_over.rs | a read; a rename over; an unlink |
//! | `Lease::beat` | lock/held.rs | the mtime is set |
//! | `Lease::release/guard`, `/token`, `/unlink`, `/drop guard`, `/drop gate` | lock/release.rs | a link; a read; an unlink; an unlink; the kernel |
//! | `Latch::take` | commit/latch.rs | the kernel grants the latch or not |
//! | `adopt_leftovers/claim`, `/discard` | commit/leftovers.rs | a rename to a name of our own; an unlink |
//! | `read` | commit.rs | one read of the board; merging is private |
//! | `stage` | commit/staged.rs | a complete temporary file |
//! | `exchange` | commit.rs | the swap |
//! | `compare …`, `… join` | commit.rs | one read of what was displaced; joining is private |
//! | `discard` | commit.rs | an unlink; with the last one the latch goes |
//!
//! A mutant is the protocol without one of its rules. The checker must find what that rule is for:
//! a model that cannot fail proves nothing. Nor may the model and the code drift apart:
//! `lock/replay.rs` replays runs of the one with the other.

#[path = "model/checking.rs"]
mod checking;
#[path = "model/commit/mod.rs"]
mod commit;
#[path = "model/lock/mod.rs"]
mod lock;
