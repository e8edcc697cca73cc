//! Stochastic gradient steps: a rotation without barriers.
//!
//! Users with their ratings are shards, items are blocks. `fit` makes the engine of `program` under
//! `schedule`; `partition` assigns users to shards and items to blocks, `bucket` the ratings of a chunk to
//! the cells, and `shard` brings them there; `factor_block` and `first_rows` hold rows, `write_back` makes a
//! model of them; `learning_rate` and `side_balance` determine the step sizes, `early_stopping` when a run
//! ends.

mod bucket;
pub(crate) mod carry;
mod early_stopping;
mod factor_block;
mod first_rows;
mod fit;
pub(crate) mod learning_rate;
mod partition;
mod program;
mod replica;
mod restored;
mod schedule;
mod shard;
mod side_balance;
mod write_back;

pub use early_stopping::EarlyStopping;
pub use program::SgdProgram;
pub use replica::{Answer, Change, EpochPlan, Errors, Replica};
pub use schedule::{GridSchedule, Phase};
pub use shard::{ItemBlock, UserShard};
