//! The edges that models of tables share, below `raddle-lasso` and `raddle-linear`: how columns and classes are
//! written and found again, how rows are cut into folds, and what a command line says of a fit.
//!
//! The seam, from the bottom up. A model names its parts by four traits and keeps its mathematics:
//!
//! | part | what is shared | what a model gives |
//! |---|---|---|
//! | [`folds`] | [`FoldTable`](folds::FoldTable) cuts and fills rows, [`FoldScores`](folds::FoldScores) of folds become a [`Curve`](folds::Curve), from which a [`Rule`](folds::Rule) chooses | [`CurvePoint`](folds::CurvePoint): a setting with its measure |
//! | `files` | `Features` of a table, `Schema` of a model, `coef.tsv` | `ModelFacts`: its part of `model.json` |
//! | `cli` | options of tables, reading, curves, pictures, `predict` | `Scoring`: class and numbers of a row's scores |
//!
//! `files` are models in folders (feature `files`), `cli` the command line (feature `cli`).

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "files")]
pub mod files;
pub mod folds;
