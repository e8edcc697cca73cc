//! Matrix factorization as scheduled programs of [`raddle`].
//!
//! The rating of user u and item i is predicted as `mean + b_u + c_i + p_u . q_i`. A fit minimises
//! `sum (r_ui - prediction)^2 + reg (|p_u|^2 + |q_i|^2)` over the ratings: by gradient steps in a rotation without
//! barriers, by alternating least squares, or by coordinate descent ([`Method`]).
//!
//! [`Mf`] holds the parameters, [`Problem`] the ratings, [`Fit`] and [`Model`] the result; [`Recommender`] ranks items,
//! [`FoldIn`] adds users and items, [`Ranking`] measures, [`CrossValidation`] tries settings. For gradient steps users with
//! their ratings are shards and items are blocks; for the others users and items are two families of shards and the factors
//! the replica.

pub mod alternating;
mod buffers;
mod catalogue;
mod chunk;
mod counted;
mod course;
mod cross_validation;
mod error;
mod fold_in;
mod grid;
pub mod kernels;
mod metrics;
mod model;
mod pages;
mod params;
mod part;
mod piece;
mod predict;
mod problem;
mod program;
mod range;
mod ranking;
mod recommend;
mod replica;
mod restored;
mod run;
mod schedule;
mod sgd;
mod shard;
mod solver;
mod start;

pub use catalogue::Chosen;
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
