//! Lines of `user item rating`: CSV and TSV, MovieLens `::`, LIBMF's text.

use super::Triples;
use super::ids::{Column, Ids, number};
use super::layout::{Layout, Separator, Wanted};
use super::read::RatingsOptions;
use super::time::{self, Clock};
use crate::encoding::utf8;
use crate::error::ReadError;
use crate::number::{decimal, explain};
use crate::parallel::{self, Parsed};
use crate::quoting::{Quoting, Records};
use crate::source::Source;
use crate::table::head::before_first;

/// Lines behind the first that tell whether it is a header.
const SAMPLE: usize = 50;

/// What a file held, duplicates included.
pub(super) struct Loaded {
    pub(super) triples: Triples,
    /// When each was observed, where that was asked for.
    pub(super) times: Option<Vec<f64>>,
    pub(super) users: Ids,
    pub(super) items: Ids,
    pub(super) pairs_only: bool,
    pub(super) notes: Vec<String>,
}

/// One block of lines: ids, values and times as read, or a column that holds something else than whole numbers.
enum Block {
    Read(Rows),
    NotWhole(Side),
}

struct Rows {
    users: Column,
    items: Column,
    values: Vec<f32>,
    times: Vec<f64>,
    clock: Option<Clock>,
}

#[derive(Clone, Copy)]
enum Side {
    Users,
    Items,
}

/// Which columns of ids are taken for whole numbers.
#[derive(Clone, Copy)]
struct Whole {
    users: bool,
    items: bool,
}

impl Whole {
    fn columns(self, capacity: usize) -> (Column, Column) {
        let column = |whole: bool| match whole {
            true => Column::Integers(Vec::with_capacity(capacity)),
            false => Column::Names(Vec::with_capacity(capacity)),
        };
        (column(self.users), column(self.items))
    }
}

/// Reads all lines; blocks of them are parsed on several threads.
///
/// Ids are taken for whole numbers until one is not; then the file is read again with that column as text.
pub(super) fn load(source: &Source, options: &RatingsOptions) -> Result<Loaded, ReadError> {
    let beginning = source.beginning(1 << 16)?;
    let (mut bytes, mut lines) = before_first(&beginning);
    let (layout, first) = layout(&beginning[bytes..], options)
        .map_err(|message| ReadError::at(&source.path, lines + 1, message))?;
    let mut notes = Vec::new();
    if layout.header {
        notes.push("the first line is taken for the names of the columns (--no-header: it is data)".into());
        lines += memchr::memchr_iter(b'\n', &beginning[bytes..bytes + first]).count().max(1);
        bytes += first;
    }
    if layout.time.is_none() && options.times {
        let why = "there is no column of times: name it as the fourth of --columns user,item,rating,time";
        return Err(ReadError::file(&source.path, why));
    }
    let mut whole = Whole { users: true, items: true };
    loop {
        let parse = |text: &[u8]| block(text, &layout, whole);
        let blocks = source.blocks();
        let blocks = match layout.separator.quoting() {
            Some(quoting) => blocks.quoted(quoting),
            None => blocks,
        };
        let blocks = parallel::parse(source, blocks.skip(bytes), lines + 1, options.threads, parse)?;
        let not_whole = blocks.iter().find_map(|block| match block {
            Block::NotWhole(side) => Some(*side),
            Block::Read(..) => None,
        });
        match not_whole {
            Some(Side::Users) => whole.users = false,
            Some(Side::Items) => whole.items = false,
            None => return joined(source, blocks, whole, &layout, notes),
        }
    }
}

/// The form of the lines, and the length of the first.
fn layout(text: &[u8], options: &RatingsOptions) -> Result<(Layout, usize), String> {
    let separator = Separator::of(text.split(|&byte| byte == b'\n').next().unwrap_or_default());
    let (mut records, mut first) = (Vec::new(), 0);
    let mut rest = text;
    while !rest.is_empty() && records.len() <= SAMPLE {
        let line_end = || memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        let end = match separator.quoting() {
            Some(quoting) => quoting.record_end(rest).unwrap_or_else(line_end),
            None => line_end(),
        };
        let (record, after) = rest.split_at(end);
        // The last one may be cut off.
        if !is_empty(record.trim_ascii()) && (records.is_empty() || record.ends_with(b"\n")) {
            if records.is_empty() {
                first = end;
            }
            records.push(record.trim_ascii_end());
        }
        rest = after;
    }
    let line = records.first().copied().unwrap_or_default();
    let wanted =
        Wanted { columns: options.columns.as_deref(), no_header: options.no_header, times: options.times };
    Ok((Layout::of(line, records.get(1..).unwrap_or_default(), wanted)?, first))
}

