//! Linear classifiers as a scheduled program of [`raddle`], with a duality gap for a certificate.
//!
//! With rows x_i of two classes, y_i = 1 or -1, a fit minimises
//!
//! ```text
//! P(w) = 1/2 |w|^2 + C sum_i phi(y_i x_i'w)
//! ```
//!
//! where phi is the [hinge, the squared hinge or the logistic loss](Loss), until (P - D) / P is at most the
//! tolerance. D is the dual objective at one value a_i per row, and w = sum_i a_i y_i x_i exactly, so that
//! the gap is that of the returned model.
//!
//! [`Linear`] has the parameters, [`Problem`] the prepared data, [`Fit`] the result. The default solver makes
//! passes of dual coordinate descent over the rows; a direct solver takes over where its counted cost is
//! lower: Newton steps or, for the hinge, an interior point method, each with a matrix of columns or of rows,
//! whichever are fewer.
//!
//! ```
//! use raddle_linear::{Linear, Loss, Problem};
//!
//! let data = raddle_datasets::embedded::diabetes();
//! let y: Vec<f64> = data.y.iter().map(|y| f64::from(u8::from(*y > 152.0))).collect();
//! let problem = Problem::new(&data.x, &y, 1.0)?;
//! let fit = Linear::params().loss(Loss::Logistic).tolerance(1e-6).fit(&problem)?;
//! assert!(fit.gap() <= 1e-6);
//! # Ok::<(), raddle_linear::LinearError>(())
//! ```

mod certificate;
mod cross_validation;
mod data;
mod error;
#[cfg(feature = "files")]
pub mod files;
mod loss;
mod model;
mod params;
pub mod parties;
pub mod parts;
mod path;
mod run;
mod solve;
pub mod sums;

pub use cross_validation::CrossValidated;
pub use cross_validation::curve::{Curve, CurvePoint, FoldScores};
pub use cross_validation::folds::{Fold, Folds};
pub use cross_validation::measure::Measure;
pub use cross_validation::plan::{CrossValidation, grid};
pub use data::bias::Bias;
pub use data::problem::Problem;
pub use error::LinearError;
pub use loss::Loss;
pub use model::{Fit, Scorer, StandardErrors};
pub use params::Linear;
pub use parties::{Counted, Parties, PartyRows};
pub use parts::{InParts, PartPlan, Sigma};
pub use path::{FittedPath, Path};
pub use raddle_tabular::folds::Rule;
pub use run::machine::Machine;
pub use run::program::LinearProgram;
pub use sums::BySums;
