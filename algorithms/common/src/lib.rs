//! Parts that two of the algorithms need and the engine does not: numbers in messages; with the feature
//! `folds`, cross-validation over folds of rows; with `cli`, options of reading delimited text and tables,
//! data as a model sees them, and the end of a cross-validation that was cut short; with `testing`, running a
//! program in a folder.

#[cfg(feature = "cli")]
mod dialect;
#[cfg(feature = "folds")]
pub mod folds;
#[cfg(feature = "cli")]
pub mod listing;
#[cfg(feature = "cli")]
mod matching;
mod number;
#[cfg(feature = "cli")]
pub mod predicting;
#[cfg(feature = "cli")]
pub mod samples;
#[cfg(feature = "cli")]
pub mod tables;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "cli")]
pub mod unfinished;

#[cfg(feature = "cli")]
pub use dialect::DialectArgs;
pub use number::number;
