//! Published workloads: tables of Pollux's artifact (Qiao et al., OSDI 2021), read from
//! `RADDLE_DATA/cluster`.
//!
//! The tables have six applications, with measured times of a step by placement and local batch size and
//! measured progress by epoch and batch size, and eight workloads at each of four loads.

mod application;
mod job;
mod rows;
mod tables;

pub use self::tables::{LOADS, TICK, Tables};
