//! Converts a file of any format to a file of pieces. Text goes through a raw file, in which pairs may
//! repeat.

use std::path::{Path, PathBuf};

use super::layout::{Filling, ITEMS, RatingsFacts, TIMES, USERS, VALUES, WIDE};
use super::numbers::{Numbered, Numbers};
use super::repeated::{self, Repeated};
use crate::arrays::pieces::{PIECE, Pieces, PiecesWriter, RemovedOnDrop};
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::ratings::duplicates::{self, Duplicates};
use crate::ratings::ids::Ids;
use crate::ratings::precision::{Precision, Spread, SpreadSums};
use crate::ratings::read::{BY_TIME, not_by_time, read_source};
use crate::ratings::text::{self, Lines, Missing, RatingRows, Taken};
use crate::ratings::values::Values;
use crate::ratings::{Ratings, RatingsFormat, RatingsOptions, Triples, matrix_market, time};

/// A file that is being converted.
#[derive(Clone, Copy)]
struct Conversion<'a> {
    source: &'a Source,
    options: &'a RatingsOptions,
    /// The file of pieces.
    path: &'a Path,
}

/// Ratings in a raw file, with all else that was read.
struct ReadRatings {
    raw: RawFile,
    /// The ids of users, and of items.
    ids: [Numbered; 2],
    missing: Missing,
    described: Ratings,
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
    let read = match format {
        RatingsFormat::Text => conversion.text()?,
        RatingsFormat::MatrixMarket if !options.times => conversion.market()?,
        RatingsFormat::MatrixMarket | RatingsFormat::Parquet => {
            let ratings = read_source(source, format, options)?;
            let mut out = Filling::create(path)?;
            out.push(&ratings.triples, ratings.times.as_deref())?;
            return out.finish(&ratings, ratings.times.is_some());
        }
    };
    conversion.merged(read)
}

