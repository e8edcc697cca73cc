//! Parts that the algorithms share and the engine does not need: numbers in messages; with the feature `cli`,
//! the options for reading delimited text; with `testing`, running a program in a folder.

#[cfg(feature = "cli")]
mod dialect;
mod number;
#[cfg(feature = "testing")]
pub mod testing;

#[cfg(feature = "cli")]
pub use dialect::DialectArgs;
pub use number::number;
#[cfg(feature = "cli")]
pub use stdout::to_stdout;
