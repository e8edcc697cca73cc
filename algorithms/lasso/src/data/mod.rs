//! The data as they are fitted, prepared once.

pub(crate) mod classes;
pub(crate) mod correlation;
pub(crate) mod design;
mod given;
pub(crate) mod magnitudes;
pub(crate) mod problem;
mod units;
