//! Newton steps on exact sums over rows: the model does not depend on how rows are ordered, or cut into
//! shards.
//!
//! An epoch is one round. At the weights of the replica each shard adds up, number by number rounded once
//! ([`raddle::exact`]), the losses, the dual terms, the gradient and the triangle of second derivatives of
//! its rows, and the losses at all halvings of the step that led there. Where the sums meet the step is
//! judged and the next one is made. The dual point a = -c phi'(m) is that of the same round, so that the gap
//! is a sum, too.

mod adding;
mod judged;
mod newton;
mod point;
mod program;
mod settings;
mod shard;

pub use judged::Standing;
pub(crate) use point::Bounds;
pub use point::Point;
pub use program::SumsProgram;
pub use settings::BySums;
pub(crate) use settings::{MOST_COLUMNS, check_loss, refuse, too_large};
pub use shard::SumShard;
pub(crate) use shard::cut;
