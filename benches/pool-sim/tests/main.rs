//! Tests of the simulator of policies.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

mod command_line;
mod greedy;
mod ones;
mod policies;
mod published;
mod simulate;
mod slots;
