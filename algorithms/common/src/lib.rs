//! Parts that the algorithms share and the engine does not need: numbers in messages, means over folds, and
//! the definition of parameters; with the feature `cli`, the options for reading delimited text, and results
//! on stdout; with `testing`, running a program in a folder.

#[cfg(feature = "cli")]
mod dialect;
mod means;
mod number;
mod params;
#[cfg(feature = "cli")]
mod stdout;
#[cfg(feature = "testing")]
pub mod testing;

#[cfg(feature = "cli")]
pub use dialect::DialectArgs;
pub use means::{Mean, Means, Rule};
pub use number::number;
#[cfg(feature = "cli")]
pub use stdout::to_stdout;
