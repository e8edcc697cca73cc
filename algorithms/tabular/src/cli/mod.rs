//! Parts of the command lines of models of tables: options, reading, curves, pictures and predictions.

mod class_weights;
mod curves;
mod listing;
mod matching;
mod path;
mod pictures;
mod places;
mod predicting;
mod samples;
mod tables;
mod training;

pub use self::class_weights::{ClassWeightArgs, ClassWeights};
pub use self::curves::Chosen;
pub use self::listing::{LISTED, abridged, by_size, field, listed, many_classes, place_of_all, short};
pub use self::path::{Path, PathRow, PointArgs};
pub use self::pictures::{Score, curves, scores, strongest};
pub use self::places::{counted, drawn};
pub use self::predicting::{Measure, PredictArgs, ROWS, Scoring, predict};
pub use self::samples::{ModelSamples, RowScores, numbers, said_of_rows};
pub use self::tables::{ColumnArgs, DEFAULT, Given, TextArgs, described, known, known_or_default, of_folds};
pub use self::training::{class_text, encoding, named_values, tell_of_classes};
