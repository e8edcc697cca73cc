//! Reading of the ratings that a command line names.

use std::fmt::{Display, Formatter};
use std::sync::Arc;

use clap::Args;
use raddle_cli::{Data, Error, Records, count, refuse_without_effect};
use raddle_common::DialectArgs;
use raddle_datasets::ratings::generate;
use raddle_datasets::registry::{self, SetKind};
use raddle_datasets::{Duplicates, Ids, Ratings, RatingsOptions, Triples, read_any_ratings};
use raddle_mf::RatingsSource;
use raddle_mf::files::Saved;
use serde::Serialize;

use super::ids::JoinedIds;

/// The default data.
pub(crate) const DEFAULT: &str = "synth:ratings:users=800,items=400,n=48000,rank=4,noise=0.5,signal=0.8";

/// Returns the help text of DATA, which is this kind of data.
pub(crate) fn known(kind: &str) -> String {
    let names = registry::verified_names(SetKind::Ratings);
    format!(
        "{kind}: a file, - for stdin, or the name of a dataset. Formats: text (csv, tsv, \
         movielens with `::`, libmf, Netflix Prize) and mtx; gzip and zstd are unpacked. Datasets in the data \
         folder (see `raddle data`): {names}, or any that `raddle data fetch` has fetched; names such as \
         synth:ratings:users=500,items=200,n=20000 are generated (see `raddle data generate`)"
    )
}

/// Returns the help text of DATA for training.
pub(crate) fn known_or_default() -> String {
    format!("{}. Default: generated ratings, whose true factors are known", known("Ratings"))
}

/// Options for reading ratings.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Options of the data")]
pub(crate) struct Reading {
    /// Columns of user, item, rating and time: names in the header, or indices from 1. Times are seconds, or
    /// dates as in ISO 8601. Default: recognised, and shown in a note.
    #[arg(long, value_name = "USER,ITEM[,RATING[,TIME]]", value_delimiter = ',')]
    columns: Option<Vec<String>>,
    /// Rule for several ratings of an item by a user. Give last or first (by time, if a column has times,
    /// else by line), sum, mean, or refuse. Default: last; sum if there are no ratings, as each line is then
    /// an event.
    #[arg(long, value_name = "RULE", value_parser = str::parse::<Duplicates>)]
    #[serde(serialize_with = "as_text")]
    duplicates: Option<Duplicates>,
    /// Treatment of lines with a missing rating or id: refuse, or drop (leave them out, with a note).
    #[arg(long, value_name = "RULE", default_value = "refuse", value_parser = ["refuse", "drop"], hide_possible_values = true)]
    missing: String,
    #[command(flatten)]
    #[serde(flatten)]
    dialect: DialectArgs,
}

fn as_text<T: Display, S: serde::Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(T::to_string).serialize(serializer)
}

impl Reading {
    /// Returns how to read a format with this number of threads.
    pub(crate) fn options(&self, format: Option<&str>, threads: usize) -> Result<RatingsOptions, Error> {
        let format =
            format.map(str::parse).transpose().map_err(|why| Error::usage(format!("--format: {why}")))?;
        Ok(RatingsOptions {
            format,
            columns: self.columns.clone(),
            duplicates: self.duplicates,
            drops_missing: self.missing == "drop",
            dialect: self.dialect.dialect(),
            threads,
            ..RatingsOptions::default()
        })
    }

    /// Returns the rule for several ratings of a pair.
    pub(crate) fn rule(&self, pairs_only: bool) -> Duplicates {
        Duplicates::or_usual(self.duplicates, pairs_only)
    }

    /// Notes on how ratings were read, one per line: those of the reader, and one on merged duplicates.
    pub(crate) fn notes(&self, ratings: &Ratings) -> String {
        let mut said: String = ratings.notes.iter().map(|note| format!("{note}\n")).collect();
        let what = match self.rule(ratings.pairs_only) {
            Duplicates::Sum if self.duplicates.is_none() => {
                "added to the first of their pair, as there are no ratings: how often it occurs counts"
            }
            Duplicates::First => "dropped: the first of a pair counts",
            Duplicates::Sum => "added to the first of their pair",
            Duplicates::Mean => "merged: the mean of a pair counts",
            Duplicates::Last | Duplicates::Refuse => "merged: the last of a pair counts",
        };
        if ratings.duplicates > 0 {
            said +=
                &format!("{} {what} (--duplicates)\n", count(ratings.duplicates as u64, "repeated rating"));
        }
        for (reason, what) in [("missing rating", "a rating"), ("missing id", "an id")] {
            if let Some(&number) = ratings.records.left_out.get(reason) {
                said += &format!("{} without {what} left out (--missing)\n", count(number, "line"));
            }
        }
        said
    }

    /// Returns the options for reading, each with whether it was given.
    pub(crate) fn given(&self, format: Option<&str>) -> Vec<(&'static str, bool)> {
        let mut given = vec![
            ("--format", format.is_some()),
            ("--columns", self.columns.is_some()),
            ("--duplicates", self.duplicates.is_some()),
            ("--missing", self.missing != "refuse"),
        ];
        given.extend(self.dialect.dialect().given());
        given
    }

