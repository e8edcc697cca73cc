//! The options of `mf fit`.

use std::path::PathBuf;

use clap::Args;
use raddle_cli::{
    ChangeOptions, ENGINE_HEADING, Error, Free, ROUND_OPTIONS, TrainOptions, changes_help, hide_idle,
    refuse_without_effect,
};
use serde::Serialize;

use super::data::{self, Reading};
use super::hold_out::HoldOut;
use super::options::{ModelOptions, SCHEDULE};

/// Options that a resumed run may change: --target, for example, only decides when the run ends.
pub(super) const FREE: Free<'_> =
    Free { neutral: &["target", "changes", "save-data", "no-seen"], limits: &[] };

const EXAMPLES: &str = "Examples:
  mf fit synth:ratings:users=500,items=200,n=20000 --rank 16 --out run
  mf fit synth:ratings:users=500,items=200,n=20000 --epochs 10 --validation none --test split";

/// The options of `mf fit`.
#[derive(Debug, Args, Serialize)]
#[command(mut_arg("changes", |arg| arg.help(changes_help("`+ USER ITEM RATING`, `- USER ITEM` or `- USER`"))))]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("data", |arg| arg.help(data::known_or_default())))]
#[command(mut_args(hide_idle(&ROUND_OPTIONS, "in mf, whose rounds are known an epoch ahead")))]
#[command(mut_arg("schedule", |arg| arg.help(SCHEDULE)))]
#[command(mut_arg("epochs", |arg| arg.help("Stop after N epochs. Default: a short run, then longer ones while the \
    validation error still falls")))]
pub(crate) struct Options {
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) model: ModelOptions,
    /// Hold out ratings to stop early. Give a fraction (drawn by --seed), last:X for the latest by time
    /// (last:0.05 is 5 %), a file, or none.
    #[arg(long, value_name = "FRACTION|last:X|FILE|none", default_value = "0.05")]
    pub(super) validation: String,
    /// Hold out ratings as a test set. Give split (a fixed tenth, drawn by a hash of user and item), last:X
    /// for the latest by time (last:0.1 is 10 %), a file, or none.
    #[arg(long, value_name = "split|last:X|FILE|none", default_value = "none")]
    pub(super) test: String,
    /// Fit again on training and validation data together, for the number of epochs that was best.
    #[arg(long)]
    pub(super) refit: bool,
    /// Measure recommendations on the test set: precision, recall, NDCG and MAP at K, and AUC. Needs --test.
    /// Default: none, but 10 with --implicit.
    #[arg(long, value_name = "K")]
    pub(super) ranking: Option<usize>,
    /// Count test ratings of at least X as hits in --ranking. Default: every test rating is a hit.
    #[arg(long, value_name = "X")]
    pub(super) relevant: Option<f64>,
    /// Cache the parsed ratings in this folder for later runs, as a file from which each process reads only
    /// its own part. Default: in memory; with several processes, in a file that they share until the run
    /// ends.
    #[arg(long, value_name = "DIR", help_heading = ENGINE_HEADING)]
    pub(super) cache: Option<PathBuf>,
    /// Leave out users and items with fewer than N ratings, repeatedly, until all have at least N.
    #[arg(long, value_name = "N")]
    pub(super) min_count: Option<u64>,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) changes: ChangeOptions,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) train: TrainOptions,
}

impl Options {
    /// Returns the smallest number of ratings that a user and an item must have.
    pub(super) fn least(&self) -> u64 {
        self.min_count.unwrap_or(0)
    }

    /// Refuses a --min-count that leaves no ratings.
    pub(super) fn refuse_emptied(&self, ratings: usize) -> Result<(), Error> {
        match self.min_count.filter(|_| ratings == 0) {
            Some(least) => Err(Error::usage(format!(
                "--min-count {least} leaves no rating: there are no users and items that have as many of \
                 each other's; give less"
            ))),
            None => Ok(()),
        }
    }

    /// Returns what is held out for validation and for the test.
    pub(super) fn held_out(&self) -> Result<[HoldOut<'_>; 2], Error> {
        Ok([HoldOut::validation(&self.validation)?, HoldOut::test(&self.test)?])
    }

    /// Checks that the options are consistent.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.changes.check(&self.train)?;
        if self.ranking.is_some() && self.test == "none" {
            return Err(Error::usage("--ranking measures on a test set: give --test split or a file"));
        }
        if self.ranking == Some(0) {
            return Err(Error::usage("--ranking is 0: there must be at least 1"));
        }
        if let Some(least) = self.relevant {
            if !least.is_finite() {
                return Err(Error::usage(format!("--relevant is {least}: give a rating, such as 4")));
            }
            refuse_without_effect(&[("--relevant", self.ranking.is_none())], "without --ranking")?;
            let clicks = [("--relevant", self.model.implicit.is_some())];
            refuse_without_effect(&clicks, "with --implicit, where every test click is a hit")?;
        }
        if self.refit && self.validation == "none" {
            return Err(Error::usage(
                "--refit adds the validation data at the end, and there is none: leave it out",
            ));
        }
        let [validation, test] = self.held_out()?;
        let sources = [self.train.data.as_deref(), validation.file(), test.file()];
        self.reading.refuse_idle(&sources, self.train.format.as_deref())
    }
}

/// Returns the identity of a run, to which a checkpoint belongs, from the digests of the data and of the
/// model to start from. With a target the test set is measured and the first stage is short; its value only
/// decides when the run ends.
pub(super) fn identity(
    options: &Options,
    data: &str,
    init: &str,
    measured_on: &str,
) -> Result<String, Error> {
    let mut run = vec![("data", data), ("init", init), ("measured-on", measured_on)];
    // Runs without one have the identity that they had before it mattered.
    run.extend(options.model.target.map(|_| ("has-target", "yes")));
    raddle_cli::identity("mf", options, FREE, &run)
}
