//! Latent Dirichlet allocation as a scheduled program of [`raddle`].

mod block;
mod course;
mod error;
mod held_out;
mod kernels;
mod layout;
mod model;
mod params;
mod partial;
mod problem;
mod program;
mod record;
mod rows;
mod schedule;
mod seeds;
mod shard;
mod special;
mod totals;

pub use block::WordBlock;
pub use error::LdaError;
pub use model::Fit;
pub use params::{Lda, MOST_TOPICS, Merging};
pub use partial::Partial;
pub use problem::{Held, Preparation, Problem};
pub use program::LdaProgram;
pub use record::{Evaluation, Record};
pub use shard::DocumentShard;
pub use totals::{Change, Totals};
