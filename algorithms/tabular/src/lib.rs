//! The edges that models of tables share: how columns and classes are written and found again, how rows are
//! cut into folds, and what a command line reads and shows. A model keeps its mathematics.
//!
//! The seam, from the bottom up:
//!
//! - [`folds`] cuts a table into folds ([`FoldTable`](folds::FoldTable)), collects their scores
//!   ([`FoldScores`](folds::FoldScores)) and makes a [`Curve`](folds::Curve) of them, from which a
//!   [`Rule`](folds::Rule) chooses. A model gives a [`CurvePoint`](folds::CurvePoint): a setting with its
//!   measure.
//! - `files`, with the feature of this name, has the `Features` of a table, the `Schema` of a model with its
//!   `coef.tsv`, and labels of classes. A model gives `ModelFacts`: its part of `model.json`.
//! - `cli`, with the feature of this name, has options of tables, reading, predictions, curves and pictures.
//!   A model gives `Scoring`: the class and the numbers that follow from the scores of a row.

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "files")]
pub mod files;
pub mod folds;
