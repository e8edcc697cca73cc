//! Converts a file of any format to a file of pieces. Text goes through a raw file, in which pairs may
//! repeat.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::about::RatingsFacts;
use super::filling::Filling;
use super::repeated::{self, Repeated};
use crate::arrays::pieces::{PIECE, Pieces, PiecesWriter, RemovedOnDrop};
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::ratings::duplicates::{self, Duplicates};
use crate::ratings::ids::{Column, Ids};
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
    let mut read = ReadText::of(source, options, path)?;
    let rule = options.rule(read.lines.pairs_only());
    if read.repeated.number > 0 && rule.asks_when() {
        // The last observation is the latest: the source is read again with its times.
        if read.lines.is_dated() {
            match ReadText::of(source, &RatingsOptions { times: true, ..options.clone() }, path) {
                Ok(again) => read = again,
                Err(why) => read.lines.notes.push(not_by_time(&why.to_string())),
            }
        }
        if read.lines.has_times() {
            read.lines.notes.push(BY_TIME.into());
        }
    }
    let ReadText { raw, _removed, lines, ids, repeated, missing, spread } = read;
    let (pairs_only, format) = (lines.pairs_only(), RatingsFormat::Text);
    let about = Read { pairs_only, format, notes: lines.notes, missing, spread };
    merged(source, options, (&raw, path), ids.map(Numbers::finish), (about, repeated))
}

/// The raw file of a text, in which pairs may repeat.
struct ReadText {
    raw: Pieces,
    /// Removes the raw file when dropped.
    _removed: RemovedOnDrop,
    lines: Lines,
    ids: [Numbers; 2],
    repeated: Repeated,
    missing: Missing,
    /// Spread of the values in single precision.
    spread: Spread,
}

