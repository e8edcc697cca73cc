//! The job model in slots: PD-ORS and its baselines.

mod medium;
