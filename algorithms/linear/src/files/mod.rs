//! Models in folders, as the program `linear` writes and reads them: `coef.tsv`, `dual.npy`, `model.json`.
//!
//! ```
//! use raddle_linear::files::Saved;
//! use raddle_linear::{Linear, Problem};
//!
//! let data = raddle_datasets::embedded::diabetes();
//! let y: Vec<f64> = data.y.iter().map(|y| f64::from(u8::from(*y > 152.0))).collect();
//! let fit = Linear::params().fit(&Problem::new(&data.x, &y, 1.0)?)?;
//! # let parent = tempfile::tempdir()?;
//! # let run = parent.path().join("run");
//! fit.save(&run)?; // `linear predict run` reads it
//! assert_eq!(Saved::open(&run)?.coefficients[0], fit.scorers[0].coefficients);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod about;
mod saved;

pub use about::About;
pub use raddle_tabular::files::{Coefficient, Features, ModelFacts, Schema};
pub use saved::Saved;
