//! Converts a file of any format to a file of pieces. Text goes through a raw file, in which pairs may
//! repeat.

use std::path::{Path, PathBuf};

use super::layout::{Filling, ITEMS, RatingsFacts, TIMES, USERS, VALUES, WIDE};
use super::repeated::{self, Repeated};
use crate::arrays::pieces::{PIECE, Pieces, PiecesWriter, RemovedOnDrop};
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::ratings::duplicates::{self, Duplicates};
use crate::ratings::numbers::Numbered;
use crate::ratings::precision::{Precision, Spread, SpreadSums, offset};
use crate::ratings::raw::{Raw, Sink};
use crate::ratings::read::{BY_TIME, not_by_time, read_source};
use crate::ratings::text::{Lines, Missing};
use crate::ratings::values::Values;
use crate::ratings::{Ratings, RatingsFormat, RatingsOptions, Triples, matrix_market};

/// A file that is being converted.
#[derive(Clone, Copy)]
struct Conversion<'a> {
    source: &'a Source,
    options: &'a RatingsOptions,
    /// The file of pieces.
    path: &'a Path,
}

/// Writes to the file what [`read_ratings`](crate::read_ratings) would hold in memory. Parquet is read into
/// memory first.
pub(crate) fn write(
    source: Source,
    format: RatingsFormat,
    options: &RatingsOptions,
    path: &Path,
) -> Result<(Pieces, RatingsFacts), ReadError> {
    let conversion = Conversion { source: &source, options, path };
    let (raw, described) = match format {
        RatingsFormat::Text => conversion.text()?,
        RatingsFormat::MatrixMarket if !options.times => conversion.market()?,
        RatingsFormat::MatrixMarket | RatingsFormat::Parquet => {
            let ratings = read_source(source, format, options)?;
            let mut out = Filling::create(path)?;
            out.push(&ratings.triples, ratings.times.as_deref())?;
            return out.finish(&ratings, ratings.times.is_some());
        }
    };
    conversion.merged(raw, described)
}

