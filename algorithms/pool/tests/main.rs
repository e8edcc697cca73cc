//! Tests of the pool: policies, the simulator, and pools that run.

#![allow(clippy::unwrap_used)]

mod slots;
