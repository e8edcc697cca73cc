//! Options of the verbs that use a fitted model, and the model in use.

use std::io;
use std::path::PathBuf;

use clap::Args;
use raddle_cli::{Error, MOST_WORKERS, UseOptions, between, count};
use raddle_datasets::{Ratings, RatingsOptions};
use raddle_mf::Model;
use raddle_mf::files::Saved;

use super::data::{self, Reading};

/// A fitted model, and ratings for it.
#[derive(Debug, Args)]
pub(super) struct ModelAndData {
    /// Folder of a fitted model, written by --out.
    pub(super) model: PathBuf,
    /// The ratings.
    data: String,
    /// Format of the data, one that DATA names. Default: recognised by its content.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    #[command(flatten)]
    pub(super) reading: Reading,
}

impl ModelAndData {
    /// Returns how to read the ratings, less the offset of the model.
    pub(super) fn options(&self, saved: &Saved) -> Result<RatingsOptions, Error> {
        self.reading.refuse_idle(&[Some(&self.data)], self.format.as_deref())?;
        let options = self.reading.options(self.format.as_deref(), 1)?;
        Ok(RatingsOptions { offset: Some(saved.about.offset), ..options })
    }

    /// Reads the ratings.
    pub(super) fn read(&self, options: &RatingsOptions) -> Result<Ratings, Error> {
        data::read(Some(&self.data), options)
    }
}

/// The output of lists, and the number of threads that find them.
#[derive(Debug, Args)]
pub(super) struct ListOutput {
    /// Number of worker threads. Default: the number of cores.
    #[arg(short, long, value_name = "N", value_parser = between::<1, MOST_WORKERS>)]
    workers: Option<usize>,
    /// Write the lists to this file. Default: stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) uses: UseOptions,
}

impl ListOutput {
    /// Returns the number of threads to search on: the number given, else that of the cores.
    pub(super) fn workers(&self) -> usize {
        #[allow(
            clippy::disallowed_methods,
            reason = "nothing is trained: results are the same on any number"
        )]
        self.workers.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }
}

/// Refuses lists of no rows.
pub(super) fn refuse_empty_lists(top: usize) -> Result<(), Error> {
    match top {
        0 => Err(Error::usage("--top is 0: there must be at least 1")),
        _ => Ok(()),
    }
}

/// Returns the error for a stdout that cannot be written.
pub(super) fn unwritten(why: io::Error) -> Error {
    Error::failed(format!("cannot write to stdout: {why}"))
}

/// Notes on users who get the generally popular items.
pub(super) fn notes_on_unlearned(model: &Model, unknown: usize, unlearned: usize) -> Vec<String> {
    let what = match model.stand_in().is_mean_user() {
        true => "the generally popular items, by the scores of the mean user",
        false => "the generally popular items, by the mean and the biases of the items",
    };
    let groups = [
        (unknown, "that the model does not have"),
        (unlearned, "of whom nothing was learned, as none of their ratings was trained on"),
    ];
    let of = |(number, why): (usize, &str)| {
        (number > 0).then(|| format!("{} {why}: {what}", count(number as u64, "user")))
    };
    groups.into_iter().filter_map(of).collect()
}
