//! From a file of any format to one of pieces: text goes through a raw file, in which pairs may repeat.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::about::RatingsFacts;
use super::filling::Filling;
use super::repeated::Repeated;
use crate::arrays::pieces::{PIECE, Pieces, PiecesWriter, RemovedOnDrop};
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::ratings::duplicates::{self, Duplicates};
use crate::ratings::ids::{Column, Ids};
use crate::ratings::read::{BY_TIME, not_by_time, read_source};
use crate::ratings::text::{self, Lines, RatingRows, Whole};
use crate::ratings::{Ratings, RatingsFormat, RatingsOptions, Triples, matrix_market, time};

/// Writes what [`read_ratings`](crate::read_ratings) has in memory. Parquet is read into memory first.
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
    if read.repeated.number > 0 && options.duplicates.asks_when() {
        // Which is the last is a matter of time: the source is read again with its times.
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
    let ReadText { raw, _removed, lines, ids, repeated } = read;
    let about = Read { pairs_only: lines.pairs_only(), format: RatingsFormat::Text, notes: lines.notes };
    merged(source, options, (&raw, path), ids.map(Numbers::finish), (about, repeated))
}

/// A raw file of a text, in which pairs may repeat.
struct ReadText {
    raw: Pieces,
    /// Removes the raw file in the end.
    _removed: RemovedOnDrop,
    lines: Lines,
    ids: [Numbers; 2],
    repeated: Repeated,
}

impl ReadText {
    fn of(source: &Source, options: &RatingsOptions, path: &Path) -> Result<Self, ReadError> {
        let lines = Lines::of(source, options)?;
        let timed = if options.times { "timed" } else { "raw" };
        let removed =
            RemovedOnDrop(PathBuf::from(format!("{}.{}.{timed}", path.display(), std::process::id())));
        let mut whole = Whole { users: true, items: true };
        let (raw, users, items) = loop {
            let mut filling = Raw::create(&removed.0, whole)?;
            match lines.each(source, whole, options.threads, |rows| filling.take(source, rows))? {
                Some(side) => whole.give_up(side),
                None => break filling.finish(source)?,
            }
        };
        let repeated = Repeated::of(&raw, options)?;
        Ok(Self { raw, _removed: removed, lines, ids: [users, items], repeated })
    }
}

/// From a matrix, whose rows and columns are users and items.
fn from_market(
    source: &Source,
    options: &RatingsOptions,
    path: &Path,
) -> Result<(Pieces, RatingsFacts), ReadError> {
    let head = matrix_market::head(source)?;
    let raw = RemovedOnDrop(PathBuf::from(format!("{}.{}.raw", path.display(), std::process::id())));
    let mut out = PiecesWriter::create(&raw.0, &RAW)?;
    matrix_market::each(source, &head, options.threads, |triples| {
        out.push(0, &triples.users)?;
        out.push(1, &triples.items)?;
        out.push(2, &triples.values)
    })?;
    let ids = [(Ids::Dense(head.rows), None), (Ids::Dense(head.columns), None)];
    let about = Read { pairs_only: head.pattern, format: RatingsFormat::MatrixMarket, notes: Vec::new() };
    let raw = out.finish(&())?;
    let repeated = Repeated::of(&raw, options)?;
    merged(source, options, (&raw, path), ids, (about, repeated))
}

/// Facts found beside the ratings.
struct Read {
    pairs_only: bool,
    format: RatingsFormat,
    notes: Vec<String>,
}

