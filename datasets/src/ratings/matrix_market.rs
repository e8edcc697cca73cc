//! Matrix Market: `%%MatrixMarket matrix coordinate real|integer|pattern general`, users by items, counted
//! from 1.

use super::precision::Precision;
use super::text::rating;
use super::values::Values;
use crate::bytes::market::{self, MarketHead, MarketKind, check_end, index};
use crate::bytes::memory::{believable, check_entries};
use crate::bytes::parallel::{self, Parsed, each_line};
use crate::bytes::source::Source;
use crate::dialect::Marks;
use crate::error::ReadError;

const KIND: MarketKind = MarketKind {
    banner: "ratings are `%%MatrixMarket matrix coordinate real|integer|pattern general`",
    sizes: "users items entries",
};

/// Parses the head of a file.
pub(super) fn head(source: &Source) -> Result<MarketHead, ReadError> {
    let head = market::head(&source.beginning(1 << 16)?, &KIND);
    head.map_err(|(line, message)| ReadError::at(&source.path, line, message))
}

/// Passes the entries on in their order, a few blocks at a time.
pub(super) fn each(
    source: &Source,
    head: &MarketHead,
    precision: Precision,
    threads: usize,
    mut take: impl FnMut(&Entries) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let parse = |text: &[u8]| block(text, head, precision);
    let (blocks, mut count) = (source.blocks().skip(head.bytes), 0);
    parallel::parse_each(source, blocks, head.lines + 1, threads, parse, |entries| {
        count += entries.values.len();
        take(&entries).map(|()| true)
    })?;
    check(source, head, count)
}

/// Checks that there are as many entries as the head states, and that its sizes are plausible.
fn check(source: &Source, head: &MarketHead, count: usize) -> Result<(), ReadError> {
    let count = count as u64;
    check_entries(count, head.entries, "the size line")
        .and_then(|()| believable("users", head.rows.into(), count))
        .and_then(|_| believable("items", head.columns.into(), count))
        .map(|_| ())
        .map_err(|why| ReadError::file(&source.path, why))
}

/// The entries of a block of lines.
pub(super) struct Entries {
    pub(super) users: Vec<u32>,
    pub(super) items: Vec<u32>,
    pub(super) values: Values,
}

fn block(text: &[u8], head: &MarketHead, precision: Precision) -> Parsed<Entries> {
    let count = text.len() / 12;
    let (users, items) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut entries = Entries { users, items, values: Values::new(precision, count) };
    let lines = each_line(text, |line| {
        if line[0] != b'%' {
            let (user, item, value) = entry(line, head)?;
            entries.users.push(user);
            entries.items.push(item);
            entries.values.push(value);
        }
        Ok(())
    })?;
    Ok((entries, lines))
}

fn entry(line: &[u8], head: &MarketHead) -> Result<(u32, u32, f64), String> {
    let mut rest = line;
    let user = index(&mut rest, "row", head.rows.into())? as u32;
    let item = index(&mut rest, "column", head.columns.into())? as u32;
    let mut value = 1.0;
    if !head.pattern {
        let (cell, after) =
            rest.split_at(rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len()));
        (value, rest) = (rating(cell, Marks::default())?, after.trim_ascii_start());
    }
    check_end(rest).map(|()| (user, item, value))
}
