//! Matrix Market: `%%MatrixMarket matrix coordinate real|integer|pattern general`, users by items, counted from 1.

use super::Triples;
use super::ids::Ids;
use super::layout::Separator;
use super::text::{Loaded, rating};
use crate::error::ReadError;
use crate::number::{first_characters, whole};
use crate::parallel::{self, Parsed};
use crate::source::Source;

/// What every Matrix Market file begins with.
pub(super) const MAGIC: &[u8] = b"%%MatrixMarket";

/// The size line.
struct Head {
    users: u32,
    items: u32,
    entries: usize,
    pattern: bool,
}

pub(super) fn load(source: &Source, threads: usize) -> Result<Loaded, ReadError> {
    let beginning = source.beginning(1 << 16)?;
    let (head, bytes, lines) =
        head(&beginning).map_err(|(line, message)| ReadError::at(&source.path, line, message))?;
    let parse = |text: &[u8]| block(text, &head);
    let blocks = parallel::parse(source, source.blocks().skip(bytes), lines + 1, threads, parse)?;
    let count: usize = blocks.iter().map(Triples::len).sum();
    if count != head.entries {
        let message =
            format!("{count} entries, but the size line says {}: was the file cut off?", head.entries);
        return Err(ReadError::file(&source.path, message));
    }
    let mut triples = Triples::with_capacity(count);
    for some in blocks {
        triples.users.extend_from_slice(&some.users);
        triples.items.extend_from_slice(&some.items);
        triples.values.extend_from_slice(&some.values);
    }
    let (users, items) = (Ids::Dense(head.users), Ids::Dense(head.items));
    Ok(Loaded { triples, users, items, pairs_only: head.pattern })
}

/// The head, and the bytes and lines that it takes; or the line at fault, counted from 1.
fn head(text: &[u8]) -> Result<(Head, usize, usize), (usize, String)> {
    let mut bytes = 0;
    let mut pattern = false;
    for (number, line) in (1..).zip(text.split_inclusive(|&byte| byte == b'\n')) {
        bytes += line.len();
        let words = String::from_utf8_lossy(line).to_lowercase();
        let words: Vec<&str> = words.split_whitespace().collect();
        if number == 1 {
            pattern = match words.as_slice() {
                [_, "matrix", "coordinate", "real" | "integer" | "double", "general"] => false,
                [_, "matrix", "coordinate", "pattern", "general"] => true,
                _ => {
                    return Err((
                        1,
                        "ratings are `%%MatrixMarket matrix coordinate real|integer|pattern general`".into(),
                    ));
                }
            };
        } else if words.first().is_some_and(|word| !word.starts_with('%')) {
            let sizes: Option<Vec<u32>> = words.iter().map(|word| word.parse().ok()).collect();
            let Some(&[users, items, entries]) = sizes.as_deref() else {
                let why = "the size line must be three whole numbers: users items entries";
                return Err((number, why.into()));
            };
            return Ok((Head { users, items, entries: entries as usize, pattern }, bytes, number));
        }
    }
    Err((1, "there is no size line: was the file cut off?".into()))
}

fn block(text: &[u8], head: &Head) -> Parsed<Triples> {
    let mut triples = Triples::with_capacity(text.len() / 12);
    let mut lines = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        if !line.is_empty() && line[0] != b'%' {
            let (user, item, value) = entry(line, head).map_err(|message| (lines, message))?;
            triples.push(user, item, value);
        }
        lines += 1;
    }
    Ok((triples, lines))
}

fn entry(line: &[u8], head: &Head) -> Result<(u32, u32, f32), String> {
    let mut cells: [&[u8]; 4] = [&[]; 4];
    let mut count = 0;
    Separator::Blank.fields(line, |number, place| {
        cells[number] = &line[place];
        count = number + 1;
        count < 4
    });
    let needed = if head.pattern { 2 } else { 3 };
    if count != needed {
        return Err(format!("an entry has {needed} numbers: `{}`", String::from_utf8_lossy(line)));
    }
    let row = |what: &str, cell: &[u8], most: u32| match whole(cell) {
        Some((row, length)) if length == cell.len() && (1..=u64::from(most)).contains(&row) => {
            Ok(row as u32 - 1)
        }
        _ => Err(format!(
            "the {what} `{}` is no whole number from 1 to {most}: rows and columns count from 1",
            first_characters(cell)
        )),
    };
    let value = if head.pattern { 1.0 } else { rating(cells[2])? };
    Ok((row("row", cells[0], head.users)?, row("column", cells[1], head.items)?, value))
}
