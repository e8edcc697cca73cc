//! Matrix factorization as scheduled programs of [`raddle`].
//!
//! The rating of user u and item i is predicted as `mean + b_u + c_i + p_u . q_i`. A fit minimises
//! `sum (r_ui - prediction)^2 + reg (|p_u|^2 + |q_i|^2)` over the ratings: by gradient steps in a rotation
//! without barriers, by alternating least squares, or by coordinate descent ([`Method`]).
//!
//! [`Mf`] holds the parameters, [`Problem`] the ratings, [`Fit`] and [`Model`] the result; [`Recommender`]
//! ranks items, [`Similar`] finds similar items or users, [`FoldIn`] adds users and items, [`Ranking`]
//! measures recommendations, [`CrossValidation`] tries settings. For gradient steps users with their ratings
//! are shards and items are blocks; for the other methods users and items are two families of shards, and the
//! replica has the factors that shards of the other side need.

pub mod alternating;
mod carry;
mod cross_validation;
mod error;
#[cfg(feature = "files")]
pub mod files;
mod fit;
mod fitted;
mod fold_in;
mod guard;
mod initial;
mod input;
mod live;
mod model;
mod params;
mod predict;
mod range;
mod ranking;
mod recommend;
mod restored;
mod runner;
mod settings;
mod sgd;
mod stand_in;

pub use carry::Carried;
pub use cross_validation::CrossValidation;
pub use error::MfError;
pub use fitted::Fit;
pub use fold_in::FoldInSolver;
pub use input::baseline::Baselines;
pub use input::problem::Problem;
pub use input::source::{Counts, RatingsSource, RatingsSplit};
pub use live::{LiveRatings, Pair, RatingChange};
pub use model::{Learned, Model, NewRows};
pub use params::{Equations, Method, Mf, ScheduleKind};
pub use raddle::changes::{Refused, Taken};
pub use recommend::{Query, Ranking, Recommender, Seen, Similar, TopK};
pub use runner::{InProcess, Runner};
pub use settings::{FoldIn, Trial};
pub use sgd::{
    Answer, Change, EarlyStopping, EpochPlan, Errors, GridSchedule, ItemBlock, Phase, Replica, SgdProgram,
    UserShard,
};
pub use stand_in::StandIn;
