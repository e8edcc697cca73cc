//! Losses and their duals, and the duality gap.

mod certificate;
mod kind;

pub(crate) use certificate::Certificate;
pub use kind::Loss;
pub(crate) use kind::sigmoid;
