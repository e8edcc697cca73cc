//! Losses and their duals, and the duality gap.

mod certificate;
mod kind;

pub(crate) use certificate::{Certificate, weights_of};
pub use kind::Loss;
pub(crate) use kind::sigmoid;
