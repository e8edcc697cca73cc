//! Blocks of lines: parsed one by one, on several threads.

use crate::bytes::encoding::utf8;
use crate::bytes::number::explain_cell;
use crate::bytes::parallel::Parsed;
use crate::bytes::quoting::Quoting;
use crate::bytes::records::Records;
use crate::dialect::{Marks, Separator};
use crate::ratings::ids::{Column, whole_id};
use crate::ratings::layout::Layout;
use crate::ratings::time::{self, Clock};

/// One block of lines: ids, values and times as read, or a column that holds something else than whole
/// numbers.
pub(super) enum Block {
    Read(RatingRows),
    NotWhole(RatingSide),
}

pub(in crate::ratings) struct RatingRows {
    pub(in crate::ratings) users: Column,
    pub(in crate::ratings) items: Column,
    pub(in crate::ratings) values: Vec<f32>,
    pub(in crate::ratings) times: Vec<f64>,
    pub(in crate::ratings) clock: Option<Clock>,
}

#[derive(Clone, Copy)]
pub(in crate::ratings) enum RatingSide {
    Users,
    Items,
}

/// Which columns of ids are taken for whole numbers.
#[derive(Clone, Copy)]
pub(in crate::ratings) struct Whole {
    pub(in crate::ratings) users: bool,
    pub(in crate::ratings) items: bool,
}

impl Whole {
    /// A column holds something else.
    pub(in crate::ratings) fn give_up(&mut self, side: RatingSide) {
        match side {
            RatingSide::Users => self.users = false,
            RatingSide::Items => self.items = false,
        }
    }

    pub(super) fn columns(self, capacity: usize) -> (Column, Column) {
        let column = |whole: bool| match whole {
            true => Column::Integers(Vec::with_capacity(capacity)),
            false => Column::Names(Vec::with_capacity(capacity)),
        };
        (column(self.users), column(self.items))
    }
}

/// Parses a block of lines.
pub(super) fn block(text: &[u8], layout: &Layout, whole: Whole) -> Parsed<Block> {
    if let Some(quoting) = layout.quoting().filter(|_| memchr::memchr(b'"', text).is_some()) {
        return quoted(text, layout, quoting, whole);
    }
    // Each separator has a loop of its own: looking it up for every byte would take longer than the parsing.
    // So has each kind of number.
    let plain = Layout { marks: Marks::default(), ..layout.clone() };
    match layout.separator {
        _ if !layout.marks.is_plain() => rows(text, layout, whole),
        Separator::Byte(byte) => rows(text, &Layout { separator: Separator::Byte(byte), ..plain }, whole),
        Separator::Colons => rows(text, &Layout { separator: Separator::Colons, ..plain }, whole),
        Separator::Blanks => rows(text, &Layout { separator: Separator::Blanks, ..plain }, whole),
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
    let mut rows = RatingRows::new(whole, text.len() / 12);
    let needed = layout.needed();
    let mut lines = 0;
    let quoting = layout.quoting().unwrap_or(Quoting::BLANKS);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !quoting.is_empty(line) {
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
                Some(place) => {
                    rating(&line[place], layout.marks).map_err(|why| (lines, named(why, layout)))?
                }
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
    let mut rows = RatingRows::new(whole, text.len() / 12);
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
            Some(value) => {
                rating(cells[value].trim_ascii(), layout.marks).map_err(|why| at(named(why, layout)))?
            }
            None => 1.0,
        });
        if let Some(time) = layout.time {
            rows.time(cells[time].trim_ascii()).map_err(at)?;
        }
    }
    Ok((Block::Read(rows), records.lines()))
}

impl RatingRows {
    pub(super) fn new(whole: Whole, capacity: usize) -> Self {
        let (users, items) = whole.columns(capacity);
        Self { users, items, values: Vec::with_capacity(capacity), times: Vec::new(), clock: None }
    }

    /// Takes both ids in, or says which of them is no whole number where all have been.
    #[inline(always)]
    fn ids(&mut self, user: &[u8], item: &[u8]) -> Result<Option<RatingSide>, String> {
        for (side, cell, column) in
            [(RatingSide::Users, user, &mut self.users), (RatingSide::Items, item, &mut self.items)]
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

/// Error for a rating, which says which column it is.
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
    format!(
        "{seen} of at least {needed} fields divided by {}, as the first line has them (--separator names another)",
        layout.separator.name()
    )
}

/// A rating that single precision holds.
#[inline(always)]
pub(in crate::ratings) fn rating(cell: &[u8], marks: Marks) -> Result<f32, String> {
    match marks.number(cell) {
        Some(value) if (value as f32).is_finite() => Ok(value as f32),
        Some(_) => Err("the rating is too large for single precision: scale the ratings".into()),
        None => Err(no_rating(cell, marks)),
    }
}

#[cold]
fn no_rating(cell: &[u8], marks: Marks) -> String {
    let cure = marks.cure(cell).map(|cure| format!(" as numbers are read here: {cure}"));
    format!("the rating: {}{}", explain_cell(cell), cure.unwrap_or_default())
}

impl RatingSide {
    pub(super) fn name(self) -> &'static str {
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
            Self::Integers(ids) => match whole_id(cell) {
                Some(id) => ids.push(id),
                None => return Ok(false),
            },
            Self::Names(ids) => ids.push(utf8(cell)?.to_owned()),
        }
        Ok(true)
    }

    pub(super) fn extend(&mut self, other: Self) {
        match (self, other) {
            (Self::Integers(ids), Self::Integers(more)) => ids.extend_from_slice(&more),
            (Self::Names(ids), Self::Names(more)) => ids.extend(more),
            // All blocks are read with the same columns as whole numbers.
            _ => {}
        }
    }
}