impl Conversion<'_> {
    fn text(self) -> Result<ReadRatings, ReadError> {
        let (mut raw, mut text) = self.raw_text("raw")?;
        let rule = self.options.rule(text.lines.pairs_only());
        if raw.repeated.number > 0 && rule.asks_when() {
            // The last observation is the latest: the source is read again with its times.
            if text.lines.is_dated() {
                let options = &RatingsOptions { times: true, ..self.options.clone() };
                match (Conversion { source: self.source, options, path: self.path }).raw_text("timed") {
                    Ok(again) => (raw, text) = again,
                    Err(why) => text.lines.notes.push(not_by_time(&why.to_string())),
                }
            }
            if text.lines.has_times() {
                text.lines.notes.push(BY_TIME.into());
            }
        }
        let ReadText { lines, ids, missing } = text;
        let described = Ratings {
            pairs_only: lines.pairs_only(),
            format: RatingsFormat::Text.to_string(),
            notes: lines.notes,
            ..Ratings::default()
        };
        Ok(ReadRatings { raw, ids: ids.map(Numbers::finish), missing, described })
    }

    /// Reads a text into a raw file.
    fn raw_text(self, ending: &str) -> Result<(RawFile, ReadText), ReadError> {
        let Self { source, options, .. } = self;
        let lines = Lines::of(source, options)?;
        let mut taken = lines.taken;
        let (raw, (ids, missing)) = self.raw(ending, lines.pairs_only(), |place, precision| {
            taken.precision = precision;
            loop {
                let mut filling = Raw::create(place, taken)?;
                match lines.each(source, taken, options.threads, |rows| filling.take(source, rows))? {
                    Some(side) => taken.give_up(side),
                    None => {
                        text::check_count(source, filling.count)?;
                        let Raw { out, users, items, missing, spread, .. } = filling;
                        return Ok((out.finish(&())?, spread, ([users, items], missing)));
                    }
                }
            }
        })?;
        Ok((raw, ReadText { lines, ids, missing }))
    }

    /// Reads a matrix, whose rows and columns are users and items.
    fn market(self) -> Result<ReadRatings, ReadError> {
        let Self { source, options, .. } = self;
        let head = matrix_market::head(source)?;
        let (raw, ()) = self.raw("raw", head.pattern, |place, precision| {
            let (mut out, mut spread) = (raw_file(place)?, Spread::default());
            matrix_market::each(source, &head, precision, options.threads, |entries| {
                out.push(USERS, &entries.users)?;
                out.push(ITEMS, &entries.items)?;
                push_values(&mut out, &entries.values, &mut spread)
            })?;
            Ok((out.finish(&())?, spread, ()))
        })?;
        let ids = [head.rows, head.columns].map(|count| Numbered { ids: Ids::Dense(count), rows: None });
        let format = RatingsFormat::MatrixMarket.to_string();
        let described = Ratings { pairs_only: head.pattern, format, ..Ratings::default() };
        Ok(ReadRatings { raw, ids, missing: Missing::default(), described })
    }

    /// Makes a temporary file next to the file of pieces. `fill` writes the ratings to it, in the
    /// precision it gets; it runs again with double precision if single does not distinguish them.
    fn raw<T>(
        self,
        ending: &str,
        pairs_only: bool,
        mut fill: impl FnMut(&Path, Precision) -> Result<(Pieces, Spread, T), ReadError>,
    ) -> Result<(RawFile, T), ReadError> {
        let place = PathBuf::from(format!("{}.{}.{ending}", self.path.display(), std::process::id()));
        let (removed, mut precision) = (RemovedOnDrop(place), self.options.precision(pairs_only));
        loop {
            let (pieces, spread, found) = fill(&removed.0, precision)?;
            if !self.options.is_read_again(&spread, precision) {
                let repeated = Repeated::of(&pieces, self.options, pairs_only)?;
                // Ratings that were narrowed may not be exact enough without those that are merged away.
                if repeated.number == 0
                    || pieces.count(WIDE) > 0
                    || !self.options.is_merged_again(&spread, &spread_of_left(&pieces, &repeated, 0.0)?)
                {
                    return Ok((RawFile { pieces, _removed: removed, repeated, spread }, found));
                }
            }
            precision = Precision::Double;
        }
    }

    /// Merges the ratings of a raw file.
    fn merged(self, read: ReadRatings) -> Result<(Pieces, RatingsFacts), ReadError> {
        let ReadRatings { raw, ids: [users, items], missing, mut described } = read;
        let RawFile { pieces, repeated, spread, .. } = &raw;
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
            _ => offset(pieces, repeated, self.options)?,
        };
        described.notes.extend(notes);
        let (mut out, count) = (Filling::create(self.path)?, pieces.count(USERS));
        for piece in 0..count.div_ceil(PIECE) {
            let (rated_by, rated) = (pieces.piece(USERS, piece)?, pieces.piece(ITEMS, piece)?);
            let values = repeated::values(pieces, piece)?;
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

/// The facts about a text besides its observations.
struct ReadText {
    lines: Lines,
    /// The ids of users, and of items.
    ids: [Numbers; 2],
    missing: Missing,
}

/// A file in which pairs may repeat, and the effect of the rule on them.
struct RawFile {
    pieces: Pieces,
    /// Removes the file when dropped.
    _removed: RemovedOnDrop,
    repeated: Repeated,
    /// Spread of the values in single precision.
    spread: Spread,
}

/// Returns the number to subtract from ratings in double precision, and notes on it, as for ratings in
/// memory: only the ratings that are left matter.
fn offset(
    raw: &Pieces,
    repeated: &Repeated,
    options: &RatingsOptions,
) -> Result<(f64, Vec<String>), ReadError> {
    let spread = |less: f64| spread_of_left(raw, repeated, less);
    let whole = spread(0.0)?;
    let offset = match (options.offset, whole.centre()) {
        (Some(offset), _) => offset,
        (None, Some(centre)) if whole.is_gained_by(&spread(centre)?) => centre,
        (None, _) => 0.0,
    };
    let held = if offset == 0.0 { whole } else { spread(offset)? };
    Ok((offset, held.notes(offset)))
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

fn push_values(out: &mut PiecesWriter, values: &Values, spread: &mut Spread) -> Result<(), ReadError> {
    match values {
        Values::Narrow(values, sums) => {
            spread.join(&sums.spread());
            out.push(VALUES, values)
        }
        Values::Wide(values) => out.push(WIDE, values),
    }
}

/// Ratings as they are read; ids are numbered in the order of first appearance.
struct Raw {
    out: PiecesWriter,
    users: Numbers,
    items: Numbers,
    count: usize,
    clock: Option<time::Clock>,
    missing: Missing,
    /// Spread of the values in single precision.
    spread: Spread,
}

impl Raw {
    fn create(path: &Path, taken: Taken) -> Result<Self, ReadError> {
        let out = raw_file(path)?;
        let (users, items) = (Numbers::new(taken.users), Numbers::new(taken.items));
        let (missing, spread) = (Missing::default(), Spread::default());
        Ok(Self { out, users, items, count: 0, clock: None, missing, spread })
    }

    fn take(&mut self, source: &Source, rows: RatingRows) -> Result<(), ReadError> {
        let RatingRows { users, items, values, times, clock, missing, .. } = rows;
        if self.clock.is_some_and(|known| clock.is_some_and(|other| other != known)) {
            return Err(ReadError::file(&source.path, time::MIXED));
        }
        self.clock = self.clock.or(clock);
        self.count += values.len();
        self.out.push(USERS, &self.users.number(users))?;
        self.out.push(ITEMS, &self.items.number(items))?;
        self.missing.add(missing);
        push_values(&mut self.out, &values, &mut self.spread)?;
        self.out.push(TIMES, &times)
    }
}
