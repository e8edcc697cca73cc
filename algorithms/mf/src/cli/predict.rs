//! `mf predict`.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use raddle_cli::{Error, ExitStatus, Records, UseOptions, count, number, write_atomic};
use raddle_common::to_stdout;
use raddle_datasets::{Field, Ids, Ratings, RatingsOptions};
use raddle_mf::files::Saved;
use serde::{Serialize, Serializer};

use super::data;
use super::usage::{ModelAndData, unwritten};

/// The options of `mf predict`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("data", |arg| arg.help(format!("{}. A column of ratings is not needed", data::known("Pairs to \
    predict")))))]
pub(crate) struct Options {
    /// Write the predictions to this file. Its lines are `user item prediction`, separated by tabs, with ids
    /// quoted as in CSV. Default: stdout.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    uses: UseOptions,
    #[command(flatten)]
    given: ModelAndData,
}

const EXAMPLES: &str = "Examples:
  mf fit synth:ratings:users=500,items=200,n=20000 --out run
  mf predict run synth:ratings:users=500,items=200,n=20000

If the model lacks the user or the item of a pair, the prediction is the mean plus the bias of the other one; if it \
lacks both, the mean. Without biases (--implicit, --no-biases), a user about whom nothing was learned gets the \
scores of the mean user. Every line of the data has a prediction, unless --duplicates merges the lines of a pair. A \
model of implicit feedback predicts scores: near 1 for items that a user is likely to choose, near 0 for the rest.";

/// Predicts each pair. If the data have ratings, the error is printed: on stdout if the predictions go to a
/// file, else on stderr.
pub(crate) fn predict(options: &Options) -> Result<ExitStatus, Error> {
    let Options { given, out, uses } = options;
    let saved = Saved::open_without_seen(&given.model)?;
    let options = given.options(&saved)?;
    let ratings = given.read(&RatingsOptions {
        // One observation per line; those of a pair are merged only if a rule is given.
        keep_repeated: options.duplicates.is_none(),
        offset: options.offset.filter(|&offset| offset != 0.0),
        ..options
    })?;
    let found = Predictions::of(&saved, &ratings, given.reading.notes(&ratings));
    let said = found.summary();
    match out {
        Some(file) => {
            write_atomic(file, |out| found.lines(out))?;
            uses.say(&said, &Found { predictions: None, ..found.found() })?;
        }
        None if uses.json => uses.say("", &found.found())?,
        None => {
            to_stdout(|out| found.lines(out)).map_err(unwritten)?;
            uses.note(&said);
        }
    }
    Ok(ExitStatus::Done)
}

/// A prediction for each pair of the data.
struct Predictions<'a> {
    ratings: &'a Ratings,
    /// Notes on how the pairs were read, one per line.
    notes: String,
    values: Vec<f64>,
    /// Number of pairs with a user or item that the model does not have.
    unknown: u64,
    /// Number of pairs of a user of whom nothing was learned, which get the scores of the mean user.
    stood_in: u64,
    /// Root mean squared and mean absolute error, if there are ratings.
    errors: Option<(f64, f64)>,
}

impl<'a> Predictions<'a> {
    fn of(saved: &Saved, ratings: &'a Ratings, notes: String) -> Self {
        let rows = |mine: &Ids, theirs: &Ids| mine.index().rows_of(theirs);
        let (users, items) =
            (rows(&saved.about.users, &ratings.users), rows(&saved.about.items, &ratings.items));
        let (mut squares, mut sizes, mut unknown) = (0.0, 0.0, 0);
        let (stand_in, mut stood_in) = (saved.model.stand_in(), 0);
        let mut values = Vec::with_capacity(ratings.triples.len());
        for (user, item, value) in ratings.triples.iter() {
            let (user, item) = (users[user as usize], items[item as usize]);
            unknown += u64::from(user.is_none() || item.is_none());
            let (user, item) = (user.unwrap_or(u32::MAX), item.unwrap_or(u32::MAX));
            stood_in += u64::from(stand_in.is_mean_user() && !saved.model.knows_user(user));
            let prediction = saved.model.predict_with(user, item, &stand_in);
            let error = f64::from(value) + ratings.offset - prediction;
            (squares, sizes) = (squares + error * error, sizes + error.abs());
            values.push(prediction);
        }
        let number = values.len() as f64;
        // Clicks are not numbers to be predicted.
        let has_ratings = !ratings.pairs_only && saved.about.implicit.is_none();
        let errors = has_ratings.then(|| ((squares / number).sqrt(), sizes / number));
        Self { ratings, notes, values, unknown, stood_in, errors }
    }

    /// Returns each pair with its prediction.
    fn pairs(&self) -> impl Iterator<Item = (String, String, f64)> {
        let Ratings { users, items, triples, .. } = self.ratings;
        let names = |(user, item, _): (u32, u32, f32)| (users.name(user as usize), items.name(item as usize));
        let pairs = triples.iter().map(names).zip(&self.values);
        pairs.map(|((user, item), &prediction)| (user, item, prediction))
    }

    fn lines(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        self.pairs().try_for_each(|(user, item, prediction)| {
            writeln!(out, "{}\t{}\t{prediction}", Field(&user), Field(&item))
        })
    }

    fn summary(&self) -> String {
        let mut said = self.notes.clone() + &count(self.values.len() as u64, "prediction");
        if let Some((rmse, mae)) = self.errors {
            said += &format!(", rmse {}, mae {}", number(rmse), number(mae));
        }
        if self.unknown > 0 {
            said +=
                &format!("; {} of a user or item that the model does not have", count(self.unknown, "pair"));
        }
        if self.stood_in > 0 {
            let pairs = count(self.stood_in, "pair");
            said += &format!("; {pairs} of a user of whom nothing was learned: scores of the mean user");
        }
        said
    }

    fn found(&self) -> Found<'_> {
        let errors = self.errors.unzip();
        let Ratings { duplicates, records, .. } = self.ratings;
        Found {
            records: Records::new(records.read, records.left_out.clone()),
            notes: self.notes.lines().collect(),
            pairs: self.values.len(),
            unknown_pairs: self.unknown,
            mean_user_pairs: self.stood_in,
            duplicates: *duplicates,
            rmse: errors.0,
            mae: errors.1,
            predictions: Some(Listed(self)),
        }
    }
}

/// Output of `--json`.
#[derive(Serialize)]
struct Found<'a> {
    records: Records,
    notes: Vec<&'a str>,
    pairs: usize,
    unknown_pairs: u64,
    mean_user_pairs: u64,
    duplicates: usize,
    rmse: Option<f64>,
    mae: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    predictions: Option<Listed<'a>>,
}

struct Listed<'a>(&'a Predictions<'a>);

impl Serialize for Listed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Pair {
            user: String,
            item: String,
            prediction: f64,
        }
        serializer.collect_seq(self.0.pairs().map(|(user, item, prediction)| Pair { user, item, prediction }))
    }
}
