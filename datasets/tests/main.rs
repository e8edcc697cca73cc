//! Tests of the readers, in one program.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

mod bad_input;
mod corpus;
mod dialects;
mod formats;
mod generate;
mod mutated;
mod rated;
mod ratings;
mod real;
mod tables;
