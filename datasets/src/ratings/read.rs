//! Reads ratings from files of any format.

use std::path::Path;

use super::data::{Ratings, Triples};
use super::duplicates::{self, Observations, merge};
use super::loaded::Loaded;
use super::options::{RatingsFormat, RatingsOptions};
use super::precision::{Spread, narrowed};
use crate::bytes::foreign::{foreign, is_json, json};
use crate::bytes::market;
use crate::bytes::source::{Source, stem};
use crate::error::ReadError;

/// Reads a file of any known format, compressed with gzip or zstd or not; `-` is standard input.
///
/// # Errors
/// If a line is not a rating (the error names the file and the line), the file has none, or a pair repeats
/// and the rule refuses that.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("small.csv");
/// use raddle_datasets::{RatingsOptions, read_ratings};
/// std::fs::write(&path, "userId,movieId,rating\nanna,Alien,5\nanna,Up,3.5\nben,Up,4\n")?;
/// let data = read_ratings(&path, &RatingsOptions::default())?;
/// assert_eq!((data.users.name(1), data.items.name(0)), ("ben".into(), "Alien".into()));
/// assert_eq!(data.triples.values, [5.0, 3.5, 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_ratings(path: impl AsRef<Path>, options: &RatingsOptions) -> Result<Ratings, ReadError> {
    let source = options.dialect.open(path.as_ref())?;
    let format = format_of(&source, options)?;
    read_source(source, format, options)
}

/// Returns the format in options, or recognises it from the content.
pub(crate) fn format_of(source: &Source, options: &RatingsOptions) -> Result<RatingsFormat, ReadError> {
    let beginning = source.beginning(1 << 12)?;
    let is_parquet = beginning.starts_with(b"PAR1");
    if let Some(why) = foreign(&beginning).filter(|_| !(is_parquet && cfg!(feature = "parquet"))) {
        return Err(ReadError::file(&source.path, why));
    }
    let refuse = |why: String| Err(ReadError::file(&source.path, why));
    let format = match options.format {
        Some(format) => format,
        None if beginning.starts_with(market::MAGIC) => RatingsFormat::MatrixMarket,
        None if is_parquet => RatingsFormat::Parquet,
        None if is_json(&beginning) => return refuse(json("ratings", &beginning)),
        None => RatingsFormat::Text,
    };
    options.dialect.fault_of(format, format == RatingsFormat::Text).map_or(Ok(format), refuse)
}

/// Reads a file that is open.
pub(super) fn read_source(
    source: Source,
    format: RatingsFormat,
    options: &RatingsOptions,
) -> Result<Ratings, ReadError> {
    #[cfg(feature = "parquet")]
    if format == RatingsFormat::Parquet {
        let (text, options) = super::parquet::as_text(&source, options)?;
        return whole(source.with_text(text), format, &options);
    }
    whole(source, format, options)
}

fn load(source: &Source, format: RatingsFormat, options: &RatingsOptions) -> Result<Loaded, ReadError> {
    let mut loaded = match format {
        RatingsFormat::Text => Loaded::of_text(source, options)?,
        RatingsFormat::MatrixMarket => Loaded::of_market(source, options)?,
        RatingsFormat::Parquet if cfg!(feature = "parquet") => {
            // A Parquet file always has names, so the notes on them are dropped.
            Loaded { notes: Vec::new(), ..Loaded::of_text(source, options)? }
        }
        RatingsFormat::Parquet => {
            return Err(ReadError::file(&source.path, "this is no Parquet that this build reads"));
        }
    };
    if let Some(days) = options.half_life {
        loaded.age(days);
    }
    Ok(loaded)
}

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Note that first and last are by time.
pub(super) const BY_TIME: &str = "for a pair that is rated again, first and last are by time";

/// Note that first and last cannot be by time.
pub(super) fn not_by_time(why: &str) -> String {
    format!(
        "for a pair that is rated again, first and last are by the order of the file, as its times cannot be \
         read: {why}"
    )
}

