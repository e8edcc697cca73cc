//! The options with a value for each row: its weight, also by its class, and the offset of its score.

use std::path::Path;

use clap::Args;
use raddle_cli::{Error, refuse_without_effect};
use raddle_datasets::{Beside, Table};
use raddle_lasso::Loss;
use raddle_lasso::files::Offset;
use raddle_tabular::cli::{ClassWeightArgs, numbers};
use raddle_tabular::folds::RowValues;
use serde::Serialize;

/// Weights, also by class, and offsets.
#[derive(Debug, Clone, Args, Serialize)]
pub(crate) struct RowArgs {
    /// Weight of each row in the loss: a column, which is then not a feature, or a file with one value per
    /// row. A weight of 2 counts the row twice.
    #[arg(long, value_name = "NAME|INDEX|FILE")]
    weights: Option<String>,
    /// Offset added to the score of each row, such as the logarithm of an exposure: a column, which is then
    /// not a feature, or a file with one value per row.
    #[arg(long, value_name = "NAME|INDEX|FILE")]
    offset: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    by_class: ClassWeightArgs,
}

/// Request for an offset to be read in addition to the features.
pub(crate) fn beside_offset(name: &str) -> Beside {
    Beside { option: "--offset", name: name.to_owned() }
}

impl RowArgs {
    /// `true` if weights, by row or by class, or an offset are given.
    pub(crate) fn is_given(&self) -> bool {
        self.weights.is_some() || self.offset.is_some() || self.by_class.class_weights.is_some()
    }

    /// Returns the names of the options and their values.
    pub(crate) fn named(&self) -> [(&'static str, Option<&str>); 2] {
        [("--weights", self.weights.as_deref()), ("--offset", self.offset.as_deref())]
    }

    /// Returns the columns and files to read in addition to features and response.
    pub(crate) fn beside(&self) -> Vec<Beside> {
        let weights = self.weights.iter().map(|name| Beside { option: "--weights", name: name.clone() });
        weights.chain(self.offset.as_deref().map(beside_offset)).collect()
    }

    /// Refuses weights of classes if the loss has none.
    pub(crate) fn check(&self, loss: Loss) -> Result<(), Error> {
        let is_idle = self.by_class.class_weights.is_some() && !loss.has_classes();
        refuse_without_effect(&[("--class-weights", is_idle)], &format!("with --loss {}", loss.name()))
    }

    /// Takes the values of the rows from the front of the extra columns that were read; `classes` has the
    /// texts of the classes, if they have texts.
    pub(crate) fn values(
        &self,
        table: &mut Table,
        data: &str,
        classes: Option<&[String]>,
    ) -> Result<RowValues, Error> {
        let mut take = |is_given: bool, option: &str| match is_given && !table.beside.is_empty() {
            true => numbers(table.beside.remove(0), option, data).map(Some),
            false => Ok(None),
        };
        let weights = take(self.weights.is_some(), "--weights")?;
        let offset = take(self.offset.is_some(), "--offset")?;
        let weights = match &self.by_class.class_weights {
            Some(given) => Some(given.of_rows(&table.y, classes, weights)?),
            None => weights,
        };
        Ok(RowValues { weights, offset })
    }

    /// Returns the place where a model finds the offsets of other data.
    pub(crate) fn offset(&self) -> Option<Offset> {
        let place = |of: &String| match Path::new(of).is_file() {
            true => Offset::File(of.clone()),
            false => Offset::Column(of.clone()),
        };
        self.offset.as_ref().map(place)
    }
}
