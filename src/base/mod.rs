//! The ground floor: what every other room stands on, and what stands on nothing.

pub(crate) mod digest;
pub(crate) mod doing;
pub(crate) mod error;
pub mod hands;
pub(crate) mod identity;
pub mod level;
pub(crate) mod pool;
pub(crate) mod process;
pub mod random;
pub(crate) mod side_by_side;
pub(crate) mod slowdown;
pub mod state;
pub(crate) mod stop;
pub(crate) mod store;
pub(crate) mod sync;
