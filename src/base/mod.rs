//! The lowest layer: every other module may use it, and it uses none of them.

pub(crate) mod cancel;
pub(crate) mod digest;
pub(crate) mod error;
pub mod fork_join;
pub(crate) mod identity;
pub(crate) mod observed;
pub(crate) mod panic_context;
pub(crate) mod pool;
pub(crate) mod process;
pub mod random;
pub(crate) mod side_by_side;
pub mod simd_level;
pub(crate) mod slowdown;
pub mod state;
pub(crate) mod stop;
pub(crate) mod store;
pub(crate) mod sync;
