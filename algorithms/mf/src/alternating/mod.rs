//! Alternating least squares and coordinate descent: one side is solved while the other is fixed.
//!
//! Users and items are two families of shards, each with the ratings in its own order. In least squares each
//! shard keeps the factors of its rows, and the replica has those of the fixed side; in coordinate descent,
//! which needs the columns of both sides at each rank, the replica has all factors. An epoch solves the
//! users, then the items; each row depends only on the other side, so that it does not matter where, or
//! together with which others, it is solved.

mod column_index;
mod coordinate_descent;
mod course;
mod dictionary;
mod early_stopping;
mod fit;
mod lazy_shards;
mod least_squares;
mod list_metric;
mod outcome;
mod partitioning;
mod phase;
mod program;
mod rating_format;
mod restored;
mod schedule;
mod shard;
mod sides;
mod staged_chunk;

pub use early_stopping::AlternatingStopping;
pub(crate) use least_squares::{LeastSquares, OtherSide, RowRatings, Scratch, squares_of};
pub use partitioning::Tally;
pub use phase::{AlternatingPhase, Column};
pub use program::AlternatingProgram;
pub use restored::SideAnswer;
pub use schedule::Alternation;
pub use shard::SideShard;
pub use sides::{FactorMatrices, Half, SidePartial, SideUpdate};