impl ReadText {
    fn of(source: &Source, options: &RatingsOptions, path: &Path) -> Result<Self, ReadError> {
        let lines = Lines::of(source, options)?;
        let timed = if options.times { "timed" } else { "raw" };
        let removed =
            RemovedOnDrop(PathBuf::from(format!("{}.{}.{timed}", path.display(), std::process::id())));
        let mut taken = lines.taken;
        loop {
            let mut filling = Raw::create(&removed.0, taken)?;
            match lines.each(source, taken, options.threads, |rows| filling.take(source, rows))? {
                Some(side) => taken.give_up(side),
                None if options.is_read_again(&filling.spread, taken.is_wide) => taken.is_wide = true,
                None => {
                    let (missing, spread) = (filling.missing, filling.spread);
                    let (raw, users, items) = filling.finish(source)?;
                    let repeated = Repeated::of(&raw, options, lines.pairs_only())?;
                    if is_merged_again((&raw, &spread), &repeated, options)? {
                        taken.is_wide = true;
                        continue;
                    }
                    let ids = [users, items];
                    return Ok(Self { raw, _removed: removed, lines, ids, repeated, missing, spread });
                }
            }
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
    let removed = RemovedOnDrop(PathBuf::from(format!("{}.{}.raw", path.display(), std::process::id())));
    let mut is_wide = options.is_wide(head.pattern);
    let (raw, repeated, spread) = loop {
        let (mut out, mut spread) = (PiecesWriter::create(&removed.0, &RAW)?, Spread::default());
        matrix_market::each(source, (&head, is_wide), options.threads, |entries| {
            out.push(0, &entries.users)?;
            out.push(1, &entries.items)?;
            push_values(&mut out, &entries.values, &mut spread)
        })?;
        if !options.is_read_again(&spread, is_wide) {
            let raw = out.finish(&())?;
            let repeated = Repeated::of(&raw, options, head.pattern)?;
            if !is_merged_again((&raw, &spread), &repeated, options)? {
                break (raw, repeated, spread);
            }
        }
        is_wide = true;
    };
    let ids = [(Ids::Dense(head.rows), None), (Ids::Dense(head.columns), None)];
    let (pairs_only, format, missing) = (head.pattern, RatingsFormat::MatrixMarket, Missing::default());
    let about = Read { pairs_only, format, notes: Vec::new(), missing, spread };
    merged(source, options, (&raw, path), ids, (about, repeated))
}

/// Facts that were found besides the ratings.
struct Read {
    pairs_only: bool,
    format: RatingsFormat,
    notes: Vec<String>,
    missing: Missing,
    /// Spread of the values in single precision.
    spread: Spread,
}

/// Merges a raw file. `ids` has the ids of users and of items, with the row of each number.
fn merged(
    source: &Source,
    options: &RatingsOptions,
    (raw_pieces, path): (&Pieces, &Path),
    [(users, user_rows), (items, item_rows)]: [(Ids, Option<Vec<u32>>); 2],
    (mut about, repeated): (Read, Repeated),
) -> Result<(Pieces, RatingsFacts), ReadError> {
    let rule = options.rule(about.pairs_only);
    let (by_number, by_item) = (user_rows.as_deref(), item_rows.as_deref());
    if let Some(at) = repeated.first.filter(|_| rule == Duplicates::Refuse) {
        let name = |array: &str, ids: &Ids, rows: Option<&[u32]>| -> Result<String, ReadError> {
            let number: Vec<u32> = raw_pieces.read(array, at..at + 1)?;
            Ok(ids.name(row(rows, number[0]) as usize))
        };
        let (user, item) = (name("users", &users, by_number)?, name("items", &items, by_item)?);
        return Err(duplicates::refused(&source.path, (&user, &item), at));
    }
    let (offset, notes) = match raw_pieces.count("wide") {
        0 => (0.0, about.spread.notes(0.0)),
        _ => offset(raw_pieces, &repeated, options)?,
    };
    about.notes.extend(notes);
    let (mut out, count) = (Filling::create(path)?, raw_pieces.count("users"));
    for piece in 0..count.div_ceil(PIECE) {
        copy((raw_pieces, options.times, offset), piece, &repeated, (by_number, by_item), &mut out)?;
    }
    let mut records = rule.records(count - repeated.number, repeated.number);
    about.missing.count(&mut records);
    let described = Ratings {
        name: String::new(),
        triples: Triples::default(),
        offset,
        exact: None,
        times: None,
        users,
        items,
        pairs_only: about.pairs_only,
        duplicates: repeated.number,
        digest: String::new(),
        path: None,
        format: about.format.to_string(),
        records,
        notes: about.notes,
    };
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
    for piece in 0..raw.count("users").div_ceil(PIECE) {
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
    if repeated.number == 0 || raw.count("wide") > 0 {
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
    let users: Vec<u32> = raw.piece("users", piece)?;
    let items: Vec<u32> = raw.piece("items", piece)?;
    let values = repeated::values(raw, piece)?;
    let times: Option<Vec<f64>> = timed.then(|| raw.piece("times", piece)).transpose()?;
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

/// Arrays of a raw file: values in single precision, or in double.
const RAW: [(&str, usize); 5] = [("users", 4), ("items", 4), ("values", 4), ("times", 8), ("wide", 8)];

fn push_values(out: &mut PiecesWriter, values: &Values, spread: &mut Spread) -> Result<(), ReadError> {
    match values {
        Values::Narrow(values, sums) => {
            spread.join(&sums.spread());
            out.push(2, values)
        }
        Values::Wide(values) => out.push(4, values),
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
        let out = PiecesWriter::create(path, &RAW)?;
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
        self.out.push(0, &self.users.number(users))?;
        self.out.push(1, &self.items.number(items))?;
        self.missing.add(missing);
        push_values(&mut self.out, &values, &mut self.spread)?;
        self.out.push(3, &times)
    }

    fn finish(self, source: &Source) -> Result<(Pieces, Numbers, Numbers), ReadError> {
        text::check_count(source, self.count)?;
        Ok((self.out.finish(&())?, self.users, self.items))
    }
}

/// Whole numbers below this are looked up by position.
const NEAR: usize = 1 << 20;

/// The ids of users or of items, numbered in the order of first appearance.
enum Numbers {
    Integers { near: Vec<u32>, far: HashMap<u32, u32>, appeared: Vec<u32> },
    Names { known: HashMap<String, u32>, appeared: Vec<String> },
}

impl Numbers {
    fn new(whole: bool) -> Self {
        match whole {
            true => Self::Integers { near: Vec::new(), far: HashMap::new(), appeared: Vec::new() },
            false => Self::Names { known: HashMap::new(), appeared: Vec::new() },
        }
    }

    fn number(&mut self, column: Column) -> Vec<u32> {
        match (self, column) {
            (Self::Integers { near, far, appeared }, Column::Integers(mut ids)) => {
                for id in &mut ids {
                    let next = appeared.len() as u32;
                    let number = if (*id as usize) < NEAR {
                        if near.len() <= *id as usize {
                            near.resize(*id as usize + 1, u32::MAX);
                        }
                        let number = &mut near[*id as usize];
                        *number = (*number).min(next);
                        *number
                    } else {
                        *far.entry(*id).or_insert(next)
                    };
                    if number == next {
                        appeared.push(*id);
                    }
                    *id = number;
                }
                ids
            }
            (Self::Names { known, appeared }, Column::Names(names)) => {
                let number = |name: String| match known.get(&name) {
                    Some(&number) => number,
                    None => {
                        let next = appeared.len() as u32;
                        appeared.push(name.clone());
                        known.insert(name, next);
                        next
                    }
                };
                names.into_iter().map(number).collect()
            }
            // All blocks are read with the same columns as whole numbers.
            _ => Vec::new(),
        }
    }

    /// Returns the ids by row, and the row of each number if that is different.
    fn finish(self) -> (Ids, Option<Vec<u32>>) {
        match self {
            Self::Integers { appeared, .. } => {
                let largest = appeared.iter().copied().max().map_or(0, |largest| largest as usize);
                match appeared.len() == largest + 1 {
                    true => (Ids::Dense(appeared.len() as u32), Some(appeared)),
                    false => (Ids::Integers(appeared), None),
                }
            }
            Self::Names { appeared, .. } => (Ids::Names(appeared), None),
        }
    }
}
