//! Matrix factorization as scheduled programs of [`raddle`].

pub mod alternating;
mod course;
mod cross_validation;
mod error;
mod fold_in;
mod grid;
pub mod kernels;
mod metrics;
mod model;
mod params;
mod part;
mod predict;
mod problem;
mod program;
mod recommend;
mod replica;
mod run;
mod schedule;
mod sgd;
mod shard;
mod solver;
mod start;

pub use cross_validation::CrossValidation;
pub use error::MfError;
pub use fold_in::FoldIn;
pub use metrics::Ranking;
pub use model::{Fit, Model};
pub use params::{Choice, Equations, Method, Mf};
pub use problem::Problem;
pub use program::SgdProgram;
pub use recommend::{Recommender, Seen};
pub use replica::{Answer, Change, Replica};
pub use run::{InProcess, Runner};
pub use schedule::GridSchedule;
pub use shard::{ItemBlock, UserShard};
pub use solver::Solver;
