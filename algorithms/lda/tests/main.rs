//! Tests of `lda`, in one program: the engine is linked once.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

mod carry;
mod changes;
#[path = "../../../tests/combinations/mod.rs"]
mod combinations;
mod command_line;
mod common;
mod cv;
mod digests;
mod files;
mod forged_checkpoints;
mod groups;
#[path = "../../../tests/leaving/mod.rs"]
mod leaving;
mod model;
mod replay;
mod resume;
mod small_corpora;
#[path = "../../../tests/stopping/mod.rs"]
mod stopping;
mod stops;
mod tables;
mod texts;
