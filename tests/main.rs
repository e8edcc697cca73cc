//! Tests of the engine on its public interface, in one program: it is linked once.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

mod abused;
mod changes;
mod commands;
mod comparisons;
#[cfg(target_os = "linux")]
mod cut;
mod errors;
mod examples;
mod hands;
#[cfg(target_os = "linux")]
mod handshake;
mod in_a_dataflow;
mod invariants;
mod launch;
#[cfg(target_os = "linux")]
mod launched;
mod learning;
mod limits;
mod measures;
#[cfg(target_os = "linux")]
mod memory;
mod models;
mod processes;
mod programs;
mod readme;
#[cfg(target_os = "linux")]
mod recovery;
mod replay;
mod results;
mod resume;
mod schedule;