fn is_empty(line: &[u8]) -> bool {
    line.is_empty() || line[0] == b'#'
}

/// Puts the blocks together, each let go as soon as it has been copied.
fn joined(
    source: &Source,
    blocks: Vec<Block>,
    whole: Whole,
    layout: &Layout,
    notes: Vec<String>,
) -> Result<Loaded, ReadError> {
    let length = |block: &Block| match block {
        Block::Read(rows) => rows.values.len(),
        Block::NotWhole(_) => 0,
    };
    let count: usize = blocks.iter().map(length).sum();
    let refuse = |why: &str| Err(ReadError::file(&source.path, why));
    if count == 0 {
        return refuse("there are no ratings: expected `user item rating` a line");
    }
    if u32::try_from(count).is_err() {
        return refuse("more than 4294967295 ratings: split the file");
    }
    let (mut users, mut items) = whole.columns(count);
    let mut values = Vec::with_capacity(count);
    let (mut times, mut clock) = (layout.time.map(|_| Vec::with_capacity(count)), None);
    for block in blocks {
        if let Block::Read(rows) = block {
            users.extend(rows.users);
            items.extend(rows.items);
            values.extend_from_slice(&rows.values);
            times.iter_mut().for_each(|times| times.extend_from_slice(&rows.times));
            if clock.is_some_and(|clock| rows.clock.is_some_and(|other| other != clock)) {
                return refuse(time::MIXED);
            }
            clock = clock.or(rows.clock);
        }
    }
    let ((user_rows, users), (item_rows, items)) = (number(users), number(items));
    let triples = Triples { users: user_rows, items: item_rows, values };
    Ok(Loaded { triples, times, users, items, pairs_only: layout.value.is_none(), notes })
}

/// Parses a block of lines.
fn block(text: &[u8], layout: &Layout, whole: Whole) -> Parsed<Block> {
    if let Some(quoting) = layout.separator.quoting().filter(|_| memchr::memchr(b'"', text).is_some()) {
        return quoted(text, layout, quoting, whole);
    }
    // Each separator has a loop of its own: looking it up for every byte would take longer than the parsing.
    match layout.separator {
        Separator::Byte(byte) => {
            rows(text, &Layout { separator: Separator::Byte(byte), ..layout.clone() }, whole)
        }
        Separator::Colons => rows(text, &Layout { separator: Separator::Colons, ..layout.clone() }, whole),
        Separator::Blank => rows(text, &Layout { separator: Separator::Blank, ..layout.clone() }, whole),
    }
}

impl Layout {
    /// How many fields a line must have.
    fn needed(&self) -> usize {
        1 + self.user.max(self.item).max(self.value.unwrap_or(0)).max(self.time.unwrap_or(0))
    }
}

/// Lines without quotes.
#[inline(always)]
fn rows(text: &[u8], layout: &Layout, whole: Whole) -> Parsed<Block> {
    let mut rows = Rows::new(whole, text.len() / 12);
    let needed = layout.needed();
    let mut lines = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !is_empty(line.trim_ascii_start()) {
            let (mut user, mut item, mut value, mut time, mut seen) = (0..0, 0..0, None, None, 0);
            layout.separator.fields(line, |number, place| {
                // A column may be named for more than one of them.
                if Some(number) == layout.time {
                    time = Some(place.clone());
                }
                if number == layout.user {
                    user = place;
                } else if number == layout.item {
                    item = place;
                } else if Some(number) == layout.value {
                    value = Some(place);
                }
                seen = number + 1;
                seen < needed
            });
            if seen < needed {
                return Err((lines, short(seen, needed, layout)));
            }
            if let Some(side) = rows.ids(&line[user], &line[item]).map_err(|why| (lines, why))? {
                return Ok((Block::NotWhole(side), 0));
            }
            rows.values.push(match value {
                Some(place) => rating(&line[place]).map_err(|why| (lines, named(why, layout)))?,
                None => 1.0,
            });
            if let Some(place) = time {
                rows.time(&line[place]).map_err(|why| (lines, why))?;
            }
        }
        lines += 1;
    }
    Ok((Block::Read(rows), lines))
}