impl Conversion<'_> {
    fn text(self) -> Result<(RawFile, Ratings), ReadError> {
        let (mut raw, mut lines) = self.raw_text("raw")?;
        if raw.repeated.number > 0 && self.options.rule(lines.pairs_only()).asks_when() {
            // The last observation is the latest: the source is read again with its times.
            if lines.is_dated() {
                let options = &RatingsOptions { times: true, ..self.options.clone() };
                match (Conversion { source: self.source, options, path: self.path }).raw_text("timed") {
                    Ok(again) => (raw, lines) = again,
                    Err(why) => lines.notes.push(not_by_time(&why.to_string())),
                }
            }
            if lines.has_times() {
                lines.notes.push(BY_TIME.into());
            }
        }
        let (pairs_only, format) = (lines.pairs_only(), RatingsFormat::Text.to_string());
        Ok((raw, Ratings { pairs_only, format, notes: lines.notes, ..Ratings::default() }))
    }

    /// Reads a text into a raw file.
    fn raw_text(self, ending: &str) -> Result<(RawFile, Lines), ReadError> {
        let Self { source, options, .. } = self;
        let lines = Lines::of(source, options)?;
        let raw = self.raw(ending, lines.pairs_only(), |place, precision| {
            Raw::of_text(source, &lines, precision, options.threads, || raw_file(place))
        })?;
        Ok((raw, lines))
    }

    /// Reads a matrix, whose rows and columns are users and items.
    fn market(self) -> Result<(RawFile, Ratings), ReadError> {
        let Self { source, options, .. } = self;
        let head = matrix_market::head(source)?;
        let raw = self.raw("raw", head.pattern, |place, precision| {
            Raw::of_market(source, &head, precision, options.threads, raw_file(place)?)
        })?;
        let format = RatingsFormat::MatrixMarket.to_string();
        Ok((raw, Ratings { pairs_only: head.pattern, format, ..Ratings::default() }))
    }

    /// Makes a temporary file next to the file of pieces. `fill` writes the ratings to it, in the
    /// precision it gets; it runs again with double precision if single does not distinguish them.
    fn raw(
        self,
        ending: &str,
        pairs_only: bool,
        fill: impl Fn(&Path, Precision) -> Result<Raw<PiecesWriter>, ReadError>,
    ) -> Result<RawFile, ReadError> {
        let place = PathBuf::from(format!("{}.{}.{ending}", self.path.display(), std::process::id()));
        let (removed, mut precision) = (RemovedOnDrop(place), self.options.precision(pairs_only));
        loop {
            let Raw { sink, spread, missing, ids } = fill(&removed.0, precision)?;
            let pieces = sink.finish(&())?;
            if !self.options.is_read_again(&spread, precision) {
                let repeated = Repeated::of(&pieces, self.options, pairs_only)?;
                // Ratings that were narrowed may not be exact enough without those that are merged away.
                if repeated.number == 0
                    || pieces.count(WIDE) > 0
                    || !self.options.is_merged_again(&spread, &spread_of_left(&pieces, &repeated, 0.0)?)
                {
                    return Ok(RawFile { pieces, _removed: removed, repeated, spread, missing, ids });
                }
            }
            precision = Precision::Double;
        }
    }

    /// Merges the ratings of a raw file.
    fn merged(self, raw: RawFile, mut described: Ratings) -> Result<(Pieces, RatingsFacts), ReadError> {
        let RawFile { pieces, repeated, spread, missing, ids: [users, items], _removed } = raw;
        let rule = self.options.rule(described.pairs_only);
        if let Some(at) = repeated.first.filter(|_| rule == Duplicates::Refuse) {
            let name = |array, of: &Numbered| -> Result<String, ReadError> {
                Ok(of.ids.name(of.row(pieces.read(array, at..at + 1)?[0]) as usize))
            };
            let (user, item) = (name(USERS, &users)?, name(ITEMS, &items)?);
            return Err(duplicates::refused(&self.source.path, &user, &item, at));
        }
        let (offset, notes) = match pieces.count(WIDE) {
            0 => (0.0, spread.notes(0.0)),
            // As for ratings in memory, only those that are left matter.
            _ => offset(self.options.offset, |less| spread_of_left(&pieces, &repeated, less))?,
        };
        described.notes.extend(notes);
        let (mut out, count) = (Filling::create(self.path)?, pieces.count(USERS));
        for piece in 0..count.div_ceil(PIECE) {
            let (rated_by, rated) = (pieces.piece(USERS, piece)?, pieces.piece(ITEMS, piece)?);
            let values = repeated::values(&pieces, piece)?;
            let times = self.options.times.then(|| pieces.piece(TIMES, piece)).transpose()?;
            let (mut triples, mut kept_times) = (Triples::with_capacity(rated.len()), Vec::new());
            for (place, (&user, &item)) in rated_by.iter().zip(&rated).enumerate() {
                let at = piece * PIECE + place;
                if repeated.is_gone(at) {
                    continue;
                }
                let merged = repeated.merged(at);
                let value = merged.map_or(values[place], |merged| merged.0) - offset;
                triples.push(users.row(user), items.row(item), value as f32);
                if let Some(times) = &times {
                    kept_times.push(merged.map_or(times[place], |merged| merged.1));
                }
            }
            out.push(&triples, times.is_some().then_some(&*kept_times))?;
        }
        let mut records = rule.records(count - repeated.number, repeated.number);
        missing.count(&mut records);
        let (users, items, duplicates) = (users.ids, items.ids, repeated.number);
        let described = Ratings { offset, users, items, duplicates, records, ..described };
        out.finish(&described, self.options.times)
    }
}

/// A file in which pairs may repeat, and the effect of the rule on them.
struct RawFile {
    pieces: Pieces,
    /// Removes the file when dropped.
    _removed: RemovedOnDrop,
    repeated: Repeated,
    /// Spread of the values in single precision.
    spread: Spread,
    missing: Missing,
    /// The ids of users, and of items.
    ids: [Numbered; 2],
}

/// Returns the spread of the ratings that are left, after `less` is subtracted.
fn spread_of_left(raw: &Pieces, repeated: &Repeated, less: f64) -> Result<Spread, ReadError> {
    let mut sums = SpreadSums::default();
    for piece in 0..raw.count(USERS).div_ceil(PIECE) {
        for (at, value) in (piece * PIECE..).zip(repeated::values(raw, piece)?) {
            if !repeated.is_gone(at) {
                sums.add(repeated.merged(at).map_or(value, |merged| merged.0) - less);
            }
        }
    }
    Ok(sums.spread())
}

fn raw_file(path: &Path) -> Result<PiecesWriter, ReadError> {
    let arrays = [USERS.entry(), ITEMS.entry(), VALUES.entry(), TIMES.entry(), WIDE.entry()];
    PiecesWriter::create(path, arrays)
}

impl Sink for PiecesWriter {
    fn append(
        &mut self,
        users: &[u32],
        items: &[u32],
        values: &Values,
        times: &[f64],
    ) -> Result<(), ReadError> {
        self.push(USERS, users)?;
        self.push(ITEMS, items)?;
        match values {
            Values::Narrow(values, _) => self.push(VALUES, values)?,
            Values::Wide(values) => self.push(WIDE, values)?,
        }
        self.push(TIMES, times)
    }
}
