//! Reading the ratings that a command line names.

use clap::Args;
use raddle::cli::{Data, Error};
use raddle_datasets::ratings::generate;
use raddle_datasets::{Duplicates, Ids, Ratings, RatingsOptions, Triples, read_any_ratings, registry};
use serde::Serialize;

/// The default data.
pub(crate) const DEFAULT: &str = "synth:ratings:users=800,items=400,n=48000,rank=4,noise=0.5,signal=0.8";

/// What DATA may be, for the help.
pub(crate) fn known() -> String {
    let names = registry::RATINGS.each_ref().map(|entry| entry.name).join(", ");
    format!(
        "a file (csv, tsv, MovieLens `::`, LIBMF text or mtx, gzip or not); a public set by name, read from the folder \
         RADDLE_DATA ({names}); or ratings to generate, such as synth:ratings:users=500,items=200,n=20000"
    )
}

/// What DATA of training may be.
pub(crate) fn known_or_default() -> String {
    format!("The ratings: {}. Generated ones with a known truth if none are given", known())
}

/// How ratings are read.
#[derive(Debug, Clone, Args, Serialize)]
pub(crate) struct Reading {
    /// The columns of user, item and rating: names of the header, or numbers from 1.
    #[arg(long, value_name = "USER,ITEM[,RATING]", value_delimiter = ',')]
    columns: Option<Vec<String>>,
    /// What counts where a user rates an item again: last, first, sum, mean, or refuse.
    #[arg(long, value_name = "RULE", default_value = "last", value_parser = str::parse::<Duplicates>)]
    #[serde(serialize_with = "as_text")]
    duplicates: Duplicates,
}

fn as_text<S: serde::Serializer>(rule: &Duplicates, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(rule)
}

impl Reading {
    /// How to read with so many threads.
    pub(crate) fn options(&self, format: Option<&str>, threads: usize) -> Result<RatingsOptions, Error> {
        let format =
            format.map(str::parse).transpose().map_err(|why| Error::usage(format!("--format: {why}")))?;
        let (columns, duplicates) = (self.columns.clone(), self.duplicates);
        Ok(RatingsOptions { format, columns, duplicates, threads, ..RatingsOptions::default() })
    }

    /// Reads DATA, or the default.
    pub(crate) fn read(
        &self,
        source: Option<&str>,
        format: Option<&str>,
        threads: usize,
    ) -> Result<Ratings, Error> {
        read_any_ratings(source.unwrap_or(DEFAULT), &self.options(format, threads)?).map_err(Error::input)
    }
}

/// The observations of other data by the rows that these users and items have; what they do not have is left out.
pub(crate) fn in_rows_of(other: &Ratings, users: &Ids, items: &Ids) -> Triples {
    let user_rows = users.index().rows_of(&other.users);
    let item_rows = items.index().rows_of(&other.items);
    let place = |(user, item, value): (u32, u32, f32)| {
        Some((user_rows[user as usize]?, item_rows[item as usize]?, value))
    };
    other.triples.iter().filter_map(place).collect()
}

/// Whether the ratings are generated, so that their truth is known.
pub(crate) fn is_generated(source: Option<&str>) -> bool {
    source.is_none_or(|source| source.starts_with("synth:"))
}

/// The error of the truth on these ratings, where it is known.
pub(crate) fn known_error(source: Option<&str>, triples: &Triples) -> Option<f64> {
    let made = generate::ratings(source.unwrap_or(DEFAULT)).ok()?;
    (!triples.is_empty()).then(|| made.truth.rmse(triples))
}

/// What the report says of the data.
pub(crate) fn describe(ratings: &Ratings) -> Data {
    let sizes = [
        ("users", ratings.users.len()),
        ("items", ratings.items.len()),
        ("ratings", ratings.triples.len()),
        ("duplicates", ratings.duplicates),
    ];
    Data {
        path: ratings.path.as_ref().map_or_else(|| ratings.name.clone(), |path| path.display().to_string()),
        sizes: sizes.into_iter().map(|(name, size)| (name.to_owned(), size as u64)).collect(),
        nonzeros: ratings.triples.len() as u64,
        digest: ratings.digest.clone(),
    }
}
