//! Tests of the engine on its public interface, in one program: it is linked once.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

#[cfg(target_os = "linux")]
mod browser;
mod changes;
#[cfg(target_os = "linux")]
mod coded;
mod combinations;
mod commands;
mod comparisons;
mod convergence;
#[cfg(target_os = "linux")]
mod delayed;
#[cfg(target_os = "linux")]
mod encryption;
mod errors;
mod examples;
mod extreme_settings;
#[cfg(target_os = "linux")]
mod flips;
mod foreign_words;
mod fork_join;
mod fuzzed_commands;
mod generate;
#[cfg(target_os = "linux")]
mod guests;
mod guide;
#[cfg(target_os = "linux")]
mod handshake;
mod headers;
#[cfg(target_os = "linux")]
mod held;
mod help;
#[cfg(target_os = "linux")]
mod hosts;
mod in_a_dataflow;
mod invariants;
mod lag;
mod launch;
#[cfg(target_os = "linux")]
mod launched;
mod measuring_tasks;
#[cfg(target_os = "linux")]
mod memory_limit;
mod merging;
mod model_files;
#[cfg(target_os = "linux")]
mod parties;
#[cfg(target_os = "linux")]
mod partitions;
#[cfg(target_os = "linux")]
mod pools;
mod processes;
mod programs;
mod public_names;
mod publishing;
mod readme;
#[cfg(target_os = "linux")]
mod recovery;
mod replay;
mod report_page;
mod resume;
mod schedule;
#[cfg(target_os = "linux")]
mod schedules;
#[cfg(target_os = "linux")]
mod status;
#[cfg(target_os = "linux")]
mod stops;
#[cfg(target_os = "linux")]
mod symbols;
mod tables_by_script;
mod traffic;