/// Records of which some have quotes.
fn quoted(text: &[u8], layout: &Layout, quoting: Quoting, whole: Whole) -> Parsed<Block> {
    let mut rows = Rows::new(whole, text.len() / 12);
    let needed = layout.needed();
    let mut records = Records::new(text, quoting);
    for (line, record) in records.by_ref() {
        let at = |why: String| (line, why);
        let mut cells = vec![Default::default(); needed];
        let seen = quoting.each(record, |number, cell| {
            cells[number] = cell.text();
            Ok(number + 1 < needed)
        });
        let seen = seen.map_err(at)?;
        if seen < needed {
            return Err((line, short(seen, needed, layout)));
        }
        if let Some(side) = rows.ids(&cells[layout.user], &cells[layout.item]).map_err(at)? {
            return Ok((Block::NotWhole(side), 0));
        }
        rows.values.push(match layout.value {
            Some(value) => rating(cells[value].trim_ascii()).map_err(|why| at(named(why, layout)))?,
            None => 1.0,
        });
        if let Some(time) = layout.time {
            rows.time(cells[time].trim_ascii()).map_err(at)?;
        }
    }
    Ok((Block::Read(rows), records.lines()))
}

impl Rows {
    fn new(whole: Whole, capacity: usize) -> Self {
        let (users, items) = whole.columns(capacity);
        Self { users, items, values: Vec::with_capacity(capacity), times: Vec::new(), clock: None }
    }

    /// Takes both ids in, or says which of them is no whole number where all have been.
    #[inline(always)]
    fn ids(&mut self, user: &[u8], item: &[u8]) -> Result<Option<Side>, String> {
        for (side, cell, column) in
            [(Side::Users, user, &mut self.users), (Side::Items, item, &mut self.items)]
        {
            match column.push(cell) {
                Ok(true) => {}
                Ok(false) => return Ok(Some(side)),
                Err(why) => return Err(format!("the {}: {why}", side.name())),
            }
        }
        Ok(None)
    }

    fn time(&mut self, cell: &[u8]) -> Result<(), String> {
        let (time, clock) = time::parse(cell)?;
        if *self.clock.get_or_insert(clock) != clock {
            return Err(time::MIXED.into());
        }
        self.times.push(time);
        Ok(())
    }
}

/// What is wrong with a rating, and how to say which column it is.
#[cold]
fn named(why: String, layout: &Layout) -> String {
    match layout.value {
        Some(at) => format!(
            "{why}, in column {}: if ratings stand elsewhere, name the columns, as in --columns user,item,rating, or by \
             numbers, as in --columns 1,2,3",
            at + 1
        ),
        None => why,
    }
}

#[cold]
fn short(seen: usize, needed: usize, layout: &Layout) -> String {
    let divided = match layout.separator {
        Separator::Byte(separator) => Quoting { separator }.name(),
        Separator::Colons => "`::`".into(),
        Separator::Blank => "blanks".into(),
    };
    format!("{seen} of at least {needed} fields divided by {divided}, as the first line has them")
}

/// A rating that single precision holds.
pub(super) fn rating(cell: &[u8]) -> Result<f32, String> {
    match decimal(cell) {
        Some((value, length)) if length == cell.len() && (value as f32).is_finite() => Ok(value as f32),
        Some((_, length)) if length == cell.len() => {
            Err("the rating is too large for single precision: scale the ratings".into())
        }
        _ => Err(format!("the rating: {}", explain(cell))),
    }
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Users => "user",
            Self::Items => "item",
        }
    }
}

impl Column {
    /// Takes an id in; false if it is no whole number where all have been.
    #[inline(always)]
    fn push(&mut self, cell: &[u8]) -> Result<bool, String> {
        if cell.is_empty() {
            return Err("there is none: drop the line or give it an id".into());
        }
        match self {
            Self::Integers(ids) => {
                // Ten digits fit; a leading zero may be part of a name.
                let is_canonical = cell.len() <= 10 && (cell[0] != b'0' || cell.len() == 1);
                if !is_canonical {
                    return Ok(false);
                }
                let id = cell.iter().try_fold(0_u64, |id, byte| {
                    let digit = byte.wrapping_sub(b'0');
                    (digit < 10).then_some(id * 10 + u64::from(digit))
                });
                match id.filter(|&id| id < u64::from(u32::MAX)) {
                    Some(id) => ids.push(id as u32),
                    None => return Ok(false),
                }
            }
            Self::Names(ids) => ids.push(utf8(cell)?.to_owned()),
        }
        Ok(true)
    }

    fn extend(&mut self, other: Self) {
        match (self, other) {
            (Self::Integers(ids), Self::Integers(more)) => ids.extend_from_slice(&more),
            (Self::Names(ids), Self::Names(more)) => ids.extend(more),
            // All blocks are read with the same columns as whole numbers.
            _ => {}
        }
    }
}
