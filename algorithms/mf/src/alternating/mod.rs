//! Alternating least squares and coordinate descent: one side is solved while the other stands still.
//!
//! Users and items are two families of shards, each with the ratings in its own order; the factors of both sides are
//! the replica. An epoch solves the users, then the items; each row depends on the other side alone, so that it does
//! not matter where, or beside which others, it is solved.

mod coordinate_descent;
mod fit;
mod judged;
mod least_squares;
mod named;
mod program;
mod progress;
mod restored;
mod setup;
mod shard;
mod sides;
mod taken;
mod values;

pub(crate) use least_squares::{LeastSquares, Room, squares_of};
pub use program::{AlternatingProgram, Alternation};
pub use progress::Progress;
pub use shard::HalfShard;
pub use sides::{Half, Moved, Sides};
