//! Stochastic gradient steps: a rotation without barriers.
//!
//! Users with their ratings are shards, items are blocks. `fit` makes the engine of `program` under `schedule`; `grid`
//! deals users to shards and items to blocks, `piece` the ratings of a chunk to the cells, and `shard` brings them there;
//! `part` and `first_rows` hold rows; `course`, `counted` and `solver` say how large steps are and when a run is done.

mod counted;
pub(crate) mod course;
mod first_rows;
mod fit;
mod grid;
mod part;
mod piece;
mod program;
mod replica;
mod restored;
mod schedule;
mod shard;
mod solver;

pub use program::SgdProgram;
pub use replica::{Answer, Change, Replica};
pub use schedule::GridSchedule;
pub use shard::{ItemBlock, UserShard};
pub use solver::Solver;
