//! Rows in parts, each of which makes dual passes of its own and knows nothing of the others within an epoch
//! (after CoCoA+: Ma et al., "Adding vs. averaging in distributed primal-dual optimization", 2015).
//!
//! A part is a block of the engine: the change that its rows have made to the weights, which visits the
//! part's shards in a fixed order. At the boundary the changes are added up, and the step along their sum
//! that is best for the dual is taken. How many parts there are is mathematics; which worker holds which
//! shards is not.

mod cut;
mod phase;
mod plan;
mod program;
mod schedule;
mod search;
mod settings;
mod sigma;
mod step;
#[cfg(test)]
mod tests;

pub use cut::Cut;
pub use phase::PartsPhase;
pub use plan::PartPlan;
pub use program::{Change, PartShard, PartsProgram, Standing, Told};
pub use settings::InParts;
pub use sigma::Sigma;
