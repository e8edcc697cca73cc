//! Placements of one job in one slot, each with its price.

mod choices;
mod market;
mod placer;

pub use self::market::Market;
pub use self::placer::{OneNode, Placer};

pub(super) use self::choices::choices;
