//! Simulators: policies in virtual time.

pub mod slots;
