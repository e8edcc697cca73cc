//! Policies by name: those of the pool, and those that exist for comparison only.

pub mod las;
pub mod names;
pub mod ones;
pub mod optimus;
pub mod placing;

pub use self::placing::{oasis, pdors};
