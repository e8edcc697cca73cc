//! The common ground of the engine and the kernels of [raddle](https://docs.rs/raddle): state as bytes,
//! random streams, threads that help, instruction sets, errors.
//!
//! Programs name these by `raddle`, which hands on what is meant for them; the rest is no promise to anybody.

pub mod cancel;
pub mod digest;
pub mod error;
pub mod exact;
pub mod fork_join;
pub mod identity;
mod machine;
pub mod observed;
pub mod panic_context;
pub mod pool;
pub mod process;
pub mod random;
pub mod side_by_side;
pub mod simd_level;
pub mod slowdown;
pub mod state;
pub mod stop;
pub mod store;
pub mod sync;

pub use cancel::cancellation_point;
pub use state::State;
