//! Tests of policies, and of live pools.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

mod command_line;
mod pool;
mod slots;