/// From a raw file, in which pairs may repeat, with the ids of both sides and the row of each number.
fn merged(
    source: &Source,
    options: &RatingsOptions,
    (raw_pieces, path): (&Pieces, &Path),
    [(users, user_rows), (items, item_rows)]: [(Ids, Option<Vec<u32>>); 2],
    (about, repeated): (Read, Repeated),
) -> Result<(Pieces, RatingsFacts), ReadError> {
    let (by_number, by_item) = (user_rows.as_deref(), item_rows.as_deref());
    if let Some(at) = repeated.first.filter(|_| options.duplicates == Duplicates::Refuse) {
        let name = |array: &str, ids: &Ids, rows: Option<&[u32]>| -> Result<String, ReadError> {
            let number: Vec<u32> = raw_pieces.read(array, at..at + 1)?;
            Ok(ids.name(row(rows, number[0]) as usize))
        };
        let (user, item) = (name("users", &users, by_number)?, name("items", &items, by_item)?);
        return Err(duplicates::refused(&source.path, (&user, &item), at));
    }
    let mut out = Filling::create(path)?;
    for piece in 0..raw_pieces.count("values").div_ceil(PIECE) {
        copy((raw_pieces, options.times), piece, &repeated, (by_number, by_item), &mut out)?;
    }
    let described = Ratings {
        name: String::new(),
        triples: Triples::default(),
        times: None,
        users,
        items,
        pairs_only: about.pairs_only,
        duplicates: repeated.number,
        digest: String::new(),
        path: None,
        format: about.format.to_string(),
        records: options.duplicates.records(raw_pieces.count("values") - repeated.number, repeated.number),
        notes: about.notes,
    };
    out.finish(&described, options.times)
}

/// The row of what appeared as number so much.
fn row(rows: Option<&[u32]>, number: u32) -> u32 {
    rows.map_or(number, |rows| rows[number as usize])
}

/// One piece of the raw file, without what repeats.
fn copy(
    (raw, timed): (&Pieces, bool),
    piece: usize,
    repeated: &Repeated,
    (user_rows, item_rows): (Option<&[u32]>, Option<&[u32]>),
    out: &mut Filling,
) -> Result<(), ReadError> {
    let users: Vec<u32> = raw.piece("users", piece)?;
    let items: Vec<u32> = raw.piece("items", piece)?;
    let values: Vec<f32> = raw.piece("values", piece)?;
    let times: Option<Vec<f64>> = timed.then(|| raw.piece("times", piece)).transpose()?;
    let (mut triples, mut kept_times) = (Triples::with_capacity(users.len()), Vec::new());
    for (offset, (&user, &item)) in users.iter().zip(&items).enumerate() {
        let at = piece * PIECE + offset;
        if repeated.is_gone(at) {
            continue;
        }
        let merged = repeated.merged(at);
        let value = merged.map_or(values[offset], |merged| merged.0);
        triples.push(row(user_rows, user), row(item_rows, item), value);
        if let Some(times) = &times {
            kept_times.push(merged.map_or(times[offset], |merged| merged.1));
        }
    }
    out.push(&triples, times.is_some().then_some(&*kept_times))
}

/// The arrays of a raw file.
const RAW: [(&str, usize); 4] = [("users", 4), ("items", 4), ("values", 4), ("times", 8)];

/// Ratings as they are read, ids numbered as they appear.
struct Raw {
    out: PiecesWriter,
    users: Numbers,
    items: Numbers,
    count: usize,
    clock: Option<time::Clock>,
}

impl Raw {
    fn create(path: &Path, whole: Whole) -> Result<Self, ReadError> {
        let out = PiecesWriter::create(path, &RAW)?;
        let (users, items) = (Numbers::new(whole.users), Numbers::new(whole.items));
        Ok(Self { out, users, items, count: 0, clock: None })
    }

    fn take(&mut self, source: &Source, rows: RatingRows) -> Result<(), ReadError> {
        let RatingRows { users, items, values, times, clock } = rows;
        if self.clock.is_some_and(|known| clock.is_some_and(|other| other != known)) {
            return Err(ReadError::file(&source.path, time::MIXED));
        }
        self.clock = self.clock.or(clock);
        self.count += values.len();
        self.out.push(0, &self.users.number(users))?;
        self.out.push(1, &self.items.number(items))?;
        self.out.push(2, &values)?;
        self.out.push(3, &times)
    }

    fn finish(self, source: &Source) -> Result<(Pieces, Numbers, Numbers), ReadError> {
        text::check_count(source, self.count)?;
        Ok((self.out.finish(&())?, self.users, self.items))
    }
}

/// Whole numbers below this are looked up by position.
const NEAR: usize = 1 << 20;

/// The ids of one side, numbered as they appear.
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

    /// The ids by row; and the row of each number, where that is another.
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
