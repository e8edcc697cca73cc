//! Parts that two of the algorithms share and the engine does not need: numbers in messages, and the
//! definition of parameters; with the feature `folds`, cross-validation over folds of rows; with `cli`, the
//! options for reading delimited text and tables, the data as a model sees them, and the end of an
//! interrupted cross-validation; with `testing`, running a program in a folder.

#[cfg(feature = "cli")]
mod dialect;
#[cfg(feature = "folds")]
pub mod folds;
#[cfg(feature = "cli")]
pub mod listing;
#[cfg(feature = "cli")]
mod matching;
mod number;
mod params;
#[cfg(feature = "cli")]
pub mod predicting;
#[cfg(feature = "cli")]
pub mod samples;
#[cfg(feature = "cli")]
mod stdout;
#[cfg(feature = "cli")]
pub mod tables;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "cli")]
pub mod unfinished;

#[cfg(feature = "cli")]
pub use dialect::DialectArgs;
pub use number::number;
#[cfg(feature = "cli")]
pub use stdout::to_stdout;
