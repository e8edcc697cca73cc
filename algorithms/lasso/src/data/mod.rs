//! The data as they are fitted, prepared once.

mod by_parts;
pub(crate) mod classes;
mod coded;
pub(crate) mod columns;
pub(crate) mod correlation;
pub(crate) mod design;
mod given;
pub(crate) mod magnitudes;
pub(crate) mod preparation;
pub(crate) mod prepare;
pub(crate) mod problem;
mod units;
