//! Converts a file of any format to a file of pieces. Text goes through a raw file, in which pairs may
//! repeat.

use std::path::{Path, PathBuf};

use super::layout::{Filling, ITEMS, RatingsFacts, TIMES, USERS, VALUES};
use super::numbers::Numbers;
use super::repeated::{self, Repeated};
use crate::arrays::pieces::{Array, PIECE, Pieces, PiecesWriter, RemovedOnDrop};
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::ratings::duplicates::{self, Duplicates};
use crate::ratings::ids::Ids;
use crate::ratings::precision::{Spread, SpreadSums};
use crate::ratings::read::{BY_TIME, not_by_time, read_source};
use crate::ratings::text::{self, Lines, Missing, RatingRows, Taken};
use crate::ratings::values::Values;
use crate::ratings::{Ratings, RatingsFormat, RatingsOptions, Triples, matrix_market, time};

/// Writes to the file what [`read_ratings`](crate::read_ratings) would hold in memory. Parquet is read into
/// memory first.
pub(crate) fn write(
    source: Source,
    format: RatingsFormat,
    options: &RatingsOptions,
    path: &Path,
) -> Result<(Pieces, RatingsFacts), ReadError> {
    match format {
        RatingsFormat::Text => return from_text(&source, options, path),
        RatingsFormat::MatrixMarket if !options.times => return from_market(&source, options, path),
        RatingsFormat::MatrixMarket | RatingsFormat::Parquet => {}
    }
    let ratings = read_source(source, format, options)?;
    let mut out = Filling::create(path)?;
    out.push(&ratings.triples, ratings.times.as_deref())?;
    out.finish(&ratings, ratings.times.is_some())
}

