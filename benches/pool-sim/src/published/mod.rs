//! The published simulator: tables of Pollux's artifact (Qiao et al., OSDI 2021), read from `RADDLE_DATA/cluster`.
//!
//! Six applications with measured times of a step by placement and local batch, and with measured progress by epoch and batch;
//! eight workloads at each of four loads.

mod application;
mod job;
mod rows;
mod tables;

pub use self::tables::{LOADS, TICK, Tables};
