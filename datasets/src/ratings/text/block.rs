//! Parses blocks of lines, on several threads.

use super::headed::heading;
use super::rows::{RatingRows, RatingSide, Taken};
use crate::bytes::blocks::Records;
use crate::bytes::number::explain_cell;
use crate::bytes::parallel::Parsed;
use crate::bytes::quoting::Quoting;
use crate::dialect::{Marks, Separator, is_missing};
use crate::ratings::layout::Layout;

/// One block of lines: ids, values and times, or a column that was taken for whole numbers and has another
/// cell.
#[expect(clippy::large_enum_variant, reason = "there is one for megabytes of text")]
pub(super) enum Block {
    Read(RatingRows),
    NotWhole(RatingSide),
}

/// Parses a block of lines.
pub(super) fn block(text: &[u8], layout: &Layout, taken: Taken) -> Parsed<Block> {
    let has_quotes = || !taken.is_headed && memchr::memchr(b'"', text).is_some();
    if let Some(quoting) = layout.quoting().filter(|_| has_quotes()) {
        return quoted(text, layout, quoting, taken);
    }
    // Each separator, and each kind of number, has its own loop: a lookup for every byte would take longer
    // than the parsing.
    let plain = Layout { marks: Marks::default(), ..layout.clone() };
    match layout.separator {
        _ if !layout.marks.is_plain() => rows(text, layout, taken),
        Separator::Byte(byte) => rows(text, &Layout { separator: Separator::Byte(byte), ..plain }, taken),
        Separator::Colons => rows(text, &Layout { separator: Separator::Colons, ..plain }, taken),
        Separator::Blanks => rows(text, &Layout { separator: Separator::Blanks, ..plain }, taken),
    }
}

impl Layout {
    /// Returns the number of fields that a line must have.
    fn needed(&self) -> usize {
        1 + self.user.max(self.item).max(self.value.unwrap_or(0)).max(self.time.unwrap_or(0))
    }
}

/// Parses lines without quotes.
#[inline(always)]
fn rows(text: &[u8], layout: &Layout, taken: Taken) -> Parsed<Block> {
    let mut rows = RatingRows::new(taken, text.len() / 12);
    let needed = layout.needed();
    let mut lines = 0;
    let quoting = layout.quoting().unwrap_or(Quoting::BLANKS);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(id) = if taken.is_headed { heading(line) } else { None } {
            if !rows.heading.take(id).map_err(|why| (lines, why))? {
                return Ok((Block::NotWhole(RatingSide::Items), 0));
            }
        } else if !quoting.is_empty(line) {
            let (mut user, mut item, mut value, mut time, mut seen) = (0..0, 0..0, None, None, 0);
            layout.separator.fields(line, |number, place| {
                // One column may be named for several roles.
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
            let record = Record {
                user: &line[user],
                item: if taken.is_headed { None } else { Some(&line[item]) },
                value: value.map(|place| &line[place]),
                time: time.map(|place| &line[place]),
            };
            if let Some(side) = rows.take(record, layout, taken).map_err(|why| (lines, why))? {
                return Ok((Block::NotWhole(side), 0));
            }
        }
        lines += 1;
    }
    Ok((Block::Read(rows), lines))
}

/// Parses records of which some have quotes.
fn quoted(text: &[u8], layout: &Layout, quoting: Quoting, taken: Taken) -> Parsed<Block> {
    let mut rows = RatingRows::new(taken, text.len() / 12);
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
        let record = Record {
            user: &cells[layout.user],
            item: Some(&cells[layout.item]),
            value: layout.value.map(|value| cells[value].trim_ascii()),
            time: layout.time.map(|time| cells[time].trim_ascii()),
        };
        if let Some(side) = rows.take(record, layout, taken).map_err(at)? {
            return Ok((Block::NotWhole(side), 0));
        }
    }
    Ok((Block::Read(rows), records.lines()))
}

/// The cells of a line that are needed.
struct Record<'t> {
    user: &'t [u8],
    /// The item's cell; `None` if a heading names the item.
    item: Option<&'t [u8]>,
    value: Option<&'t [u8]>,
    time: Option<&'t [u8]>,
}

impl RatingRows {
    /// Adds a line, or returns the column whose id is not a whole number although it was taken for one.
    #[inline(always)]
    fn take(&mut self, of: Record<'_>, layout: &Layout, taken: Taken) -> Result<Option<RatingSide>, String> {
        let Record { user, item, value, time } = of;
        if taken.drops_missing {
            if user.is_empty() || item.is_some_and(<[u8]>::is_empty) {
                self.missing.ids += 1;
                return Ok(None);
            }
            if value.is_some_and(is_missing) {
                self.missing.ratings += 1;
                return Ok(None);
            }
        }
        if let Some(side) = self.ids(user, item)? {
            return Ok(Some(side));
        }
        self.values.push(match value {
            Some(cell) => rating(cell, layout.marks).map_err(|why| named(why, cell, layout))?,
            None => 1.0,
        });
        if let Some(cell) = time {
            self.time(cell)?;
        }
        Ok(None)
    }
}

/// Makes the error for a rating, which names its column.
#[cold]
fn named(why: String, cell: &[u8], layout: &Layout) -> String {
    let at = layout.value.map_or(0, |at| at + 1);
    match is_missing(cell) {
        true => format!("there is no rating in column {at}: --missing drop leaves out and counts such lines"),
        false => format!(
            "{why}, in column {at}: if ratings stand elsewhere, name the columns, as in --columns \
             user,item,rating, or by numbers, as in --columns 1,2,3"
        ),
    }
}

#[cold]
fn short(seen: usize, needed: usize, layout: &Layout) -> String {
    format!(
        "{seen} of at least {needed} fields divided by {}, as the first line has them (--separator names \
         another)",
        layout.separator.name()
    )
}

/// Parses a rating, which must be in the range of single precision.
#[inline(always)]
pub(in crate::ratings) fn rating(cell: &[u8], marks: Marks) -> Result<f64, String> {
    match marks.number(cell) {
        Some(value) if (value as f32).is_finite() => Ok(value),
        Some(_) => Err("the rating is too large for single precision: scale the ratings".into()),
        None => Err(no_rating(cell, marks)),
    }
}

#[cold]
fn no_rating(cell: &[u8], marks: Marks) -> String {
    let cure = marks.cure(cell).map(|cure| format!(" as numbers are read here: {cure}"));
    format!("the rating: {}{}", explain_cell(cell), cure.unwrap_or_default())
}
