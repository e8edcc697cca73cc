//! [`Loaded`]: the ratings of a source in memory, before those of a pair are merged.

use super::data::Triples;
use super::ids::Ids;
use super::matrix_market;
use super::options::RatingsOptions;
use super::precision::{Precision, Spread};
use super::raw::{Raw, Sink};
use super::text::{Lines, Missing};
use super::values::Values;
use crate::bytes::source::Source;
use crate::error::ReadError;

/// The content of a file, repeated pairs included.
#[derive(Default)]
pub(super) struct Loaded {
    /// The observations; without values if these are read in double precision.
    pub(super) triples: Triples,
    pub(super) wide: Option<Vec<f64>>,
    /// Spread of the values in single precision.
    pub(super) spread: Spread,
    pub(super) missing: Missing,
    /// Time of each observation, if requested.
    pub(super) times: Option<Vec<f64>>,
    /// `true` if a column is known to hold times.
    pub(super) dated: bool,
    pub(super) users: Ids,
    pub(super) items: Ids,
    pub(super) pairs_only: bool,
    pub(super) notes: Vec<String>,
}

/// Observations in memory.
#[derive(Default)]
struct InMemory {
    triples: Triples,
    /// Values in double precision; then the triples have none.
    wide: Vec<f64>,
    times: Vec<f64>,
}

impl Sink for InMemory {
    fn append(
        &mut self,
        users: &[u32],
        items: &[u32],
        values: &Values,
        times: &[f64],
    ) -> Result<(), ReadError> {
        self.triples.users.extend_from_slice(users);
        self.triples.items.extend_from_slice(items);
        self.times.extend_from_slice(times);
        match values {
            Values::Narrow(values, _) => self.triples.values.extend_from_slice(values),
            Values::Wide(values) => self.wide.extend_from_slice(values),
        }
        Ok(())
    }
}

impl Loaded {
    /// Reads all lines of a text.
    pub(super) fn of_text(source: &Source, options: &RatingsOptions) -> Result<Self, ReadError> {
        let lines = Lines::of(source, options)?;
        let loaded = Self::read(options, lines.taken.precision, |precision| {
            Raw::of_text(source, &lines, precision, options.threads, || Ok(InMemory::default()))
        })?;
        Ok(Self { dated: lines.layout.dated, pairs_only: lines.pairs_only(), notes: lines.notes, ..loaded })
    }

    /// Reads all entries of a matrix.
    pub(super) fn of_market(source: &Source, options: &RatingsOptions) -> Result<Self, ReadError> {
        let head = matrix_market::head(source)?;
        let loaded = Self::read(options, options.precision(head.pattern), |precision| {
            Raw::of_market(source, &head, precision, options.threads, InMemory::default())
        })?;
        Ok(Self { pairs_only: head.pattern, ..loaded })
    }

    /// Reads ratings by `read`: narrowed, until that turns out to lose too much; then again, in double
    /// precision.
    fn read(
        options: &RatingsOptions,
        mut precision: Precision,
        read: impl Fn(Precision) -> Result<Raw<InMemory>, ReadError>,
    ) -> Result<Self, ReadError> {
        let mut raw = read(precision)?;
        if options.is_read_again(&raw.spread, precision) {
            precision = Precision::Double;
            raw = read(precision)?;
        }
        let Raw { sink, spread, missing, ids: [users, items] } = raw;
        let InMemory { mut triples, mut wide, mut times } = sink;
        users.place(&mut triples.users);
        items.place(&mut triples.items);
        triples.shrink_to_fit();
        wide.shrink_to_fit();
        times.shrink_to_fit();
        Ok(Self {
            triples,
            wide: (precision == Precision::Double).then_some(wide),
            spread,
            missing,
            times: Some(times).filter(|times| !times.is_empty()),
            users: users.ids,
            items: items.ids,
            ..Self::default()
        })
    }
}
