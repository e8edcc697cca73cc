//! Models in folders, as the program `lasso` writes and reads them.
//!
//! ```
//! use raddle_lasso::files::Saved;
//! use raddle_lasso::{Lasso, Preparation, Problem};
//!
//! let data = raddle_datasets::embedded::diabetes();
//! let problem = Problem::new(data.x.clone(), data.y, Preparation::default())?;
//! let fit = Lasso::params().lambda(4.5).fit(&problem)?;
//! # let parent = tempfile::tempdir()?;
//! # let run = parent.path().join("run");
//! fit.save(&run)?; // `lasso predict run` reads it
//!
//! let saved = Saved::open(&run)?;
//! assert_eq!(saved.predict(&data.x), fit.predict(&data.x));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod about;
mod saved;

pub use about::About;
pub use raddle_tabular::files::{
    ClassLabels, Coefficient, Features, Layout, ModelFacts, Offset, Schema, Words, parse_coefficients,
    write_coefficients,
};
pub use saved::Saved;
