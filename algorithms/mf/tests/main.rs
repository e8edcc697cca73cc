//! Tests of `mf`, in one program: the engine is linked once.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

mod carry;
#[path = "../../../tests/combinations/mod.rs"]
mod combinations;
mod command_line;
mod common;
mod digests;
mod fold_in;
mod ids;
#[path = "../../../tests/leaving/mod.rs"]
mod leaving;
mod real;
mod replay;
mod resume;
mod solvers;
#[path = "../../../tests/stopping/mod.rs"]
mod stopping;
mod stops;
