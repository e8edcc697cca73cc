//! Cross-validation over folds of rows: their assignment, the curve of a measure over settings, and the area
//! under the ROC curve.

mod area;
mod assignment;
mod means;

pub use self::area::area;
pub use self::assignment::{FoldLabels, assign};
pub use self::means::{Mean, Means, Rule};