fn from_text(
    source: &Source,
    options: &RatingsOptions,
    path: &Path,
) -> Result<(Pieces, RatingsFacts), ReadError> {
    let (mut raw, mut text) = raw_text(source, options, path)?;
    let rule = options.rule(text.lines.pairs_only());
    if raw.repeated.number > 0 && rule.asks_when() {
        // The last observation is the latest: the source is read again with its times.
        if text.lines.is_dated() {
            match raw_text(source, &RatingsOptions { times: true, ..options.clone() }, path) {
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
    merged(source, options, (&raw, path), ids.map(Numbers::finish), (described, missing))
}

/// The facts about a text besides its observations.
struct ReadText {
    lines: Lines,
    /// The ids of users, and of items.
    ids: [Numbers; 2],
    missing: Missing,
}

/// Reads a text into a raw file.
fn raw_text(
    source: &Source,
    options: &RatingsOptions,
    path: &Path,
) -> Result<(RawFile, ReadText), ReadError> {
    let lines = Lines::of(source, options)?;
    let mut taken = lines.taken;
    let ending = if options.times { "timed" } else { "raw" };
    let (raw, (ids, missing)) =
        RawFile::make((path, ending), options, lines.pairs_only(), |place, is_wide| {
            taken.is_wide = is_wide;
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

/// A file in which pairs may repeat, and the effect of the rule on them.
struct RawFile {
    pieces: Pieces,
    /// Removes the file when dropped.
    _removed: RemovedOnDrop,
    repeated: Repeated,
    /// Spread of the values in single precision.
    spread: Spread,
}

impl RawFile {
    /// Makes a temporary file next to `path`. `fill` writes the ratings to it, in double precision if it gets
    /// `true`; it runs again with that if single precision does not distinguish them.
    fn make<T>(
        (path, ending): (&Path, &str),
        options: &RatingsOptions,
        pairs_only: bool,
        mut fill: impl FnMut(&Path, bool) -> Result<(Pieces, Spread, T), ReadError>,
    ) -> Result<(Self, T), ReadError> {
        let place = PathBuf::from(format!("{}.{}.{ending}", path.display(), std::process::id()));
        let (removed, mut is_wide) = (RemovedOnDrop(place), options.is_wide(pairs_only));
        loop {
            let (pieces, spread, found) = fill(&removed.0, is_wide)?;
            if !options.is_read_again(&spread, is_wide) {
                let repeated = Repeated::of(&pieces, options, pairs_only)?;
                if !is_merged_again((&pieces, &spread), &repeated, options)? {
                    return Ok((Self { pieces, _removed: removed, repeated, spread }, found));
                }
            }
            is_wide = true;
        }
    }
}

/// Converts a matrix, whose rows and columns are users and items.
fn from_market(
    source: &Source,
    options: &RatingsOptions,
    path: &Path,
) -> Result<(Pieces, RatingsFacts), ReadError> {
    let head = matrix_market::head(source)?;
    let (raw, ()) = RawFile::make((path, "raw"), options, head.pattern, |place, is_wide| {
        let (mut out, mut spread) = (raw_file(place)?, Spread::default());
        matrix_market::each(source, (&head, is_wide), options.threads, |entries| {
            out.push(USERS, &entries.users)?;
            out.push(ITEMS, &entries.items)?;
            push_values(&mut out, &entries.values, &mut spread)
        })?;
        Ok((out.finish(&())?, spread, ()))
    })?;
    let ids = [(Ids::Dense(head.rows), None), (Ids::Dense(head.columns), None)];
    let format = RatingsFormat::MatrixMarket.to_string();
    let described = Ratings { pairs_only: head.pattern, format, ..Ratings::default() };
    merged(source, options, (&raw, path), ids, (described, Missing::default()))
}

/// Merges a raw file. `ids` has the ids of users and of items, with the row of each number.
fn merged(
    source: &Source,
    options: &RatingsOptions,
    (raw, path): (&RawFile, &Path),
    [(users, user_rows), (items, item_rows)]: [(Ids, Option<Vec<u32>>); 2],
    (mut described, missing): (Ratings, Missing),
) -> Result<(Pieces, RatingsFacts), ReadError> {
    let RawFile { pieces: raw, repeated, spread, .. } = raw;
    let rule = options.rule(described.pairs_only);
    let (by_number, by_item) = (user_rows.as_deref(), item_rows.as_deref());
    if let Some(at) = repeated.first.filter(|_| rule == Duplicates::Refuse) {
        let name = |array, ids: &Ids, rows: Option<&[u32]>| -> Result<String, ReadError> {
            Ok(ids.name(row(rows, raw.read(array, at..at + 1)?[0]) as usize))
        };
        let (user, item) = (name(USERS, &users, by_number)?, name(ITEMS, &items, by_item)?);
        return Err(duplicates::refused(&source.path, (&user, &item), at));
    }
    let (offset, notes) = match raw.count(WIDE) {
        0 => (0.0, spread.notes(0.0)),
        _ => offset(raw, repeated, options)?,
    };
    described.notes.extend(notes);
    let (mut out, count) = (Filling::create(path)?, raw.count(USERS));
    for piece in 0..count.div_ceil(PIECE) {
        copy((raw, options.times, offset), piece, repeated, (by_number, by_item), &mut out)?;
    }
    let mut records = rule.records(count - repeated.number, repeated.number);
    missing.count(&mut records);
    let described = Ratings { offset, users, items, duplicates: repeated.number, records, ..described };
    out.finish(&described, options.times)
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

/// Returns `true` if ratings of this spread, which were narrowed, must be read again in double precision
/// because of those that are left.
fn is_merged_again(
    (raw, spread): (&Pieces, &Spread),
    repeated: &Repeated,
    options: &RatingsOptions,
) -> Result<bool, ReadError> {
    if repeated.number == 0 || raw.count(WIDE) > 0 {
        return Ok(false);
    }
    Ok(options.is_merged_again(spread, &spread_of_left(raw, repeated, 0.0)?))
}

/// Returns the row of a number, which was given out in the order of first appearance.
fn row(rows: Option<&[u32]>, number: u32) -> u32 {
    rows.map_or(number, |rows| rows[number as usize])
}

/// Copies one piece of the raw file, without the observations that were merged away.
fn copy(
    (raw, timed, offset): (&Pieces, bool, f64),
    piece: usize,
    repeated: &Repeated,
    (user_rows, item_rows): (Option<&[u32]>, Option<&[u32]>),
    out: &mut Filling,
) -> Result<(), ReadError> {
    let (users, items) = (raw.piece(USERS, piece)?, raw.piece(ITEMS, piece)?);
    let values = repeated::values(raw, piece)?;
    let times = timed.then(|| raw.piece(TIMES, piece)).transpose()?;
    let (mut triples, mut kept_times) = (Triples::with_capacity(users.len()), Vec::new());
    for (place, (&user, &item)) in users.iter().zip(&items).enumerate() {
        let at = piece * PIECE + place;
        if repeated.is_gone(at) {
            continue;
        }
        let merged = repeated.merged(at);
        let value = merged.map_or(values[place], |merged| merged.0) - offset;
        triples.push(row(user_rows, user), row(item_rows, item), value as f32);
        if let Some(times) = &times {
            kept_times.push(merged.map_or(times[place], |merged| merged.1));
        }
    }
    out.push(&triples, times.is_some().then_some(&*kept_times))
}

/// Values of a raw file in double precision, in place of those in single.
pub(super) const WIDE: Array<'static, f64> = Array::new("wide");

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
        let (users, items) = (Numbers::new(taken.users_are_whole), Numbers::new(taken.items_are_whole));
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