    /// Refuses options for reading if none of these sources is a file: generated ratings and public sets are
    /// not read by them.
    pub(crate) fn refuse_idle(&self, sources: &[Option<&str>], format: Option<&str>) -> Result<(), Error> {
        let is_known = |source: &str| registry::verified_set(SetKind::Ratings, source).is_some();
        let is_file = |source: &&str| !source.starts_with("synth:") && !is_known(source);
        if sources.iter().flatten().any(is_file) {
            return Ok(());
        }
        refuse_without_effect(&self.given(format), "on generated ratings and public sets")
    }

    /// Reads DATA, or the default, in double precision and with all ratings of a pair, unless repeated
    /// ratings are refused.
    pub(crate) fn read_repeated(
        &self,
        source: Option<&str>,
        format: Option<&str>,
        threads: usize,
    ) -> Result<Ratings, Error> {
        let keep_repeated = self.duplicates != Some(Duplicates::Refuse);
        let options = RatingsOptions { keep_repeated, keeps_exact: true, ..self.options(format, threads)? };
        // Ordered by time, if there are times; standard input can be read only once.
        let dated = RatingsOptions { times: true, ..options.clone() };
        let in_order = (keep_repeated && source != Some("-")).then(|| read(source, &dated));
        match in_order {
            Some(Ok(ratings)) => Ok(Ratings { times: None, ..ratings }),
            _ => read(source, &options),
        }
    }
}

/// Reads DATA, or the default.
pub(crate) fn read(source: Option<&str>, options: &RatingsOptions) -> Result<Ratings, Error> {
    read_any_ratings(source.unwrap_or(DEFAULT), options).map_err(Error::input)
}

/// Converts the observations of other data to the rows of these users and items; observations of others are
/// left out.
pub(crate) fn in_rows_of(other: &Ratings, users: &Ids, items: &Ids) -> Triples {
    let user_rows = users.index().rows_of(&other.users);
    let item_rows = items.index().rows_of(&other.items);
    let place = |(user, item, value): (u32, u32, f32)| {
        Some((user_rows[user as usize]?, item_rows[item as usize]?, value))
    };
    other.triples.iter().filter_map(place).collect()
}

/// Numbers of rows that only the data or only the model to start from has.
#[derive(Debug)]
pub(crate) struct StartRows {
    /// Users and items of the model that the data do not name: their rows stay unchanged.
    pub(crate) kept: [usize; 2],
    /// Users and items of the data that the model does not have.
    pub(crate) new: [usize; 2],
}

impl StartRows {
    /// Renumbers the ratings of `source` by the rows of the model, and adds the data's other users and items
    /// after them. Ratings in a file keep their numbers: no model starts a fit of them.
    pub(crate) fn behind(start: &Saved, ratings: &mut Ratings, source: &mut RatingsSource) -> Self {
        let (users, items) = (
            JoinedIds::new(&start.about.users, &ratings.users),
            JoinedIds::new(&start.about.items, &ratings.items),
        );
        if let RatingsSource::Memory(triples, _) = source {
            let triples = Arc::make_mut(triples);
            for (column, joined) in [(&mut triples.users, &users), (&mut triples.items, &items)] {
                column.iter_mut().for_each(|row| *row = joined.rows[*row as usize]);
            }
        }
        let (kept, new) = ([users.kept, items.kept], [users.new, items.new]);
        (ratings.users, ratings.items) = (users.ids, items.ids);
        Self { kept, new }
    }
}

impl Display for StartRows {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        let both = |[users, items]: [usize; 2]| {
            format!("{} and {}", count(users as u64, "user"), count(items as u64, "item"))
        };
        writeln!(
            to,
            "from the model: {} that the data lacks are kept; {} are new",
            both(self.kept),
            both(self.new)
        )
    }
}

/// `true` for generated ratings, whose truth is known.
pub(crate) fn is_generated(source: Option<&str>) -> bool {
    source.is_none_or(|source| source.starts_with("synth:"))
}

/// Returns the error of the truth on these ratings, if it is known.
pub(crate) fn known_error(source: Option<&str>, triples: &Triples) -> Option<f64> {
    let truth = generate::truth(source.unwrap_or(DEFAULT)).ok()?;
    (!triples.is_empty()).then(|| truth.rmse(triples))
}

/// The report's entry for the data.
pub(crate) fn describe(ratings: &Ratings, count: usize) -> Data {
    let sizes = [
        ("users", ratings.users.len()),
        ("items", ratings.items.len()),
        ("ratings", count),
        ("duplicates", ratings.duplicates),
    ];
    let mut records = Records::new(ratings.records.read, ratings.records.left_out.clone());
    records.leave_out("fewer ratings than --min-count", records.used.saturating_sub(count as u64));
    Data {
        path: ratings.path.as_ref().map_or_else(|| ratings.name.clone(), |path| path.display().to_string()),
        sizes: sizes.into_iter().map(|(name, size)| (name.to_owned(), size as u64)).collect(),
        nonzeros: count as u64,
        digest: ratings.digest.clone(),
        format: ratings.format.clone(),
        records,
        notes: Vec::new(),
    }
}
