//! [`Raw`]: the observations of a source in its order, with their ids numbered, in memory or in a file.

use super::ids::Ids;
use super::matrix_market::{self, Entries};
use super::numbers::{Numbered, Numbers};
use super::precision::{Precision, Spread};
use super::text::{Lines, Missing, RatingRows, Taken, check_count};
use super::time;
use super::values::Values;
use crate::bytes::market::MarketHead;
use crate::bytes::source::Source;
use crate::error::ReadError;

/// The place into which observations are read.
pub(super) trait Sink {
    /// Appends observations; `times` is empty if none are read.
    fn append(
        &mut self,
        users: &[u32],
        items: &[u32],
        values: &Values,
        times: &[f64],
    ) -> Result<(), ReadError>;
}

/// The observations of a source, repeated pairs included.
pub(super) struct Raw<S> {
    pub(super) sink: S,
    /// Spread of the values in single precision.
    pub(super) spread: Spread,
    pub(super) missing: Missing,
    /// The ids of users, and of items.
    pub(super) ids: [Numbered; 2],
}

impl<S: Sink> Raw<S> {
    /// Reads the lines of a text. Ids are taken for whole numbers until one is not; then the text is read
    /// again into another sink, with that column as text.
    pub(super) fn of_text(
        source: &Source,
        lines: &Lines,
        precision: Precision,
        threads: usize,
        sink: impl Fn() -> Result<S, ReadError>,
    ) -> Result<Self, ReadError> {
        let mut taken = Taken { precision, ..lines.taken };
        loop {
            let (mut sink, mut spread, mut missing) = (sink()?, Spread::default(), Missing::default());
            let (mut numbers, mut count, mut clock) = ([taken.users, taken.items].map(Numbers::new), 0, None);
            let not_whole = lines.each(source, taken, threads, |rows| {
                let RatingRows { users, items, values, times, .. } = rows;
                if clock.is_some_and(|clock| rows.clock.is_some_and(|other| other != clock)) {
                    return Err(ReadError::file(&source.path, time::MIXED));
                }
                clock = clock.or(rows.clock);
                count += values.len();
                missing.add(rows.missing);
                spread.join(&values.spread());
                sink.append(&numbers[0].number(users), &numbers[1].number(items), &values, &times)
            })?;
            match not_whole {
                Some(side) => taken.give_up(side),
                None => {
                    check_count(source, count)?;
                    return Ok(Self { sink, spread, missing, ids: numbers.map(Numbers::finish) });
                }
            }
        }
    }

    /// Reads a matrix, whose rows and columns are users and items.
    pub(super) fn of_market(
        source: &Source,
        head: &MarketHead,
        precision: Precision,
        threads: usize,
        mut sink: S,
    ) -> Result<Self, ReadError> {
        let mut spread = Spread::default();
        matrix_market::each(source, head, precision, threads, |Entries { users, items, values }| {
            spread.join(&values.spread());
            sink.append(users, items, values, &[])
        })?;
        let ids = [head.rows, head.columns].map(|count| Numbered { ids: Ids::Dense(count), rows: None });
        Ok(Self { sink, spread, missing: Missing::default(), ids })
    }
}
