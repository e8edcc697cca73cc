//! The Lasso as a scheduled program of [`raddle`], certified by a duality gap.
//!
//! With n rows, a fit minimises
//!
//! ```text
//! P(b) = 1/(2n) |y - X b|^2 + lambda |b|_1
//! ```
//!
//! or, with [`Loss::Logistic`] for a response of two values and with an l1 ratio a below 1 for an elastic
//! net,
//!
//! ```text
//! P(b) = 1/n sum log(1 + exp(-y_i (x_i'b + b_0))) + lambda (a |b|_1 + (1 - a)/2 |b|^2)
//! ```
//!
//! or, with [`Loss::Poisson`] for counts, half the mean deviance with means exp(x_i'b + b_0), in place of the
//! logistic loss; or, with [`Loss::Multinomial`] for a response of K classes, with the mean of `log sum_k
//! exp(f_k) - f_y`, where each class has coefficients and an intercept of its own; and is done when (P - D) /
//! P is at most the tolerance, where D is the dual objective at the best multiple of the residual that is
//! feasible. The gap is that of the coefficients returned, whichever solver found them.
//!
//! [`Lasso`] holds the parameters, [`Problem`] the prepared data, [`Fit`] the result; [`CrossValidation`]
//! chooses lambda. Columns are split into shards, the residual is the replica, and the working set with its
//! Gram matrix is the pinned block. An epoch certifies all columns, adds to the working set the worst
//! violators that are not strongly correlated with each other, and solves it to second order: for smooth
//! losses by proximal Newton steps. The schedules of rounds ([`Choice`]) solve the same problem by single
//! coordinate updates.
//!
//! ```
//! use raddle_lasso::{Lasso, Preparation, Problem};
//!
//! let data = raddle_datasets::embedded::diabetes();
//! let problem = Problem::new(data.x, data.y, Preparation::default())?;
//! let fit = Lasso::params().lambda(4.5).fit(&problem)?;
//! let bmi = fit.coefficients.iter().find(|&&(column, _)| column == 2);
//! assert!(bmi.is_some_and(|&(_, value)| value > 0.0));
//! # Ok::<(), raddle_lasso::LassoError>(())
//! ```
//!
//! A program, which is the one of the repository's README:
//!
//! ```
//! use raddle_lasso::{Lasso, Preparation, Problem};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let data = raddle_datasets::read_any("diabetes", &Default::default())?; // or a path
//!     let problem = Problem::new(data.x, data.y, Preparation::default())?;
//!     let fit = Lasso::params().ratio(100.0).workers(2).fit(&problem)?;
//!
//!     println!("{} coefficients, gap {:.1e}", fit.coefficients.len(), fit.report.metric.value);
//!     assert!(fit.report.metric.value <= 1e-6);
//!     Ok(())
//! }
//! ```

mod cross_validation;
mod data;
mod error;
#[cfg(feature = "files")]
pub mod files;
mod fit;
mod lambdas;
mod live;
mod loss;
mod model;
mod params;
mod penalties;
mod predict;
mod range;
mod run;
#[doc(hidden)] // for benches
pub mod working_set;

pub use cross_validation::CrossValidated;
pub use cross_validation::criterion::Criterion;
pub use cross_validation::curve::{Curve, CurvePoint, FoldScores};
pub use cross_validation::fold_run::FoldRun;
pub use cross_validation::folds::{Fold, Folds};
pub use cross_validation::plan::CrossValidation;
pub use cross_validation::splits::Split;
#[doc(hidden)] // for benches
pub use data::correlation::Correlator;
#[doc(hidden)] // for benches
pub use data::design::View;
pub use data::preparation::Preparation;
pub use data::problem::Problem;
pub use error::LassoError;
pub use lambdas::Penalty;
pub use live::{LiveTable, RowChange, RowColumns};
pub use loss::{Loss, Measure};
pub use model::{Fit, Point};
pub use params::{Choice, Lasso};
pub use predict::{predict, probabilities};
pub use raddle::changes::{Refused, Taken};
pub use raddle_tabular::folds::{RowValues, Rule};
pub use run::pinned::Solver;
pub use run::program::LassoProgram;
pub use run::replica::Replica;
#[doc(hidden)] // for benches
pub use run::schedule::{CORRELATION_LIMIT, ahead};
pub use run::shard::ColumnShard;

/// The types that [`LassoProgram`] exchanges with the engine.
pub mod exchange {
    pub use crate::data::correlation::ColumnSketch;
    pub use crate::data::design::Column;
    pub use crate::run::messages::{
        Change, EnteringBatch, EnteringColumn, Move, Partial, Phase, ShardCertificate, Stage, Tile,
    };
    pub use crate::run::restored::{ColumnsAnswer, ColumnsQuestion, ShardColumns};
    pub use crate::run::solution::Solved;
}
