//! Models in folders: the features of a table, the schema of a model, and the file of its coefficients.

mod coefficients;
mod features;
mod labels;
mod model;
mod path;
mod schema;

pub use self::coefficients::{
    Coefficient, Layout, Words, parse as parse_coefficients, write as write_coefficients,
};
pub use self::features::{Features, Offset};
pub use self::labels::ClassLabels;
pub use self::model::{ModelFacts, read_facts, write_facts};
pub use self::path::{PathPoint, PathTable};
pub use self::schema::{Schema, ScoreTerms, read_text};
