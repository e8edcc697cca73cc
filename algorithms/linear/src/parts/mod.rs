//! Rows in parts: each part makes dual passes of its own and does not see the others within an epoch (after
//! CoCoA+: Ma et al., "Adding vs. averaging in distributed primal-dual optimization", 2015).
//!
//! A part is a block of the engine: it carries the change that its rows have made to the weights from shard
//! to shard of the part, in a fixed order. At the boundary the changes are added, and the best step for the
//! dual along their sum is taken. The number of parts belongs to the mathematics; which worker has which
//! shards does not. [`DelayedParts`] add each change alone, when it comes over a link of declared speed.

mod cut;
mod delayed;
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
pub use delayed::{DelayedParts, DelayedStanding, PartChange};
pub use phase::PartsPhase;
pub use plan::PartPlan;
pub use program::{Change, PartAnswer, PartShard, PartsProgram, Standing};
pub use settings::InParts;
pub use sigma::Sigma;
