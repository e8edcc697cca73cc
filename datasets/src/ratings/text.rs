//! Lines of `user item rating`: CSV and TSV, MovieLens `::`, LIBMF's text.

use super::Triples;
use super::ids::{Column, Ids, number};
use super::layout::{Layout, Separator};
use crate::error::ReadError;
use crate::number::{decimal, explain};
use crate::parallel::{self, Parsed};
use crate::source::Source;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What a file held, duplicates included.
pub(super) struct Loaded {
    pub(super) triples: Triples,
    pub(super) users: Ids,
    pub(super) items: Ids,
    pub(super) pairs_only: bool,
}

/// One block of lines: ids and values as read, or a column that holds something else than whole numbers.
enum Block {
    Read(Column, Column, Vec<f32>),
    NotWhole(Side),
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

/// Reads all lines; blocks of them are parsed on several threads.
///
/// Ids are taken for whole numbers until one is not; then the file is read again with that column as text.
pub(super) fn load(source: &Source, columns: Option<&[String]>, threads: usize) -> Result<Loaded, ReadError> {
    let beginning = source.beginning(1 << 16)?;
    let (mut bytes, mut lines, line) = first_line(&beginning);
    let layout =
        Layout::of(line, columns).map_err(|message| ReadError::at(&source.path, lines + 1, message))?;
    if layout.header {
        let rest = &beginning[bytes..];
        bytes += rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |end| end + 1);
        lines += 1;
    }
    let mut whole = Whole { users: true, items: true };
    loop {
        let parse = |text: &[u8]| block(text, &layout, whole);
        let blocks = parallel::parse(source, source.blocks().skip(bytes), lines + 1, threads, parse)?;
        let not_whole = blocks.iter().find_map(|block| match block {
            Block::NotWhole(side) => Some(*side),
            Block::Read(..) => None,
        });
        match not_whole {
            Some(Side::Users) => whole.users = false,
            Some(Side::Items) => whole.items = false,
            None => return joined(source, blocks, whole, layout.value.is_none()),
        }
    }
}

/// The first line with something on it that is no comment: the bytes and the lines before it, and the line.
pub(super) fn first_line(beginning: &[u8]) -> (usize, usize, &[u8]) {
    let mut bytes = if beginning.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    for (lines, line) in beginning[bytes..].split(|&byte| byte == b'\n').enumerate() {
        if !is_empty(line.trim_ascii()) {
            return (bytes, lines, line.trim_ascii_end());
        }
        bytes = (bytes + line.len() + 1).min(beginning.len());
    }
    (bytes, 0, &[])
}

fn is_empty(line: &[u8]) -> bool {
    line.is_empty() || line[0] == b'#'
}

/// Puts the blocks together, each let go as soon as it has been copied.
fn joined(source: &Source, blocks: Vec<Block>, whole: Whole, pairs_only: bool) -> Result<Loaded, ReadError> {
    let length = |block: &Block| match block {
        Block::Read(_, _, values) => values.len(),
        Block::NotWhole(_) => 0,
    };
    let count: usize = blocks.iter().map(length).sum();
    if count == 0 {
        return Err(ReadError::file(
            &source.path,
            "there are no ratings: expected `user item rating` a line",
        ));
    }
    if u32::try_from(count).is_err() {
        return Err(ReadError::file(&source.path, "more than 4294967295 ratings: split the file"));
    }
    let column = |whole: bool| match whole {
        true => Column::Integers(Vec::with_capacity(count)),
        false => Column::Names(Vec::with_capacity(count)),
    };
    let (mut users, mut items) = (column(whole.users), column(whole.items));
    let mut values = Vec::with_capacity(count);
    for block in blocks {
        if let Block::Read(some_users, some_items, some_values) = block {
            users.extend(some_users);
            items.extend(some_items);
            values.extend_from_slice(&some_values);
        }
    }
    let ((user_rows, users), (item_rows, items)) = (number(users), number(items));
    Ok(Loaded { triples: Triples { users: user_rows, items: item_rows, values }, users, items, pairs_only })
}

/// Parses a block of lines.
fn block(text: &[u8], layout: &Layout, whole: Whole) -> Parsed<Block> {
    // Each separator has a loop of its own: looking it up for every byte would take longer than the parsing.
    match layout.separator {
        Separator::Byte(byte) => {
            rows(text, &Layout { separator: Separator::Byte(byte), ..layout.clone() }, whole)
        }
        Separator::Colons => rows(text, &Layout { separator: Separator::Colons, ..layout.clone() }, whole),
        Separator::Blank => rows(text, &Layout { separator: Separator::Blank, ..layout.clone() }, whole),
    }
}

#[inline(always)]
fn rows(text: &[u8], layout: &Layout, whole: Whole) -> Parsed<Block> {
    let expected = text.len() / 12;
    let column = |whole: bool| match whole {
        true => Column::Integers(Vec::with_capacity(expected)),
        false => Column::Names(Vec::with_capacity(expected)),
    };
    let (mut users, mut items) = (column(whole.users), column(whole.items));
    let mut values = Vec::with_capacity(expected);
    let needed = 1 + layout.user.max(layout.item).max(layout.value.unwrap_or(0));
    let mut lines = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let line = line.trim_ascii_end();
        if !is_empty(line.trim_ascii_start()) {
            let (mut user, mut item, mut value, mut seen) = (0..0, 0..0, None, 0);
            layout.separator.fields(line, |number, place| {
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
            for (side, place, column) in [(Side::Users, user, &mut users), (Side::Items, item, &mut items)] {
                match column.push(&line[place]) {
                    Ok(true) => {}
                    Ok(false) => return Ok((Block::NotWhole(side), 0)),
                    Err(why) => return Err((lines, format!("the {} {why}", side.name()))),
                }
            }
            values.push(match value {
                Some(place) => rating(&line[place]).map_err(|why| (lines, why))?,
                None => 1.0,
            });
        }
        lines += 1;
    }
    Ok((Block::Read(users, items, values), lines))
}

#[cold]
fn short(seen: usize, needed: usize, layout: &Layout) -> String {
    let divided = match layout.separator {
        Separator::Byte(b'\t') => "tabs".into(),
        Separator::Byte(byte) => format!("`{}`", char::from(byte)),
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
    fn push(&mut self, cell: &[u8]) -> Result<bool, &'static str> {
        if cell.is_empty() {
            return Err("is empty: drop the line or give it an id");
        }
        match self {
            Self::Integers(ids) => {
                // Ten digits fit; a leading zero may be part of a name.
                let is_canonical = cell.len() <= 10 && (cell[0] != b'0' || cell.len() == 1);
                let id = cell.iter().try_fold(0_u64, |id, byte| {
                    let digit = byte.wrapping_sub(b'0');
                    (digit < 10).then_some(id * 10 + u64::from(digit))
                });
                match id.filter(|&id| is_canonical && id < u64::from(u32::MAX)) {
                    Some(id) => ids.push(id as u32),
                    None => return Ok(false),
                }
            }
            Self::Names(ids) => match std::str::from_utf8(cell) {
                Ok(name) => ids.push(name.to_owned()),
                Err(_) => return Err("is not UTF-8: convert the file"),
            },
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
