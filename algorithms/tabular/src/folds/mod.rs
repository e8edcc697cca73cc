//! Cross-validation over folds of rows: their assignment, the curve of a measure over settings, and the area
//! under the ROC curve.

mod area;
mod assignment;
mod curve;
mod side_by_side;
mod table;

pub use self::area::area;
pub use self::assignment::{FoldLabels, absent, assign, distinct};
pub use self::curve::{Curve, CurvePoint, FoldScores};
pub use self::side_by_side::fit_folds;
pub use self::table::{FoldRows, FoldTable, RowValues};
pub use raddle_common::{Mean, Means, Rule};
