//! Tests of `linear`, in one program: the engine is linked once.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

mod bad_input;
mod by_parts;
mod certified;
mod choosing;
mod command_line;
mod common;
mod digests;
#[path = "../../../tests/leaving/mod.rs"]
mod leaving;
mod merged;
mod naive;
mod parts;
mod path;
mod replay;
#[path = "../../../tests/stopping/mod.rs"]
mod stopping;
mod stops;
mod sums;