impl Loaded {
    /// Merges the observations of each pair, unless all are kept; returns how many disappeared.
    fn merge(&mut self, source: &Source, options: &RatingsOptions) -> Result<usize, ReadError> {
        if options.keep_repeated {
            return Ok(0);
        }
        let Self {
            triples: Triples { users: rows, items: columns, values }, wide, times, users, items, ..
        } = self;
        let (times, rule) = (times.as_mut(), options.rule(self.pairs_only));
        let (user_count, item_count) = (users.len(), items.len());
        let merged = match wide {
            Some(values) => merge(
                Observations { users: rows, items: columns, values, times },
                user_count,
                item_count,
                rule,
            ),
            None => merge(
                Observations { users: rows, items: columns, values, times },
                user_count,
                item_count,
                rule,
            ),
        };
        merged.map_err(|duplicates::Refused(at)| {
            let (user, item) = (users.name(rows[at] as usize), items.name(columns[at] as usize));
            duplicates::refused(&source.path, &user, &item, at)
        })
    }

    /// Returns `true` if ratings that were narrowed and merged must be read again in double precision.
    fn is_merged_again(&self, options: &RatingsOptions) -> bool {
        let left = || Spread::of(self.triples.values.iter().copied().map(f64::from), 0.0);
        self.wide.is_none() && options.is_merged_again(&self.spread, &left())
    }

    /// Multiplies each observation by 1/2 to the power of its age over this number of days.
    fn age(&mut self, days: f64) {
        let (Some(times), Some(values)) = (&self.times, &mut self.wide) else { return };
        let latest = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (value, time) in values.iter_mut().zip(times) {
            *value *= libm::exp2((time - latest) / (days * DAY));
        }
    }

    /// Sorts the observations of each pair by time, if there are times.
    fn by_time(&mut self) {
        let Triples { users, items, values } = &mut self.triples;
        match (&mut self.times, &mut self.wide) {
            (Some(times), Some(wide)) => duplicates::by_time(users, items, wide, times),
            (Some(times), None) => duplicates::by_time(users, items, values, times),
            (None, _) => {}
        }
    }

    /// Narrows ratings in double precision; returns the number subtracted, and the exact ratings if they are
    /// kept.
    fn narrow(&mut self, options: &RatingsOptions) -> (f64, Option<Vec<f64>>) {
        let Some(wide) = self.wide.take() else {
            self.notes.extend(self.spread.notes(0.0));
            return (0.0, None);
        };
        let (values, offset, notes) = narrowed(&wide, options.offset);
        self.triples.values = values;
        // If exact ratings are kept, the caller narrows them and adds the notes.
        self.notes.extend(notes.into_iter().filter(|_| !options.keeps_exact));
        (offset, Some(wide).filter(|_| options.keeps_exact))
    }
}

/// Reads the ratings of a source in a known format.
fn whole(source: Source, format: RatingsFormat, options: &RatingsOptions) -> Result<Ratings, ReadError> {
    if options.times && format == RatingsFormat::MatrixMarket {
        return Err(ReadError::file(&source.path, format!("{format} has no times: give the ratings as csv")));
    }
    let mut loaded = load(&source, format, options)?;
    let are_times_asked_for = loaded.times.is_some();
    let mut duplicates = loaded.merge(&source, options)?;
    let rule = options.rule(loaded.pairs_only);
    if duplicates > 0 && rule.asks_when() {
        if loaded.dated && loaded.times.is_none() {
            match load(&source, format, &RatingsOptions { times: true, ..options.clone() }) {
                Ok(again) => {
                    loaded = again;
                    duplicates = loaded.merge(&source, options)?;
                }
                Err(why) => loaded.notes.push(not_by_time(&why.to_string())),
            }
        }
        if loaded.times.is_some() {
            loaded.notes.push(BY_TIME.into());
        }
    }
    if duplicates > 0 && loaded.is_merged_again(options) {
        let times = loaded.times.is_some();
        let wide = RatingsOptions { times, keeps_exact: true, ..options.clone() };
        let notes = std::mem::take(&mut loaded.notes);
        loaded = Loaded { notes, ..load(&source, format, &wide)? };
        duplicates = loaded.merge(&source, options)?;
    }
    if options.keep_repeated && loaded.dated {
        loaded.by_time();
    }
    let (offset, exact) = loaded.narrow(options);
    let Loaded { triples, times, users, items, pairs_only, notes, missing, .. } = loaded;
    let times = times.filter(|_| are_times_asked_for);
    let mut records = rule.records(triples.len(), duplicates);
    missing.count(&mut records);
    Ok(Ratings {
        name: stem(&source.path),
        triples,
        offset,
        exact,
        times,
        users,
        items,
        pairs_only,
        duplicates,
        digest: source.digest(),
        path: Some(source.path.clone()),
        format: format.to_string(),
        records,
        notes,
    })
}
