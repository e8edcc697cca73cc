//! The options that name several lambdas.

use clap::Args;
use raddle_cli::between;
use serde::Serialize;

/// Largest number of points in a path: more would say nothing new and fill the memory.
const MOST_POINTS: usize = 100_000;

/// Help text of --schedule.
pub(super) const SCHEDULE: &str = "Rule for choosing the variables to update: working-set (the same as auto). The other \
     schedules of `lasso fit` cannot fit several lambdas";
/// Help text of --shards.
pub(super) const SHARDS: &str = "Number of shards (partitions) of the data. Never changes the model. Default: chosen from the size of the data";

/// The lambdas of a path.
#[derive(Debug, Args, Serialize)]
pub(crate) struct GridArgs {
    /// Number of lambdas. They are evenly spaced on a logarithmic scale from lambda_max down.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = between::<1, MOST_POINTS>)]
    pub(crate) points: usize,
    /// Ratio of lambda_max to the smallest lambda. It is at least 1.
    #[arg(long, value_name = "R", default_value_t = 100.0)]
    pub(crate) ratio: f64,
    /// Fit these lambdas, such as 10,1,0.1, in any order. They replace the path of --points and --ratio.
    #[arg(long, value_name = "X,...", value_delimiter = ',', conflicts_with_all = ["points", "ratio"])]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) lambdas: Vec<f64>,
}
